"""Ranking measures over one question; their values are those of trec_eval (gain linear in the grade).

`grades` are the grades of the ranks, best rank first (0: not relevant); `wanted` are the grades of all that is
relevant, found or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

Grades = Sequence[int]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's ranking as grades, and the grades of everything that is relevant to it (at least one)."""

    grades: tuple[int, ...]
    wanted: tuple[int, ...]


def ndcg(judged: Judged, k: int) -> float:
    """Discounted gain of the first k ranks, as a share of the best possible."""
    best = sorted((g for g in judged.wanted if g > 0), reverse=True)
    return _dcg(judged.grades[:k]) / _dcg(best[:k])


def recall(judged: Judged, k: int) -> float:
    """Share of what is relevant that stands in the first k ranks."""
    return _relevant(judged.grades[:k]) / _relevant(judged.wanted)


def precision(judged: Judged, k: int) -> float:
    """Share of k that is relevant; a ranking shorter than k counts as filled up with misses."""
    return _relevant(judged.grades[:k]) / k


def reciprocal_rank(judged: Judged, k: int) -> float:
    """1 / the first relevant rank, 0 where it is beyond k."""
    return next((1 / rank for rank, grade in enumerate(judged.grades[:k], start=1) if grade > 0), 0.0)


def average_precision(judged: Judged, k: int) -> float:
    """Mean of the precision at each relevant rank within k, over all that is relevant."""
    found, total = 0, 0.0
    for rank, grade in enumerate(judged.grades[:k], start=1):
        if grade > 0:
            found += 1
            total += found / rank
    return total / _relevant(judged.wanted)


def hit(judged: Judged, k: int) -> float:
    """1 where anything relevant stands in the first k ranks."""
    return float(_relevant(judged.grades[:k]) > 0)


_AT_K: Mapping[str, Callable[[Judged, int], float]] = {
    "nDCG": ndcg,
    "Recall": recall,
    "MRR": reciprocal_rank,
    "P": precision,
    "Hit": hit,
}
_HEADLINE_K = 10


def measure_names(ks: Sequence[int]) -> list[str]:
    """The names of what `measure` gives, as they stand in reports: nDCG@10, …, MAP."""
    return [f"{name}@{k}" for name in _AT_K for k in ks] + ["MAP"]


def measure(judged: Judged, ks: Sequence[int]) -> dict[str, float]:
    """Every measure at every k; MAP over the whole ranking."""
    values = {f"{name}@{k}": compute(judged, k) for name, compute in _AT_K.items() for k in ks}
    return {**values, "MAP": average_precision(judged, len(judged.grades))}


def is_ranking_measure(name: str) -> bool:
    """Whether it is one of these, whatever its k."""
    return name == "MAP" or name.partition("@")[0] in _AT_K


def headline(names: Collection[str]) -> list[str]:
    """The measures that are shown first: each kind at its largest k up to 10 (else its smallest), and MAP."""
    ks = sorted({int(name.split("@")[1]) for name in names if "@" in name})
    k = max([k for k in ks if k <= _HEADLINE_K] or ks[:1], default=_HEADLINE_K)
    return [name for name in [*(f"{kind}@{k}" for kind in _AT_K), "MAP"] if name in names]


def _dcg(grades: Grades) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1) if grade > 0)


def _relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades)
