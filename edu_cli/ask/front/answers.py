"""What answers a question before anything is searched: small talk, an earlier answer, the FAQ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edu_cli import __version__
from edu_cli.ask.as_json import answer_json
from edu_cli.ask.front.faq import match_faq
from edu_cli.ask.front.greeting import read_talks, small_talk
from edu_cli.ask.turn import Turn
from edu_cli.text import content_id, fold
from edu_cli.types import Answer, Citation, Passage


def front(turn: Turn) -> Answer | None:
    """The answer that costs no search, None where there is none. `--route rag` and `general` pass the front by."""
    if turn.request.route in ("rag", "general"):
        return None
    greeted = _greeting(turn) if turn.request.route == "auto" else None
    return greeted or _from_cache(turn) or _from_faq(turn)


def _greeting(turn: Turn) -> Answer | None:
    with turn.trail.step("greeting") as note:
        found = small_talk(turn.request.question, read_talks(turn.prompt("smalltalk", ".toml")))
        note.detail = found[0] if found else "no small talk"
    return turn.answer(found[1], route="greeting", mode="template") if found else None


def _from_cache(turn: Turn) -> Answer | None:
    records = turn.tools.records
    if records is None or not turn.request.cache or turn.request.route != "auto":
        return None
    with turn.trail.step("cache") as note:
        found = records.cached(turn.tenant, cache_key(turn))
        note.detail = "an earlier answer" if found else "nothing"
    return _restored(turn, found) if found else None


def remember_answer(turn: Turn, answer: Answer) -> None:
    """Keeps an answer for the same question again: one from the material, without doubts, made from this corpus."""
    records = turn.tools.records
    usable = answer.route == "rag" and not answer.refused and turn.request.route == "auto"
    if records is None or not usable or not turn.request.cache:
        return
    if all(citation.support == "supported" for citation in answer.citations):
        records.cache(turn.tenant, cache_key(turn), records.corpus(), answer_json(answer))


def cache_key(turn: Turn) -> str:
    """Depends on all that an answer depends on: question, corpus, filters, search, model, prompt."""
    request, records = turn.request, turn.tools.records
    docs = ",".join(sorted(request.scope.doc_ids)) if request.scope.doc_ids is not None else "all"
    return content_id(
        fold(turn.standalone),
        records.corpus() if records else "",
        f"{request.scope.subject}/{docs}",
        f"{request.mode}/{request.k}/{request.rerank}/{request.strategy}/{request.strict}",
        f"{turn.chat.model if turn.chat else 'extractive'}/{turn.tools.settings.ask.threshold}",
        turn.prompt("answer").version,
        __version__,
    )


def _restored(turn: Turn, value: Mapping[str, Any]) -> Answer:
    passages = tuple(
        Passage(
            p["n"], p["score"], p["doc"], p["doc"], tuple(p["section"]), p["page"], "", p["parent_id"], "", "",
            p["text"], p["text"], {},
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


def _from_faq(turn: Turn) -> Answer | None:
    records, scope = turn.tools.records, turn.request.scope
    if records is None or scope.doc_ids is not None:
        return None
    with turn.trail.step("faq") as note:
        entries = records.faq(scope.tenant, scope.subject)
        found = match_faq(turn.standalone, entries, turn.tools.encode) if entries else None
        note.detail = (
            f"{found.entry.question} ({found.probability:.2f} by {found.how})" if found else f"{len(entries)} entries"
        )
    if not found:
        return None
    if not found.accepted:
        turn.trail.near_faq = found.offers(turn.tools.settings.ask.faq_offer)
        return None
    value = {"id": found.entry.faq_id, "question": found.entry.question, "probability": found.probability}
    return turn.answer(found.entry.answer, route="faq", mode="faq", confidence=found.probability, faq=value)
