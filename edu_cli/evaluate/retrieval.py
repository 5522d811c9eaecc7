"""Questions -> rankings -> measures, for one or several ways of searching."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.items import Grain, Item
from edu_cli.evaluate.measures import Judged, measure
from edu_cli.evaluate.relevance import GRAINS, at_grain, found_at, is_judged, judge, wanted
from edu_cli.evaluate.resume import ResultCache
from edu_cli.protocols import PassageSearch, Progress
from edu_cli.types import Passage, Scope, SearchRequest, SearchResult

DEPTH_PER_K = 5  # parents asked for a rank of the largest k, since several parents may be of one document
LEGS = ("bm25", "dense", "sparse")  # all but the first need vectors
_SNIPPET = 160  # characters of a hit that reports show


@dataclass(frozen=True, slots=True)
class Mode:
    """A row of a comparison: its name in reports and how it searches."""

    name: str
    search: str
    rerank: bool


RERANKED = Mode("hybrid+rerank", "hybrid", True)
MODES = (
    Mode("bm25", "bm25", False),
    Mode("dense", "dense", False),
    Mode("sparse", "sparse", False),
    Mode("hybrid", "hybrid", False),
    RERANKED,
)


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit as reports show it."""

    doc: str
    section: tuple[str, ...]
    page: int | None
    score: float
    snippet: str
    fits: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one way of searching gave for one question. `found` is each relevant entry's position, None if not there.

    `ranking` is of distinct documents with their scores, as deep as was searched; `grains` holds it as judged at each
    grain that the labels name; `found_by` the legs that had the first relevant hit; `reranked` tells whether a
    cross-encoder had a part in it.
    """

    item: Item
    judged: Judged | None
    values: Mapping[str, float]
    found: tuple[int | None, ...]
    hits: tuple[ShownHit, ...]
    confidence: float
    seconds: float
    ranking: tuple[tuple[str, float], ...] = ()
    grains: Mapping[Grain, Judged] = field(default_factory=dict)
    found_by: tuple[str, ...] = ()
    reranked: bool = False


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """How rankings are made: the cutoffs, the modes (the last is the default search) and the scope of a question."""

    ks: tuple[int, ...]
    modes: tuple[Mode, ...]
    scope_of: Callable[[Item], Scope]

    @property
    def depth(self) -> int:
        """Parents asked for."""
        return max(self.ks) * DEPTH_PER_K


def run_retrieval(
    items: Sequence[Item], searcher: PassageSearch, plan: RetrievalPlan, cache: ResultCache, progress: Progress
) -> dict[str, list[Ranked]]:
    """The rankings by mode, in the order of the questions. Raises what the searcher raises, but for unusable questions.

    The default mode is run on every question, the others on the judged ones.
    """
    judged = [item for item in items if is_judged(item)]
    runs: dict[str, list[Ranked]] = {}
    progress.start("search", len(judged) * (len(plan.modes) - 1) + len(items))
    for mode in plan.modes:
        runs[mode.name] = []
        for item in items if mode == plan.modes[-1] else judged:
            key = ("search", mode.name, str(plan.depth), repr(plan.scope_of(item)), repr(item))
            found = cache.get(
                key, lambda item=item, mode=mode: kept_of(item, _searched(item, searcher, mode, plan), plan)
            )
            runs[mode.name].append(ranked_of(item, found, plan.ks))
            progress.advance("search")
    return runs


def _searched(item: Item, searcher: PassageSearch, mode: Mode, plan: RetrievalPlan) -> SearchResult:
    try:
        return searcher.search(
            SearchRequest(item.question, k=plan.depth, mode=mode.search, scope=plan.scope_of(item), rerank=mode.rerank)
        )
    except UsageError:  # a question that cannot be searched has no result, which scores 0
        return SearchResult(item.question, (), 0.0, {})


def kept_of(item: Item, result: SearchResult, plan: RetrievalPlan) -> dict[str, Any]:
    """What is kept of a search, as plain values."""
    passages = result.passages
    found = [found_at(passages, entry) for entry in item.relevant]
    first = min((place for place in found if place is not None), default=None)
    shown = [_shown(passage, i in found) for i, passage in enumerate(passages[: max(plan.ks)], start=1)]
    return {
        "grades": judge(item, passages).grades if is_judged(item) else None,
        "grains": {grain: judge(cut, passages).grades for grain in GRAINS if (cut := at_grain(item, grain))},
        "found": found,
        "found_by": [] if first is None else sorted(passages[first - 1].sources),
        "hits": [asdict(hit) for hit in shown],
        "ranking": _documents(passages),
        "confidence": result.confidence,
        "reranked": any(passage.rerank_score is not None for passage in passages),
        "seconds": result.seconds.get("total", 0.0),
    }


def ranked_of(item: Item, kept: Mapping[str, Any], ks: Sequence[int]) -> Ranked:
    """What was kept of a search, with its measures."""
    judged = None if kept["grades"] is None else Judged(tuple(kept["grades"]), wanted(item))
    cut: dict[Grain, Item | None] = {grain: at_grain(item, grain) for grain in GRAINS if grain in kept["grains"]}
    return Ranked(
        item,
        judged,
        measure(judged, ks) if judged else {},
        tuple(kept["found"]),
        tuple(ShownHit(**{**hit, "section": tuple(hit["section"])}) for hit in kept["hits"]),
        kept["confidence"],
        kept["seconds"],
        tuple((doc, score) for doc, score in kept["ranking"]),
        {grain: Judged(tuple(kept["grains"][grain]), wanted(one)) for grain, one in cut.items() if one},
        tuple(kept["found_by"]),
        kept["reranked"],
    )


def _documents(passages: Sequence[Passage]) -> list[tuple[str, float]]:
    """Distinct documents, best first."""
    best: dict[str, float] = {}
    for passage in passages:
        best.setdefault(passage.doc, passage.score)
    return list(best.items())


def _shown(passage: Passage, fits: bool) -> ShownHit:
    snippet = " ".join(passage.text[: 2 * _SNIPPET].split())[:_SNIPPET]
    return ShownHit(passage.doc, passage.section, passage.page, passage.score, snippet, fits)
