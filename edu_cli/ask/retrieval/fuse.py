"""Pool -> fused scores, with each leg's share: weights chosen for the question, or reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.asked import Asked
from edu_cli.ask.retrieval.pool import Floats, Pool, minmax
from edu_cli.ask.retrieval.ranking import Linear
from edu_cli.ask.retrieval.retrieve import LEGS
from edu_cli.types import Leg

RRF_K = 60  # Cormack, Clarke and Büttcher, SIGIR 2009
# What is weighed, and the leg that each part's share is shown under. The first three are their legs' own; `whole` is
# the mean of a parent's child vectors, `several` the mean cosine of its best children, `feedback` the best child's
# product with the question moved towards what the legs put first; `held` and `opening` are the question's words in its
# best child and in its first line.
PARTS: Mapping[str, Leg] = {
    "best_child": "dense",
    "words": "bm25",
    "pairs": "sparse",
    "whole": "dense",
    "several": "dense",
    "feedback": "dense",
    "held": "bm25",
    "opening": "bm25",
}
_LEG_PARTS: Mapping[Leg, str] = {"dense": "best_child", "bm25": "words", "sparse": "pairs"}
_AGREE = 10  # hits of two legs that are compared


@dataclass(frozen=True, slots=True)
class Fused:
    """One score 0..1 a parent, and what each leg gave of it (the shares of a row sum to its score)."""

    scores: Floats
    shares: Mapping[Leg, Floats]

    def order(self) -> npt.NDArray[np.intp]:
        """Rows best first; equal scores stay in the pool's order, which is by id."""
        return np.argsort(-self.scores, kind="stable")


def question_profile(pool: Pool, asked: Asked) -> dict[str, float]:
    """What the legs' scores say of a question, from which its weights follow: how high, how peaked, how agreed."""
    profile = {
        "n_words": float(np.log1p(len(asked.words))),
        "n_chars": float(np.log1p(len(asked.folded))),
        "unknown": asked.unknown,
        "rarest": float(asked.weights.max(initial=0.0)),
    }
    for leg in LEGS:
        scores = np.sort(pool.scores[leg][~np.isnan(pool.scores[leg])])[::-1] if leg in pool.scores else np.zeros(0)
        profile |= _peak(leg, scores)
    for one, other in combinations(LEGS, 2):
        profile[f"{one}_{other}"] = _agreement(pool, one, other)
    return profile


def part_weights(
    model: Linear, profile: Mapping[str, float], present: Mapping[str, bool], shifted: Mapping[Leg, float] | None = None
) -> dict[str, float]:
    """The weight of each part for a question: positive, summing to 1 over the parts that are present.

    `shifted` is added to the logits of a leg's parts, where the legs were searched with more than the question.
    """
    logits = np.where([present[part] for part in PARTS], model(profile), -np.inf)
    logits = logits + [(shifted or {}).get(leg, 0.0) for leg in PARTS.values()]
    if not np.isfinite(logits).any():
        return dict.fromkeys(PARTS, 0.0)
    weights = np.exp(logits - logits.max())
    return dict(zip(PARTS, (weights / weights.sum()).tolist(), strict=True))


def leg_parts(pool: Pool) -> dict[str, Floats]:
    """The parts that come from the legs alone, 0..1."""
    return {_LEG_PARTS[leg]: minmax(scores) for leg, scores in pool.scores.items()}


def weigh(parts: Mapping[str, Floats], weights: Mapping[str, float]) -> Fused:
    """The weighted sum of the parts."""
    n_rows = len(next(iter(parts.values()))) if parts else 0
    shares: dict[Leg, Floats] = {}
    for part, values in parts.items():
        leg = PARTS[part]
        shares[leg] = shares.get(leg, np.zeros(n_rows)) + weights[part] * values
    return Fused(sum(shares.values(), np.zeros(n_rows)), shares)


def rrf(pool: Pool) -> Fused:
    """Reciprocal rank fusion over the parents' ranks, scaled so that a parent first in every leg has score 1."""
    best = len(pool.ranks) / (RRF_K + 1)
    shares: dict[Leg, Floats] = {
        leg: np.where(ranks > 0, 1 / (RRF_K + ranks), 0.0) / best for leg, ranks in pool.ranks.items()
    }
    return Fused(sum(shares.values(), np.zeros(len(pool))), shares)


def single(pool: Pool, leg: Leg) -> Fused:
    """One leg's own scores, so that `--mode` shows what the leg itself says."""
    scores = np.nan_to_num(pool.scores[leg], nan=0.0)
    return Fused(scores, {leg: scores})


def _peak(leg: Leg, scores: Floats) -> dict[str, float]:
    if not len(scores):
        return {f"{leg}_top": 0.0, f"{leg}_gap": 0.0, f"{leg}_lead": 0.0, f"{leg}_spread": 0.0}
    tenth = scores[min(_AGREE, len(scores)) - 1]
    span = max(scores[0] - scores[-1], 1e-9)
    return {
        f"{leg}_top": float(scores[0]),
        f"{leg}_gap": float((scores[0] - scores[min(1, len(scores) - 1)]) / span),
        f"{leg}_lead": float((scores[0] - tenth) / span),
        f"{leg}_spread": float(scores.std()),
    }


def _agreement(pool: Pool, one: Leg, other: Leg) -> float:
    """Parents among the first ten of both legs, as a share of ten."""
    if one not in pool.ranks or other not in pool.ranks:
        return 0.0
    first = [(pool.ranks[leg] > 0) & (pool.ranks[leg] <= _AGREE) for leg in (one, other)]
    return float((first[0] & first[1]).sum()) / _AGREE
