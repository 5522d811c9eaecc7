"""Gates: figures that must not be below a bound, and drops against an earlier report that must not be larger."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.baseline import shared_measures
from edu_cli.evaluate.measures import headline, is_ranking_measure
from edu_cli.evaluate.statistics import paired_p

_CHANCE = 0.05  # a p-value above it is told as what chance may do
_ROUNDING = 1e-6  # figures of a report carry six digits


@dataclass(frozen=True, slots=True)
class Gate:
    """A figure against its bound; `got` None was not computed, which fails. `p` belongs to a comparison."""

    measure: str
    wanted: float
    got: float | None
    ok: bool
    note: str = ""
    p: float | None = None


def parse_bounds(flags: Sequence[str]) -> dict[str, float]:
    """`nDCG@10=0.6` -> its name and bound. Raises UsageError."""
    bounds: dict[str, float] = {}
    for flag in flags:
        name, _, value = flag.rpartition("=")
        try:
            bound = float(value)
        except ValueError:
            bound = math.nan
        if not name.strip() or not math.isfinite(bound):
            raise UsageError(f"--fail-under {flag} is not MEASURE=NUMBER.", hint="as in --fail-under nDCG@10=0.6")
        bounds[name.strip()] = bound
    return bounds


def bound_gates(bounds: Mapping[str, float], figures: Mapping[str, float | None]) -> list[Gate]:
    """A gate for every bound. A figure that could not be computed fails its gate."""
    return [_bound_gate(name, wanted, figures.get(name)) for name, wanted in bounds.items()]


def _bound_gate(name: str, wanted: float, got: float | None) -> Gate:
    if got is None:
        return Gate(name, wanted, None, ok=False, note="could not be computed in this run")
    return Gate(name, wanted, got, ok=got >= wanted - _ROUNDING)


def drop_gates(now: Mapping[str, Any], baseline: Mapping[str, Any], max_drop: float, seed: int) -> list[Gate]:
    """A gate for each measure that the baseline has of the stages that were run; of ranking measures, the headline's.

    The mean over the questions that both reports have must not be more than `max_drop` below the baseline's. A question
    that has a measure in one report only is left out of it. `p` tells how likely a difference of that size is by chance
    (paired randomisation over the questions).
    """
    shared = list(shared_measures(baseline, now).values())
    names = list(dict.fromkeys(name for old, _ in shared for name in old))
    ranking = [name for name in names if is_ranking_measure(name)]
    chosen = {*headline(ranking), *(name for name in names if name not in ranking)}
    stages = now["stages"]
    return [
        _drop_gate(name, shared, max_drop, seed)
        for name in names
        if name in chosen and _stage_of(name, ranking) in stages
    ]


def _stage_of(name: str, ranking: Sequence[str]) -> str:
    if name in ranking:
        return "retrieval"
    return "routing" if name in ("Route", "Strategy") else "generation"


def _drop_gate(
    name: str, shared: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], max_drop: float, seed: int
) -> Gate:
    pairs = [(old[name], new[name]) for old, new in shared if name in old and name in new]
    if not pairs:
        return Gate(name, -max_drop, None, ok=False, note="was not measured in this run")
    before, after = ([pair[i] for pair in pairs] for i in (0, 1))
    old, new = sum(before) / len(pairs), sum(after) / len(pairs)
    p = paired_p(before, after, seed)
    least = max(old - max_drop, 0.0)  # no measure is below 0
    ok = new >= least - _ROUNDING
    chance = "" if ok or p < _CHANCE else "; a difference that chance may make"
    return Gate(name, least, new, ok, f"{len(pairs)} questions, baseline {old:.4f}{chance}", p)
