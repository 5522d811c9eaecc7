"""A small text classifier over hashed character n-grams and, where there is an encoder, a question's vector.

numpy runs it, kilobytes keep it. A fine-tuned network (classifier_bert.py) stands in the same file by its folder.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from edu_cli.ask.verification.terms import plain
from edu_cli.errors import ConfigError

Floats = npt.NDArray[np.floating[Any]]
BUCKETS = 1 << 13
VECTOR_SCALE = (
    0.025  # of a standardised vector beside n-grams of length 1; from here the loss kept out is level (fit_route.py)
)
_LONGEST = 4  # characters of an n-gram
_FORMATS = (1, 2)  # 2 may have joint weights or a network's folder


class TextClassifier(Protocol):
    """Tells texts apart by labels."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted."""
        ...

    def probabilities(self, text: str) -> dict[str, float]:
        """The probability of each label."""
        ...


@dataclass(frozen=True, slots=True)
class Joint:
    """Weights for n-grams and vectors together: `weights` (labels, BUCKETS + dim), vectors of the encoder named so."""

    encoder: str
    weights: Floats
    bias: Floats
    mean: Floats
    spread: Floats

    def scaled(self, vectors: Floats) -> Floats:
        """Vectors (n, dim) as they stand beside n-grams."""
        return (vectors - self.mean) / self.spread * VECTOR_SCALE


@dataclass(frozen=True, slots=True)
class NgramClassifier:
    """Softmax regression; `weights` is (labels, BUCKETS), `bias` (labels). `joint` is used where there is a vector."""

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats
    joint: Joint | None = None

    def probabilities(self, text: str, vector: Floats | None = None) -> dict[str, float]:
        """The probability of each label; `vector` is the text's as a question, by the encoder that `joint` names."""
        buckets, values = ngrams(text)
        if self.joint and vector is not None:
            both = self.joint.weights
            scores = both[:, buckets] @ values + both[:, BUCKETS:] @ self.joint.scaled(vector) + self.joint.bias
        else:
            scores = self.weights[:, buckets] @ values + self.bias
        odds = np.exp(scores - scores.max())
        return {label: float(p) for label, p in zip(self.labels, odds / odds.sum(), strict=True)}

    def save(self, path: Path) -> None:
        """Writes the model as .npz, weights in half precision."""
        more: dict[str, Any] = {}
        if self.joint:
            more = {
                "encoder": np.array([self.joint.encoder]),
                "joint_weights": self.joint.weights.astype(np.float16),
                "joint_bias": self.joint.bias,
                "mean": self.joint.mean,
                "spread": self.joint.spread,
            }
        write_classifier(path, self.labels, weights=self.weights.astype(np.float16), bias=self.bias, **more)


def write_classifier(path: Path, labels: tuple[str, ...], **arrays: npt.NDArray[Any]) -> None:
    """Writes a classifier's file: its format, its labels and what its kind needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        held: dict[str, Any] = {"format": np.array(_FORMATS[-1:]), "labels": np.array(labels), **arrays}
        np.savez_compressed(file, **held)


def load_classifier(path: Path) -> TextClassifier:
    """A saved model of either kind; a network is loaded when it is first asked. Raises ConfigError."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["format"][0]) not in _FORMATS:
                raise ValueError("its format is another one")
            labels = tuple(str(label) for label in file["labels"])
            if "folder" in file:
                from edu_cli.ask.front.classifier_bert import BertClassifier

                return BertClassifier(labels, path.parent / str(file["folder"][0]), str(file["device"][0]))
            joint = None
            if "encoder" in file:
                wide = file["joint_weights"].astype(np.float32)
                joint = Joint(str(file["encoder"][0]), wide, file["joint_bias"], file["mean"], file["spread"])
            return NgramClassifier(labels, file["weights"].astype(np.float32), file["bias"], joint)
    except (OSError, ValueError, KeyError, EOFError, IndexError) as error:
        raise ConfigError(f"{path} is no classifier: {error}.", hint="edu classifier train DATA.jsonl") from error


def ngrams(text: str) -> tuple[npt.NDArray[np.int64], Floats]:
    """Buckets of the n-grams of a text (its ends marked) and their values, of length 1 together."""
    padded = f"^{plain(text)}$"
    found: dict[int, float] = {}
    for size in range(1, _LONGEST + 1):
        for start in range(len(padded) - size + 1):
            bucket = zlib.crc32(padded[start : start + size].encode("utf-8", "surrogatepass")) % BUCKETS
            found[bucket] = 1.0 + math.log1p(size)
    values = np.array(list(found.values()), np.float32)
    return np.array(list(found), dtype=np.int64), values / np.linalg.norm(values)
