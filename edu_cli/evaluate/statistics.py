"""How sure a mean is: bootstrap intervals, and paired randomisation between two runs. Seeded, so repeatable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 1000
_PERMUTATIONS = 10_000
_BLOCK = 500  # permutations at once, so that memory stays small


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over n questions with its 95% bootstrap interval."""

    mean: float
    low: float
    high: float
    n: int


def means(values: Sequence[Mapping[str, float]], seed: int) -> dict[str, Mean]:
    """The mean of every measure over the questions (each has the same measures); {} without any."""
    if not values:
        return {}
    names = list(values[0])
    table = np.array([[one[name] for name in names] for one in values])
    n = len(values)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES) / n
    low, high = np.percentile(draws @ table, [2.5, 97.5], axis=0)
    mean = table.mean(axis=0)
    return {
        name: Mean(float(mean[i]), min(float(low[i]), float(mean[i])), max(float(high[i]), float(mean[i])), n)
        for i, name in enumerate(names)
    }


def paired_p(before: Sequence[float], after: Sequence[float], seed: int) -> float:
    """Two-sided p-value of the mean difference: how often random signs give one at least as large."""
    difference = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    difference = difference[difference != 0]
    if not len(difference):
        return 1.0
    observed = abs(difference.sum()) - 1e-12
    rng = np.random.default_rng(seed)
    as_large = sum(
        int((np.abs(_signs(rng, len(difference)) @ difference) >= observed).sum())
        for _ in range(_PERMUTATIONS // _BLOCK)
    )
    return (as_large + 1) / (_PERMUTATIONS + 1)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative, ties counting half; None where either is missing."""
    if not positive or not negative:
        return None
    scores = np.concatenate([positive, negative])
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    wins = ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2
    return float(wins / (len(positive) * len(negative)))


def _signs(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    return rng.choice(np.array([-1.0, 1.0]), size=(_BLOCK, n))
