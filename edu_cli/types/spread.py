"""How long many runs of one thing took, in two figures."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple


class Spread(NamedTuple):
    """Median and 95th percentile by nearest rank, so that each is a value that was measured; 0 where nothing was."""

    p50: float
    p95: float


def spread_of(values: Collection[float]) -> Spread:
    """In the values' own unit."""
    ordered = sorted(values)
    p50, p95 = (ordered[math.ceil(len(ordered) * percent / 100) - 1] if ordered else 0.0 for percent in (50, 95))
    return Spread(p50, p95)
