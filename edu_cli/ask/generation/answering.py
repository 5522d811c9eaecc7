"""Passages -> answer: written by the LLM or made of their sentences, verified; or an honest refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edu_cli.ask.generation.context import heading
from edu_cli.ask.generation.correct import write
from edu_cli.ask.generation.extract import as_answer, citations_of, extract_parts
from edu_cli.ask.generation.grade import relevant
from edu_cli.ask.generation.outline import is_list, outlined
from edu_cli.ask.generation.phrases import NO_LLM, decline, unanswered
from edu_cli.ask.plan.planning import Planned, Queries
from edu_cli.ask.plan.strategy import MOST_PARTS, split_question, stands_alone, things_compared
from edu_cli.ask.trail import CountedChat
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.ask.web.wish import as_passages, without_request
from edu_cli.errors import ChatError, ConfigError, StoreError, WebError
from edu_cli.types import Answer, ChatReply, Message, Passage, SearchResult

_NEAREST = 3


def declined(turn: Turn, found: SearchResult, planned: Planned, wanted: Queries, why: str) -> Answer:
    """No grounded answer: the nearest sections, whom to ask, and the question queued for a teacher."""
    ask = turn.tools.settings.ask
    with turn.trail.step("decline") as note:
        note.detail = why
        pending_id = None
        if turn.tools.records is not None:
            places = [heading(p) for p in found.passages[:_NEAREST]]
            scope = turn.request.scope
            sure = round(found.confidence, 4)
            try:
                pending_id = turn.tools.records.queue_pending(
                    scope.tenant, scope.subject or "", turn.standalone, sure, places
                )
            except StoreError as error:  # the refusal stands all the same
                turn.trail.warn(f"the question was not kept for a teacher: {error.message}")
    return turn.answer(
        decline(turn.standalone, found.passages, ask.contact),
        route=planned.route,
        mode="template",
        refused=True,
        confidence=found.confidence,
        kind=planned.kind,
        strategy=wanted.strategy,
        queries=wanted.questions,
        passages=found.passages,
        pending_id=pending_id,
    )


def extracted(turn: Turn, found: SearchResult, planned: Planned, wanted: Queries) -> Answer:
    """Sentences of the passages, verbatim; declined where none answers."""
    with turn.trail.step("extract") as note:
        question = turn.standalone
        reads = turn.tools.reader if turn.request.rerank and turn.request.mode == "hybrid" else None
        things = things_compared(question)
        reader, parts = reads() if reads else None, split_question(question)[:MOST_PARTS]
        is_apart = not things and all(map(stands_alone, (*parts, *(part.question for part in found.parts))))
        orders, missing = _searched_parts(turn, found) if is_apart else ({}, [])
        extracts = extract_parts(question, parts, found.passages, things, reader, orders)
        if turn.tools.outline and not things and not any(is_list(one.text) for one in extracts):
            listed = outlined(question, found.passages, turn.tools.outline)
            extracts = [listed] if listed else extracts
        note.detail = f"{len(extracts)} pieces"
    if not extracts:
        return declined(turn, found, planned, wanted, "no sentence answers the question")
    turn.trail.warn(NO_LLM)
    return turn.answer(
        "\n".join([as_answer(extracts), *([unanswered(question, missing)] if missing else [])]),
        route="rag",
        mode="extractive",
        confidence=found.confidence,
        kind=planned.kind,
        strategy=wanted.strategy,
        queries=wanted.questions,
        citations=citations_of(extracts, found.passages),
        passages=found.passages,
    )


def _searched_parts(turn: Turn, found: SearchResult) -> tuple[dict[str, list[int]], list[str]]:
    """The parts of a question that are likely to be answered, each with the numbers of its passages; and the rest.

    Nothing where the question was not split, or where no part is likely by itself.
    """
    numbers = {passage.parent_id: n for n, passage in enumerate(found.passages, 1)}
    likely = [part for part in found.parts if part.confidence >= turn.tools.settings.ask.threshold]
    orders = {p.question: [numbers[one.parent_id] for one in p.passages if one.parent_id in numbers] for p in likely}
    return orders, [part.question for part in found.parts if part not in likely] if likely else []


def only_relevant(turn: Turn, chat: CountedChat, found: SearchResult) -> SearchResult:
    """The passages that the LLM finds helpful; all of them where it fails, which is told."""
    with turn.trail.step("relevance") as note:
        try:
            kept = relevant(turn.standalone, found.passages, chat, turn.prompt("relevance"))
            failure = "" if kept is not None else "the model's choice cannot be read"
        except ChatError as error:
            kept, failure = None, error.message
        if kept is None:
            turn.trail.warn(f"the passages were not graded: {failure}")
            return found
        note.detail = f"{len(kept)} of {len(found.passages)} passages help"
    return replace(found, passages=tuple(found.passages[n - 1] for n in kept))


def written(
    turn: Turn, chat: CountedChat, found: SearchResult, planned: Planned, wanted: Queries, *, can_search: bool = True
) -> Answer:
    """The LLM's answer, verified; declined where the model finds none in the passages. Raises UnansweredError.

    `can_search` False: the passages are not the material's, so that another search of it would be no correction.
    """
    attempt = write(turn, chat, found, wanted, can_search=can_search)
    draft, verified, found, wanted = attempt.draft, attempt.verified, attempt.found, attempt.wanted
    for warning in draft.warnings:
        turn.trail.warn(warning)
    if verified is None:
        return declined(turn, found, planned, wanted, f"{chat.model} found no answer in the passages")
    for warning in verified.warnings:
        turn.trail.warn(warning)
    if not verified.text:
        return declined(turn, found, planned, wanted, "the passages bear out no sentence of the answer")
    return turn.answer(
        verified.text,
        route="rag",
        mode="generated",
        confidence=found.confidence,
        kind=planned.kind,
        strategy=wanted.strategy,
        queries=wanted.questions,
        citations=verified.citations,
        passages=draft.passages,
    )


def general(turn: Turn, chat: CountedChat, nearest: Sequence[Passage] = ()) -> Answer:
    """An answer from the model's own knowledge, said to be so. Raises UnansweredError with the `nearest` passages."""
    text = ""
    with turn.trail.step("generate") as note:
        prompt, learner = turn.prompt("general"), turn.learner()
        system = f"{prompt.text}\n\n{learner}" if learner else prompt.text
        messages = [Message("system", system), *turn.talk.messages()[-6:], Message("user", turn.standalone)]
        note.detail = f"{chat.model}, prompt general@{prompt.version}"
        try:
            for piece in chat.stream(messages, temperature=turn.tools.settings.llm.temperature):
                if isinstance(piece, ChatReply):
                    text = piece.text
                elif turn.show:
                    turn.show(piece)
        except ChatError as error:
            raise UnansweredError(error, nearest) from error
    turn.trail.warn("answered from the model's general knowledge, not from the material")
    return turn.answer(text, route="general", mode="generated")


