"""Questions -> rankings -> measures, for one or several ways of searching."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.measures import Judged, measure
from edu_cli.evaluate.relevance import found_at, is_judged, judge, wanted
from edu_cli.evaluate.resume import ResultCache
from edu_cli.protocols import PassageSearch, Progress
from edu_cli.types import Passage, Scope, SearchResult

DEPTH_PER_K = 5  # parents asked for a rank of the largest k, since several parents may be of one document
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
    """What one mode gave for one question. `found` is each relevant entry's position, None where it is not there."""

    item: Item
    judged: Judged | None
    values: Mapping[str, float]
    found: tuple[int | None, ...]
    hits: tuple[ShownHit, ...]
    confidence: float
    seconds: float


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
            found = cache.get(key, lambda item=item, mode=mode: _ranked(item, searcher, mode, plan))
            runs[mode.name].append(_as_ranked(item, found, plan.ks))
            progress.advance("search")
    return runs


def _ranked(item: Item, searcher: PassageSearch, mode: Mode, plan: RetrievalPlan) -> dict[str, Any]:
    """What is kept of a search, as plain values."""
    try:
        result = searcher.search(
            item.question, k=plan.depth, mode=mode.search, scope=plan.scope_of(item), rerank=mode.rerank
        )
    except UsageError:  # a question that cannot be searched has no result, which scores 0
        result = SearchResult(item.question, (), 0.0, {})
    found = [found_at(result.passages, entry) for entry in item.relevant]
    shown = [_shown(passage, i in found) for i, passage in enumerate(result.passages[: max(plan.ks)], start=1)]
    return {
        "grades": judge(item, result.passages).grades if is_judged(item) else None,
        "found": found,
        "hits": [asdict(hit) for hit in shown],
        "confidence": result.confidence,
        "seconds": result.seconds.get("total", 0.0),
    }


def _as_ranked(item: Item, kept: Mapping[str, Any], ks: Sequence[int]) -> Ranked:
    judged = None if kept["grades"] is None else Judged(tuple(kept["grades"]), wanted(item))
    hits = tuple(ShownHit(**{**hit, "section": tuple(hit["section"])}) for hit in kept["hits"])
    values = measure(judged, ks) if judged else {}
    return Ranked(item, judged, values, tuple(kept["found"]), hits, kept["confidence"], kept["seconds"])


def _shown(passage: Passage, fits: bool) -> ShownHit:
    snippet = " ".join(passage.text[: 2 * _SNIPPET].split())[:_SNIPPET]
    return ShownHit(passage.doc, passage.section, passage.page, passage.score, snippet, fits)
