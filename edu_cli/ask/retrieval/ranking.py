"""The fitted numbers of retrieval, one set an encoder, in ranking.json.

bench/fit_search.py writes what is weighed, bench/fit_confidence.py the confidences.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_CLIP = 2.5  # standard deviations: an odd question gets the weights of the oddest seen, not wilder ones


@dataclass(frozen=True, slots=True)
class Linear:
    """Named features -> one or more numbers: standardised, clipped, times `weights` (features + 1 rows, bias last)."""

    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    weights: Floats

    def __call__(self, values: Mapping[str, Any]) -> Floats:
        """The outputs for features that are numbers, or arrays of one length (then a row each)."""
        if not self.names:
            return self.weights[-1]
        columns = np.stack([np.asarray(values[name], np.float64) for name in self.names], axis=-1)
        standard = np.clip((np.nan_to_num(columns) - self.mean) / self.scale, -_CLIP, _CLIP)
        return standard @ self.weights[:-1] + self.weights[-1]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What is fitted: the weights of the parts for a question (as logits), and the confidence.

    `read_confidence` is the one where a reader that does not judge by itself has read the first passages.
    """

    parts: Linear
    confidence: Linear
    read_confidence: Linear


@functools.cache
def ranking_for(encoder: str | None) -> Ranking:
    """The numbers for an encoder's name; `other` for one that none were fitted for, `none` without an encoder."""
    fitted = json.loads(Path(__file__).with_name("ranking.json").read_text(encoding="utf-8"))["encoders"]
    name = "none" if encoder is None else encoder if encoder in fitted else "other"
    return Ranking(**{part: _linear(raw) for part, raw in fitted[name].items()})


def as_json(linear: Linear) -> dict[str, Any]:
    """A Linear as ranking.json keeps it, with numbers cut to what matters."""
    rounded = {key: np.round(getattr(linear, key), 5).tolist() for key in ("mean", "scale", "weights")}
    return {"names": list(linear.names), **rounded}


def _linear(raw: Mapping[str, Any]) -> Linear:
    mean, scale, weights = (np.array(raw[key], np.float64) for key in ("mean", "scale", "weights"))
    return Linear(tuple(raw["names"]), mean, scale, weights)
