"""Questions -> passages: searched side by side, merged by parent with the questions that hit each."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from edu_cli.ask.plan.planning import Queries
from edu_cli.ask.turn import Turn
from edu_cli.types import Passage, SearchRequest, SearchResult


def seek(turn: Turn, wanted: Queries) -> SearchResult:
    """The passages for a plan's questions; subject, tenant and documents hold for each of them."""
    request, settings = turn.request, turn.tools.settings
    texts = wanted.questions
    k = request.k or settings.ask.passages
    search = turn.tools.search()

    def one(text: str) -> SearchResult:
        return search.search(
            SearchRequest(
                text, k=k, mode=request.mode, scope=request.scope, rerank=request.rerank, passage=wanted.passage
            )
        )

    with turn.trail.step("retrieve") as note:
        if len(texts) == 1:
            found = one(texts[0])
        else:
            with ThreadPoolExecutor(max_workers=len(texts)) as pool:
                found = merged(list(pool.map(one, texts)), k + len(texts) - 1)
        note.detail = f"{len(found.passages)} passages, confidence {found.confidence:.2f}"
    for warning in found.warnings:
        turn.trail.warn(warning)
    return found


def merged(results: Sequence[SearchResult], most: int) -> SearchResult:
    """The results' best in turn, each parent once with the questions that found it; the highest confidence.

    Taken in turn, so that every question keeps a place among the first.
    """
    taken: dict[str, Passage] = {}
    found_by: dict[str, list[str]] = {}
    longest = max((len(result.passages) for result in results), default=0)
    for rank in range(longest):
        for result in results:
            if rank < len(result.passages):
                passage = result.passages[rank]
                taken.setdefault(passage.parent_id, passage)
                found_by.setdefault(passage.parent_id, []).append(result.question)
    kept = list(taken.values())[:most]
    asked = [result.question for result in results]
    passages = tuple(
        replace(p, rank=n, queries=tuple(q for q in asked if q in found_by[p.parent_id])) for n, p in enumerate(kept, 1)
    )
    best = max(results, key=lambda r: r.confidence)
    warnings = tuple(dict.fromkeys(w for r in results for w in r.warnings))
    return replace(best, question=results[0].question, passages=passages, warnings=warnings, parts=tuple(results[1:]))
