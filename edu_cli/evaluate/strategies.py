"""What each way of rewriting a question finds: the rows of `--compare strategies`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.relevance import is_judged
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import Ranked, RetrievalPlan, kept_of, ranked_of
from edu_cli.protocols import Progress
from edu_cli.types import SearchResult

STRATEGIES = ("direct", "hyde", "multi-query", "step-back", "auto")  # auto is what `edu ask` chooses for each question


@dataclass(frozen=True, slots=True)
class Sought:
    """What a strategy found, and whether it had more to search for than the question as it stands."""

    result: SearchResult
    rewritten: bool


Seek = Callable[[Item, str, int], Sought]


@dataclass(frozen=True, slots=True)
class StrategyTools:
    """`seek` searches by the named strategy for so many parents; `missing` tells which cannot run here, and why."""

    seek: Seek
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StrategyRun:
    """A strategy's rankings of the judged questions, and how many of these it rewrote; `missing` why it did not run."""

    run: Sequence[Ranked]
    rewritten: int
    missing: str = ""


def run_strategies(
    items: Sequence[Item], tools: StrategyTools, plan: RetrievalPlan, cache: ResultCache, progress: Progress
) -> dict[str, StrategyRun]:
    """The rankings by strategy. One that is missing is not run: it would only search for the question as it stands."""
    judged = [item for item in items if is_judged(item)]
    progress.start("strategies", len(judged) * (len(STRATEGIES) - len(tools.missing)))
    found: dict[str, StrategyRun] = {}
    for name in STRATEGIES:
        if name in tools.missing:
            found[name] = StrategyRun((), 0, tools.missing[name])
            continue
        kept = []
        for item in judged:
            key = ("strategy", name, str(plan.depth), repr(plan.scope_of(item)), repr(item))
            kept.append(cache.get(key, lambda item=item, name=name: _kept(item, name, tools.seek, plan)))
            progress.advance("strategies")
        run = [ranked_of(item, one, plan.ks) for item, one in zip(judged, kept, strict=True)]
        found[name] = StrategyRun(run, sum(one["rewritten"] for one in kept))
    return found


def _kept(item: Item, strategy: str, seek: Seek, plan: RetrievalPlan) -> dict[str, Any]:
    try:
        sought = seek(item, strategy, plan.depth)
    except UsageError:  # a question that cannot be searched has no result, which scores 0
        sought = Sought(SearchResult(item.question, (), 0.0, {}), rewritten=False)
    return {**kept_of(item, sought.result, plan), "rewritten": sought.rewritten}
