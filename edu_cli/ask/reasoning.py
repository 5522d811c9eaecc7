"""What the front layer does not answer: plan, queries, passages, and an answer from them or none."""

from __future__ import annotations

from dataclasses import replace

from edu_cli.ask.front.answer_cache import answer_of_passages
from edu_cli.ask.generation.answering import declined, extracted, from_web, general, only_relevant, written
from edu_cli.ask.plan.planning import Planned, Queries, is_general_after_all, needs_llm, plan, queries
from edu_cli.ask.plan.seek import seek
from edu_cli.ask.turn import Turn
from edu_cli.ask.web.wish import asks_for_web
from edu_cli.errors import UsageError
from edu_cli.types import Answer, SearchResult


def reasoned(turn: Turn) -> Answer:
    """Steps 3 to 7 of the pipeline. Raises UsageError, UnansweredError."""
    forced, chat = turn.request.route, turn.chat
    if turn.request.plan:
        return _plan_only(turn)
    if forced == "faq":
        return _no_entry(turn)
    if forced == "general":
        if chat is None:
            raise UsageError("--route general needs an LLM.", hint="set EDU_LLM_MODEL and OPENAI_BASE_URL")
        return general(turn, chat)
    planned = plan(turn)
    strategy = planned.strategy or "direct"
    if planned.route == "general" and chat is not None and needs_llm(turn.standalone, strategy):
        strategy = "direct"  # only a look whether the material answers it after all
    wanted = queries(turn, strategy)
    found, least = seek(turn, wanted), turn.tools.settings.ask.threshold
    if not found.passages or found.confidence < least:
        return _unsure(turn, planned, wanted, found, f"confidence {found.confidence:.2f} is below {least:g}")
    return _grounded(turn, planned, wanted, found)


def _plan_only(turn: Turn) -> Answer:
    planned = plan(turn)
    shown = {} if planned.route == "general" else {"kind": planned.kind, "strategy": planned.strategy}
    return turn.answer("", route=planned.route, mode="template", **shown)


def _grounded(turn: Turn, planned: Planned, wanted: Queries, found: SearchResult) -> Answer:
    """An answer from passages that are likely to hold it."""
    if turn.chat is None:
        return extracted(turn, found, planned, wanted)
    if kept := answer_of_passages(turn, found):
        return kept
    helpful = only_relevant(turn, turn.chat, found) if turn.tools.settings.ask.grade_passages == "on" else found
    if not helpful.passages:
        return _unsure(turn, planned, wanted, found, f"{turn.chat.model} finds that no passage helps")
    return written(turn, turn.chat, helpful, planned, wanted)


def _no_entry(turn: Turn) -> Answer:
    """`--route faq` where no entry asks the same."""
    nothing = SearchResult(turn.standalone, (), 0.0, {})
    planned, wanted = Planned("faq", None, None), Queries("direct", (turn.standalone,))
    answer = declined(turn, nothing, planned, wanted, "no FAQ entry asks the same")
    return replace(answer, strategy=None, queries=())


def _unsure(turn: Turn, planned: Planned, wanted: Queries, found: SearchResult, why: str) -> Answer:
    """What becomes of a question that the material does not answer: the web, general knowledge, or a refusal."""
    web = turn.request.web
    if web or (web is None and asks_for_web(turn.request.question)):
        if answer := from_web(turn, planned, wanted, found):
            return answer
        why += ", and the web has no answer either"
    if turn.chat and (planned.route == "general" or is_general_after_all(turn, planned)):
        return general(turn, turn.chat, found.passages)
    return declined(turn, found, planned, wanted, why)
