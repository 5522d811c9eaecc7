"""Whether a confidence of 0.8 is right in 8 of 10 cases, and the correction that makes it so on this material.

The correction is Platt's: the log odds are scaled and shifted. It is fitted on one half of the questions and shown on
the other. Questions whose answer is absent are needed as much as others, so half of the questions are asked again with
the documents of their answer hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.evaluate.retrieval import Ranked

_BINS = 10
_DRAWS = 200
_EDGE = 1e-6  # a confidence of exactly 0 or 1 has no finite log odds
_DIGITS = 6

_RIDGE = 1e-3  # keeps the step finite where all confidences are alike
_STILL = 1e-9

Pair = tuple[float, bool]
Floats = npt.NDArray[np.float64]


def pairs_of(run: Sequence[Ranked], passages: int) -> list[Pair]:
    """The confidence of each labelled question, and whether an answer stands in the first `passages` hits."""
    return [
        (one.confidence, any(place is not None and place <= passages for place in one.found))
        for one in run
        if one.judged is not None or one.item.answerable is False
    ]


def reliability(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Expected calibration error, and for each tenth of confidence how often it was right. Zeros without pairs.

    `chance` is the error that these confidences would show in the mean if each were exactly right: with 50 questions
    some .14, with 250 .06, with 2,000 .02. An error near it leaves nothing to correct.
    """
    bins = []
    error = 0.0
    for i in range(_BINS):
        inside = [p for p in pairs if min(int(p[0] * _BINS), _BINS - 1) == i]
        if inside:
            sure = sum(p[0] for p in inside) / len(inside)
            right = sum(p[1] for p in inside) / len(inside)
            error += len(inside) / len(pairs) * abs(sure - right)
            bins.append(
                {
                    "low": i / _BINS,
                    "high": (i + 1) / _BINS,
                    "n": len(inside),
                    "confidence": round(sure, _DIGITS),
                    "right": round(right, _DIGITS),
                }
            )
    return {"n": len(pairs), "ece": round(error, _DIGITS), "chance": round(_chance(pairs), _DIGITS), "bins": bins}


def _chance(pairs: Sequence[Pair]) -> float:
    """The mean error over drawn outcomes of which each confidence is the true probability."""
    if not pairs:
        return 0.0
    sure = np.array([p[0] for p in pairs])
    tenth = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    draws = np.random.default_rng(0).random((_DRAWS, len(sure))) < sure
    gaps = np.stack([np.abs((draws[:, tenth == b] - sure[tenth == b]).sum(axis=1)) for b in set(tenth.tolist())])
    return float(gaps.sum(axis=0).mean() / len(sure))


def calibrate(pairs: Sequence[Pair], seed: int) -> dict[str, Any] | None:
    """Fits on one half; the reliability before and after on the other. None where either half lacks right or wrong."""
    order = np.random.default_rng(seed).permutation(len(pairs))
    fitting, held = ([pairs[i] for i in part] for part in (order[::2], order[1::2]))
    if any(len({right for _, right in part}) < 2 for part in (fitting, held)):
        return None
    scale, shift = fit(fitting)
    after = [(corrected(sure, scale, shift), right) for sure, right in held]
    return {
        "scale": round(scale, _DIGITS),
        "shift": round(shift, _DIGITS),
        "fitted_on": len(fitting),
        "before": reliability(held),
        "after": reliability(after),
    }


def corrected(confidence: float, scale: float, shift: float) -> float:
    """The confidence with its log odds scaled and shifted."""
    return float(1 / (1 + np.exp(-(scale * _log_odds(np.array([confidence]))[0] + shift))))


def fit(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Scale and shift of greatest likelihood, by Newton's method with Platt's smoothed targets.

    The scale is kept above 0: a correction may flatten the confidence but never turn its order round.
    """
    x = _log_odds(np.array([sure for sure, _ in pairs]))
    right = np.array([float(r) for _, r in pairs])
    n_right, n_wrong = right.sum(), len(right) - right.sum()
    target = np.where(right > 0, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))
    features = np.stack([x, np.ones_like(x)], axis=1)
    start = np.array([1.0, 0.0])
    weights = start

    def loss(w: Floats) -> float:
        z = features @ w
        return float((np.logaddexp(0, z) - target * z).sum() + _RIDGE / 2 * ((w - start) ** 2).sum())

    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (p - target) + _RIDGE * (weights - start)
        hessian = (features * (p * (1 - p))[:, None]).T @ features + _RIDGE * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        before = loss(weights)
        while loss(weights - step) > before and np.abs(step).max() > _STILL:
            step = step / 2  # where the curve is nearly flat, a whole step leaps over the least
        weights = weights - step
        if np.abs(step).max() < _STILL:
            break
    return max(float(weights[0]), 0.01), float(weights[1])


def _log_odds(confidence: Floats) -> Floats:
    p = np.clip(confidence, _EDGE, 1 - _EDGE)
    return np.log(p / (1 - p))
