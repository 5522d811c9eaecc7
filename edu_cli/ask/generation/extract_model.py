"""Pieces of passages -> how likely each is the one that answers: the fitted numbers of extract_model.json.

train/fit_extract.py writes that file. Features that need no model score all pieces; where a cross-encoder reads, it is
shown the likeliest of them, and a second set of coefficients weighs what it says beside the same features.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.ask.generation.choose import Rule
from edu_cli.ask.generation.extract_features import NAMES, Features
from edu_cli.ask.retrieval.reading import log_odds
from edu_cli.protocols import Reranker

Floats = npt.NDArray[np.float64]
MODEL_FILE = Path(__file__).with_name("extract_model.json")
CLOSE = 12  # pieces that are read: the right one is among them as often as among 20, to .01
READ_CHARS = 300  # of a piece with its heading; some 60 tokens are usual, and 5 ms


@dataclass(frozen=True, slots=True)
class Model:
    """A linear score per piece, made a probability over all of a question's pieces, and how many are taken."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    rule: Rule

    def scores(self, rows: Features) -> Floats:
        """One score a row of features."""
        return (rows - np.array(self.mean)) / np.array(self.scale) @ np.array(self.weights)


@functools.cache
def load_model() -> Model:
    """The coefficients of the features alone."""
    return _model(_stored()["alone"], len(NAMES))


@functools.cache
def reading_model(reader: str) -> Model | None:
    """Those of the features and the log odds of a reader, by its name; None where none were fitted for it."""
    stored = _stored()["readers"]
    return _model(stored[reader], len(NAMES) + 1) if reader in stored else None


def closest(scores: Floats) -> list[int]:
    """The pieces that a reader is shown: the CLOSE likeliest, best first."""
    return np.argsort(-scores, kind="stable")[:CLOSE].tolist()


def read_odds(reader: Reranker, question: str, headings: Sequence[str], pieces: Sequence[str]) -> Floats:
    """The log odds that a reader gives each piece under its heading. Raises what its scoring raises."""
    shown = [f"{heading}\n{piece}".strip()[:READ_CHARS] for heading, piece in zip(headings, pieces, strict=True)]
    return log_odds(reader.score(question, shown))


def _model(raw: Mapping[str, Any], n_weights: int) -> Model:
    mean, scale, weights = (tuple(raw[name]) for name in ("mean", "scale", "weights"))
    if len(weights) != n_weights:
        raise ValueError(f"{MODEL_FILE.name} was fitted for other features; run train/fit_extract.py")
    return Model(mean, scale, weights, Rule(**raw["rule"]))


def _stored() -> dict[str, Any]:
    raw = json.loads(MODEL_FILE.read_text(encoding="utf-8"))
    if raw["names"] != list(NAMES):
        raise ValueError(f"{MODEL_FILE.name} was fitted for other features; run train/fit_extract.py")
    return raw
