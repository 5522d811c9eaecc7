"""Passages -> answer: written by the LLM or made of their sentences, verified; or an honest refusal."""

from __future__ import annotations

from dataclasses import replace

from edu_cli.ask.generation.context import heading
from edu_cli.ask.generation.extract import as_answer, citations_of, extract_parts
from edu_cli.ask.generation.generate import Draft, Grounding, generate
from edu_cli.ask.generation.phrases import NO_LLM, decline, language
from edu_cli.ask.plan.planning import Planned, Queries
from edu_cli.ask.plan.strategy import split_question
from edu_cli.ask.trail import CountedChat
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.ask.verification.verify import verify
from edu_cli.ask.web import search_web
from edu_cli.errors import ChatError, StoreError
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
        route="rag",
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
        extracts = extract_parts(turn.standalone, split_question(turn.standalone), found.passages)
        note.detail = f"{len(extracts)} pieces"
    if not extracts:
        return declined(turn, found, planned, wanted, "no sentence answers the question")
    turn.trail.warn(NO_LLM)
    return turn.answer(
        as_answer(extracts),
        route="rag",
        mode="extractive",
        confidence=found.confidence,
        kind=planned.kind,
        strategy=wanted.strategy,
        queries=wanted.questions,
        citations=citations_of(extracts, found.passages),
        passages=found.passages,
    )


def written(turn: Turn, chat: CountedChat, found: SearchResult, planned: Planned, wanted: Queries) -> Answer:
    """The LLM's answer, verified; declined where the model finds none in the passages. Raises UnansweredError."""
    draft = _drafted(turn, chat, found.passages)
    for warning in draft.warnings:
        turn.trail.warn(warning)
    if draft.refused:
        return declined(turn, found, planned, wanted, f"{chat.model} found no answer in the passages")
    with turn.trail.step("verify") as note:
        verified = verify(draft.text, draft.passages, strict=turn.request.strict, language=language(turn.standalone))
        note.detail = f"{len(verified.citations)} citations, {len(verified.unsupported)} sentences not borne out"
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


def _drafted(turn: Turn, chat: CountedChat, passages: tuple[Passage, ...]) -> Draft:
    settings = turn.tools.settings
    prompt = turn.prompt("answer")
    summary = f"关于学习者：{turn.talk.summary}" if turn.talk.summary else ""
    grounding = Grounding(prompt, settings.ask.context_tokens, settings.llm.temperature, turn.talk.messages(), summary)
    with turn.trail.step("generate") as note:
        note.detail = f"{chat.model}, prompt answer@{prompt.version}"
        try:
            return generate(turn.standalone, passages, chat, grounding, turn.show)
        except ChatError as error:
            raise UnansweredError(error, passages) from error


def general(turn: Turn, chat: CountedChat) -> Answer:
    """An answer from the model's own knowledge, said to be so. Raises ChatError."""
    prompt = turn.prompt("general")
    messages = [Message("system", prompt.text), *turn.talk.messages()[-6:], Message("user", turn.standalone)]
    text = ""
    with turn.trail.step("generate") as note:
        note.detail = f"{chat.model}, prompt general@{prompt.version}"
        for piece in chat.stream(messages, temperature=turn.tools.settings.llm.temperature):
            if isinstance(piece, ChatReply):
                text = piece.text
            elif turn.show:
                turn.show(piece)
    turn.trail.warn("answered from the model's general knowledge, not from the material")
    return turn.answer(text, route="general", mode="generated")


def from_web(turn: Turn, planned: Planned, wanted: Queries, found: SearchResult) -> Answer:
    """An answer from the web, marked as such and cited; declined where it has none. Raises WebError, ConfigError."""
    settings = turn.tools.settings
    with turn.trail.step("web") as note:
        passages = search_web(turn.standalone, settings.ask.web_url, turn.request.k or settings.ask.passages)
        note.detail = f"{len(passages)} results"
    if not passages:
        return declined(turn, found, planned, wanted, "neither the material nor the web has an answer")
    turn.trail.warn("the material has no reliable answer: this one is from the web")
    beyond = replace(found, passages=passages)
    if turn.chat:
        answer = written(turn, turn.chat, beyond, planned, wanted)
    else:
        answer = extracted(turn, beyond, planned, wanted)
    return answer if answer.refused else replace(answer, route="web")
