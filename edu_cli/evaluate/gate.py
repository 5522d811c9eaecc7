"""Gates: figures that must not be below a bound, and drops against an earlier report that must not be larger."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.nearest import nearest
from edu_cli.evaluate.statistics import paired_p


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
    """A gate for every bound. A name that the report has not fails its gate and says what is nearest."""
    gates = []
    for name, wanted in bounds.items():
        got = figures.get(name)
        ok = got is not None and got >= wanted - 1e-12
        gates.append(Gate(name, wanted, got, ok, "" if got is not None else _absent(name, figures)))
    return gates


def drop_gates(
    now: Mapping[str, Any], baseline: Mapping[str, Any], max_drop: float, measures: Sequence[str], seed: int
) -> list[Gate]:
    """For each measure, the mean over the questions that both reports have must not be `max_drop` below the baseline's.

    `p` tells how likely a difference of that size is by chance (paired randomisation over the questions).
    """
    before, after = _per_question(baseline), _per_question(now)
    shared = [ident for ident in after if ident in before]
    gates = []
    for name in measures:
        pairs = [(before[i][name], after[i][name]) for i in shared if name in before[i] and name in after[i]]
        if not pairs:
            gates.append(Gate(name, -max_drop, None, False, "the baseline has no question in common with this run"))
            continue
        old, new = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        p = paired_p([a for a, _ in pairs], [b for _, b in pairs], seed)
        note = f"{len(pairs)} questions, baseline {old:.4f}"
        gates.append(Gate(name, old - max_drop, new, new >= old - max_drop - 1e-12, note, p))
    return gates


def _absent(name: str, figures: Mapping[str, float | None]) -> str:
    known = [other for other, value in figures.items() if value is not None]
    if name in figures:
        return "could not be computed"
    return f"no such figure; did you mean {nearest(name, known)}?" if known else "no such figure"


def _per_question(report: Mapping[str, Any]) -> dict[str, Mapping[str, float]]:
    return {str(row["id"]): row.get("measures", {}) for row in report.get("per_question", ())}
