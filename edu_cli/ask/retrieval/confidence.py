"""Ordered candidates -> the probability that the passages hold the answer.

A logistic model over features of the whole result, fitted with the right passage removed for half of the questions.
Near its training data the number is a probability; on other material it ranks questions, and `edu eval --calibrate`
fits it anew.
"""

from __future__ import annotations

import numpy as np

from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import Linear
from edu_cli.ask.retrieval.rerank import Order, by_fusion
from edu_cli.settings import SearchSettings

_SEEN = 5  # passages that an answer is drawn from
_CROWD = 9  # passages behind the first: many near-equals mean that none stands out


def confidence(examined: Examined, order: Order, model: Linear) -> float:
    """0..1; 0 without candidates. `model` judges the order of the fusion, also where a reader changed it.

    Only a reader whose probability is a judgement of its own (`Reading.judges`) is believed instead.
    """
    if not len(order.rows):
        return 0.0
    if order.reading is not None and order.reading.judges and order.probabilities is not None:
        return float(order.probabilities.max())
    fused = by_fusion(examined) if order.reranked else order
    return float(1 / (1 + np.exp(-model(confidence_features(examined, fused))[0])))


def calibrated(sure: float, settings: SearchSettings) -> float:
    """The confidence with the project's own correction of its log odds; none by default, and none of certainties."""
    if not 0 < sure < 1 or (settings.confidence_scale, settings.confidence_shift) == (1.0, 0.0):
        return sure
    log_odds = settings.confidence_scale * np.log(sure / (1 - sure)) + settings.confidence_shift
    return float(1 / (1 + np.exp(-log_odds)))


def confidence_features(examined: Examined, order: Order) -> dict[str, float]:
    """What the confidence is judged by, by name: the first passage, the best of the first five, and the question."""
    first, seen = order.rows[0], order.rows[:_SEEN]
    evidence, weighed = examined.evidence, examined.weighed.scores
    features = {f"question_{name}": value for name, value in examined.profile.items()}
    for name in ("best_child", "whole", "coverage", "child_coverage", "heading_asked", "run"):
        column = np.nan_to_num(evidence.column(name))
        features[f"first_{name}"] = float(column[first])
        features[f"seen_{name}"] = float(column[seen].max())
    others = np.delete(weighed, first)
    features["first_score"] = float(weighed[first])
    features["margin"] = float(weighed[first] - others.max(initial=0.0))
    features["crowd"] = float(np.sort(others)[::-1][:_CROWD].mean()) if len(others) else 0.0
    return features
