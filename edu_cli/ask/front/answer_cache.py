"""Earlier answers: of the same question on the same corpus before a search, and from the same passages after it.

The second key needs a search but no LLM: an ingest that leaves a question's passages as they were costs no new answer,
and one that changes any of them does, since the ids of passages are hashes of their texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from edu_cli import __version__
from edu_cli.ask.as_json import answer_json
from edu_cli.text import content_id, fold
from edu_cli.types import Citation, Passage

if TYPE_CHECKING:
    from edu_cli.ask.turn import Turn
    from edu_cli.types import Answer, SearchResult


def answer_of_corpus(turn: Turn) -> Answer | None:
    """The answer to the same question on the corpus as it is; None without one."""
    found = _cached(turn, _corpus_key(turn), "an earlier answer")
    return _restored(turn, found) if found else None


def answer_of_passages(turn: Turn, found: SearchResult) -> Answer | None:
    """The LLM's answer to the same question from the same passages; None without one, or without an LLM to save."""
    if turn.chat is None:
        return None
    turn.trail.passages_key = _passages_key(turn, found)
    kept = _cached(turn, turn.trail.passages_key, "the same passages as before")
    return replace(_restored(turn, kept), confidence=found.confidence) if kept else None


def remember_answer(turn: Turn, answer: Answer) -> None:
    """Keeps an answer for the same question again: one from the material, without doubts, and of nobody's own talk."""
    records = turn.tools.records
    if records is None or not _may_cache(turn) or answer.route != "rag" or answer.refused:
        return
    if turn.chat and (turn.talk.turns or turn.talk.summary):
        return  # the model has read a conversation, which is not for others
    if any(citation.support != "supported" for citation in answer.citations):
        return
    value = answer_json(answer)
    records.cache(turn.tenant, _corpus_key(turn), records.corpus(), value)
    if turn.trail.passages_key:
        records.cache(turn.tenant, turn.trail.passages_key, "", value)


def _may_cache(turn: Turn) -> bool:
    return turn.tools.records is not None and turn.request.cache and turn.request.route == "auto"


def _cached(turn: Turn, key: str, told: str) -> Mapping[str, Any] | None:
    records = turn.tools.records
    if records is None or not _may_cache(turn):
        return None
    with turn.trail.step("cache") as note:
        found = records.cached(turn.tenant, key)
        note.detail = told if found else "nothing"
    return found


def _corpus_key(turn: Turn) -> str:
    request, records = turn.request, turn.tools.records
    docs = ",".join(sorted(request.scope.doc_ids)) if request.scope.doc_ids is not None else "all"
    return content_id(
        records.corpus() if records else "",
        f"{request.scope.subject}/{docs}",
        f"{request.mode}/{request.k}/{request.rerank}/{request.strategy}",
        repr(turn.tools.settings.search),
        _made_by(turn),
    )


def _passages_key(turn: Turn, found: SearchResult) -> str:
    return content_id("passages", *(passage.parent_id for passage in found.passages), _made_by(turn))


def _made_by(turn: Turn) -> str:
    """All but the passages that an answer depends on: question, model and its settings, prompt, version."""
    ask, llm = turn.tools.settings.ask, turn.tools.settings.llm
    return content_id(
        fold(turn.standalone),
        f"{turn.request.strict}/{ask.threshold}/{ask.passages}/{ask.context_tokens}/{ask.grade}/{ask.grade_passages}",
        f"{llm.model}/{llm.base_url}/{llm.temperature}/{llm.max_tokens}" if turn.chat else "extractive",
        turn.prompt("answer").version,
        __version__,
    )


def _restored(turn: Turn, value: Mapping[str, Any]) -> Answer:
    passages = tuple(
        Passage(
            p["n"], p["score"], p["doc"], p["doc"], tuple(p["section"]), p["page"], "", p["parent_id"], "", "",
            p["text"], p["text"], {}, queries=tuple(p["queries"]),
        )
        for p in value["passages"]
    )  # fmt: skip
    citations = tuple(Citation(**{**c, "section": tuple(c["section"])}) for c in value["citations"])
    return turn.answer(
        value["answer"],
        route="cache",
        mode="cached",
        confidence=value["confidence"],
        kind=value["kind"],
        strategy=value["strategy"],
        queries=tuple(value["queries"]),
        citations=citations,
        passages=passages,
    )
