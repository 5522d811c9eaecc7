"""Question -> answer. The steps are those of the README: each is a function, listed here in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from edu_cli.ask.as_json import answer_json
from edu_cli.ask.front.answer_cache import answer_of_passages, remember_answer
from edu_cli.ask.front.answers import front, greeted
from edu_cli.ask.generation.answering import declined, extracted, from_web, general, only_relevant, written
from edu_cli.ask.memory import Talk, fold_older, is_due, new_session_id, recall
from edu_cli.ask.plan.follow_up import is_follow_up, standalone_by_rule
from edu_cli.ask.plan.planning import Planned, Queries, is_general_after_all, needs_llm, plan, queries
from edu_cli.ask.plan.rewrite import standalone_by_llm
from edu_cli.ask.plan.seek import seek
from edu_cli.ask.request import AskRequest, AskTools
from edu_cli.ask.trail import CountedChat, Trail
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.ask.web.wish import asks_for_web
from edu_cli.errors import ChatError, StoreError, UsageError
from edu_cli.protocols import AskRecords
from edu_cli.text import clean
from edu_cli.types import Answer, SearchResult, SessionTurn


def ask(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None = None) -> Answer:
    """Answers one question; `show` is given the answer's text as the LLM writes it.

    1. begin: the conversation; small talk ends here. 2. complete a follow-up; front: an earlier answer, the FAQ.
    3. plan: route and strategy. 4. queries: the strategy's rewrites. 5. seek: passages with a confidence.
    6. decline below the threshold. 7. draft and verify, by the LLM or from the passages' sentences. 8. remember.
    Raises UsageError for an empty question, UnansweredError (with the passages) where the LLM fails.
    """
    turn = _begin(request, tools, show)
    greeting = greeted(turn)
    turn = turn if greeting else _completed(turn)
    try:
        answer = greeting or front(turn) or _reasoned(turn)
    except UnansweredError as error:
        _remember_failure(turn, error)
        raise
    return answer if request.plan else _remember(turn, answer)


def passages_for(request: AskRequest, tools: AskTools) -> tuple[Queries, SearchResult]:
    """What `request.strategy` searches for and what it finds, without front layer, threshold or answer.

    The queries' strategy is `direct` where the one asked for has nothing to rewrite, or lacks its LLM. Raises
    UsageError for an empty question.
    """
    turn = _completed(_begin(request, tools, None))
    wanted = queries(turn, plan(turn).strategy or "direct")
    return wanted, seek(turn, wanted)


def _begin(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None) -> Turn:
    request = replace(request, question=clean(request.question)[0])  # a pasted control code is no part of it
    if not request.question.strip():
        raise UsageError("The question is empty.", hint='edu ask "…", or - to read it from stdin')
    records, tenant = tools.records, request.scope.tenant
    session = request.session
    if request.resume and records:
        session = records.last_session(tenant) or new_session_id()
    talk = recall(records, tenant, session, request.history)
    chat = CountedChat(tools.chat) if tools.chat else None
    return Turn(request, tools, Trail(chat), chat, show, talk, " ".join(request.question.split()))


def _completed(turn: Turn) -> Turn:
    """The turn with its question made standalone, where a conversation went before it."""
    return replace(turn, standalone=_standalone(turn, turn.talk)) if turn.talk.turns else turn


def _standalone(turn: Turn, talk: Talk) -> str:
    """A follow-up as a question of its own; one that needs no context stays as it is."""
    question = turn.standalone
    with turn.trail.step("standalone") as note:
        if not is_follow_up(question):
            note.detail = "complete as it is"
            return question
        try:
            if turn.chat:
                found = standalone_by_llm(question, talk.turns, turn.chat, turn.prompt("standalone"))
            else:
                found = standalone_by_rule(question, talk.turns)
        except ChatError as error:
            turn.trail.warn(f"the follow-up was completed by rule, since the model failed: {error.message}")
            found = standalone_by_rule(question, talk.turns)
        note.detail = found
    return found


def _reasoned(turn: Turn) -> Answer:
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
    """What becomes of a question that the material does not answer: general knowledge, the web, or a refusal."""
    if turn.chat and (planned.route == "general" or is_general_after_all(turn, planned)):
        return general(turn, turn.chat, found.passages)
    web = turn.request.web
    if web or (web is None and asks_for_web(turn.request.question)):
        return from_web(turn, planned, wanted, found)
    return declined(turn, found, planned, wanted, why)


def _remember(turn: Turn, answer: Answer) -> Answer:
    """Keeps the turn, the answer and the trace; a store that cannot be written costs a warning, not the answer."""
    records, session = turn.tools.records, turn.talk.session_id
    if records is None:
        return answer
    try:
        remember_answer(turn, answer)
        if session:
            kept = SessionTurn(turn.request.question, turn.standalone, answer.answer)
            records.add_turn(turn.tenant, session, kept)
            answer = _folded(turn, answer, records, session)
        if turn.tools.settings.ask.traces == "on":
            records.add_trace(turn.tenant, answer_json(answer), _exchanges(turn))
    except StoreError as error:
        return replace(answer, warnings=(*answer.warnings, f"not all was kept: {error.message}"))
    return answer


def _folded(turn: Turn, answer: Answer, records: AskRecords, session: str) -> Answer:
    """The answer with what it cost to fold older turns into the notes on the learner, where there were enough."""
    chat = turn.chat
    if chat is None or not is_due(records, turn.tenant, session):
        return answer
    warnings = answer.warnings
    with turn.trail.step("summary") as note:
        try:
            fold_older(records, turn.tenant, session, chat, turn.prompt("summary"))
            note.detail = "older turns became notes on the learner"
        except ChatError as error:
            note.detail = "failed"
            warnings = (*warnings, f"older turns were not summed up: {error.message}")
    return replace(answer, llm=chat.use, steps=tuple(turn.trail.steps), warnings=warnings)


def _remember_failure(turn: Turn, error: UnansweredError) -> None:
    """Keeps the trace of a question that the LLM failed at; where that fails too, the first failure is what is told."""
    records = turn.tools.records
    if records is None or turn.tools.settings.ask.traces != "on":
        return
    value = answer_json(turn.answer("", route="rag", mode="generated", confidence=0.0, passages=error.passages))
    try:
        records.add_trace(
            turn.tenant, {**value, "error": {"code": error.code, "message": error.message}}, _exchanges(turn)
        )
    except StoreError:
        return


def _exchanges(turn: Turn) -> list[dict[str, object]]:
    said = turn.chat.exchanges if turn.chat else []
    return [
        {"messages": [{"role": m.role, "content": m.content} for m in messages], "reply": reply}
        for messages, reply in said
    ]
