"""Question -> answer. The steps are those of the README: each is a function, listed here in order."""

from __future__ import annotations

from collections.abc import Callable

from edu_cli.ask.extract import as_answer, citations_of, extract
from edu_cli.ask.generate import Draft, Grounding, generate
from edu_cli.ask.greeting import read_talks, small_talk
from edu_cli.ask.phrases import NO_LLM, decline, language
from edu_cli.ask.request import AskRequest, AskTools
from edu_cli.ask.trail import CountedChat, Trail
from edu_cli.ask.turn import Turn, UnansweredError
from edu_cli.ask.verify import verify
from edu_cli.errors import ChatError, UsageError
from edu_cli.types import Answer, Passage, SearchResult


def ask(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None = None) -> Answer:
    """Answers one question; `show` is given the answer's text as the LLM writes it.

    1. front: small talk needs no search. 2. retrieve passages. 3. decline below the threshold of confidence.
    4. draft: written by the LLM from the passages, or made of their sentences. 5. verify each sentence.
    Raises UsageError for an empty question, UnansweredError (with the passages) where the LLM fails.
    """
    turn = _begin(request, tools, show)
    if answer := _front(turn):
        return answer
    found = _retrieve(turn)
    if found.confidence < tools.settings.ask.threshold or not found.passages:
        return _decline(turn, found)
    return _extracted(turn, found) if turn.chat is None else _written(turn, found)


def _begin(request: AskRequest, tools: AskTools, show: Callable[[str], None] | None) -> Turn:
    if not request.question.strip():
        raise UsageError("The question is empty.", hint='edu ask "…", or - to read it from stdin')
    chat = CountedChat(tools.chat) if tools.chat else None
    return Turn(request, tools, Trail(), chat, show, " ".join(request.question.split()))


def _front(turn: Turn) -> Answer | None:
    if turn.request.route != "auto":
        return None
    with turn.trail.step("greeting") as note:
        found = small_talk(turn.standalone, read_talks(turn.prompt("smalltalk", ".toml")))
        note.detail = found[0] if found else "no small talk"
    return turn.answer(found[1], route="greeting", mode="template") if found else None


def _retrieve(turn: Turn) -> SearchResult:
    request, settings = turn.request, turn.tools.settings
    k = request.k or settings.ask.passages
    with turn.trail.step("retrieve") as note:
        found = turn.tools.search().search(
            turn.standalone, k=k, mode=request.mode, scope=request.scope, rerank=request.rerank
        )
        note.detail = f"{len(found.passages)} passages, confidence {found.confidence:.2f}"
    for warning in found.warnings:
        turn.trail.warn(warning)
    return found


def _decline(turn: Turn, found: SearchResult) -> Answer:
    text = decline(turn.standalone, found.passages, turn.tools.settings.ask.contact)
    with turn.trail.step("decline") as note:
        note.detail = f"confidence {found.confidence:.2f} is below {turn.tools.settings.ask.threshold:g}"
    return turn.answer(
        text,
        route="rag",
        mode="template",
        refused=True,
        confidence=found.confidence,
        strategy="direct",
        queries=(turn.standalone,),
        passages=found.passages,
    )


def _extracted(turn: Turn, found: SearchResult) -> Answer:
    with turn.trail.step("extract") as note:
        extracts = extract(turn.standalone, found.passages)
        note.detail = f"{len(extracts)} sentences"
    turn.trail.warn(NO_LLM)
    if not extracts:
        return _decline(turn, found)
    return turn.answer(
        as_answer(extracts),
        route="rag",
        mode="extractive",
        confidence=found.confidence,
        strategy="direct",
        queries=(turn.standalone,),
        citations=citations_of(extracts, found.passages),
        passages=found.passages,
    )


def _written(turn: Turn, found: SearchResult) -> Answer:
    draft = _generate(turn, found.passages)
    for warning in draft.warnings:
        turn.trail.warn(warning)
    if draft.refused:
        return _decline(turn, found)
    return _verified(turn, found, draft.text, draft.passages)


def _generate(turn: Turn, passages: tuple[Passage, ...]) -> Draft:
    settings = turn.tools.settings
    assert turn.chat is not None  # noqa: S101 - the caller chose this path
    grounding = Grounding(
        turn.prompt("answer"), settings.ask.context_tokens, settings.llm.temperature, turn.request.history
    )
    with turn.trail.step("generate") as note:
        try:
            draft = generate(turn.standalone, passages, turn.chat, grounding, turn.show)
        except ChatError as error:
            raise UnansweredError(error, passages) from error
        note.detail = f"{turn.chat.model}, prompt answer@{grounding.prompt.version}"
    return draft


def _verified(turn: Turn, found: SearchResult, draft: str, passages: tuple[Passage, ...]) -> Answer:
    with turn.trail.step("verify") as note:
        verified = verify(draft, passages, strict=turn.request.strict, language=language(turn.standalone))
        note.detail = f"{len(verified.citations)} citations, {len(verified.unsupported)} sentences not borne out"
    for warning in verified.warnings:
        turn.trail.warn(warning)
    if not verified.text:
        return _decline(turn, found)
    return turn.answer(
        verified.text,
        route="rag",
        mode="generated",
        confidence=found.confidence,
        strategy="direct",
        queries=(turn.standalone,),
        citations=verified.citations,
        passages=passages,
    )