def from_web(turn: Turn, planned: Planned, wanted: Queries, found: SearchResult) -> Answer | None:
    """An answer from the web, marked as such and cited; None, with the reason told, where nothing was found there.

    Raises ConfigError where `--web` asks for it and nothing is configured, or its tool is not there.
    """
    web, k = turn.tools.web, turn.request.k or turn.tools.settings.ask.passages
    if web is None:
        if turn.request.web:
            raise ConfigError("No web search is configured.", hint="set EDU_WEB_SEARCH_URL or EDU_WEB_MCP")
        turn.trail.warn("the question allows the web, but no search is configured (EDU_WEB_SEARCH_URL, EDU_WEB_MCP)")
        return None
    with turn.trail.step("web") as note:
        try:
            passages = as_passages(web.search(without_request(turn.standalone), k), k)
        except WebError as error:
            turn.trail.warn(error.message)
            return None
        finally:
            note.detail = web.name
        note.detail = f"{web.name}, {len(passages)} results"
    if not passages:
        return None
    turn.trail.warn("the material has no reliable answer: this one is from the web")
    beyond = replace(found, passages=passages)
    if turn.chat:
        answer = written(turn, turn.chat, beyond, planned, wanted, can_search=False)
    else:
        answer = extracted(turn, beyond, planned, wanted)
    return answer if answer.refused else replace(answer, route="web")
