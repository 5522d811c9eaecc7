"""Labelled questions -> a classifier, trained with early stopping on a stratified part that is kept out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.front.classifier import BUCKETS, VECTOR_SCALE, Floats, Joint, NgramClassifier, TextClassifier, ngrams
from edu_cli.errors import UsageError

Rows = Sequence[tuple[str, str]]
KEPT_SHARE = 0.15
_BATCH = 64
_STEP = 0.02
_SMALLEST = 1e-6  # of a spread


@dataclass(frozen=True, slots=True)
class Training:
    """How training went: figures on the part that was kept out (accuracy, macro F1, F1 by label), epochs run."""

    model: TextClassifier
    accuracy: float
    macro_f1: float
    f1: dict[str, float]
    epochs: int
    trained_on: int
    kept_out: int


@dataclass(frozen=True, slots=True)
class Split:
    """Positions of the rows that train, and of those kept out; as many of each label as its share of all."""

    labels: tuple[str, ...]
    used: tuple[int, ...]
    kept: tuple[int, ...]


def stratified(rows: Rows, rng: np.random.Generator, kept_share: float = KEPT_SHARE) -> Split:
    """Splits by lot. Raises UsageError for fewer than two labels or a label with fewer than four texts."""
    labels = tuple(sorted({label for _, label in rows}))
    places = {label: [i for i, (_, mine) in enumerate(rows) if mine == label] for label in labels}
    if len(labels) < 2 or min(map(len, places.values())) < 4:
        raise UsageError(
            "A classifier needs at least two labels with four texts each.",
            hint='one object a line: {"text": "…", "label": "course"}',
        )
    used: list[int] = []
    kept: list[int] = []
    for label in labels:
        order = [places[label][i] for i in rng.permutation(len(places[label]))]
        cut = max(1, round(len(order) * kept_share))
        kept += order[:cut]
        used += order[cut:]
    return Split(labels, tuple(used), tuple(kept))


def train_classifier(
    rows: Rows,
    *,
    seed: int = 0,
    vectors: Floats | None = None,
    encoder: str = "",
    patience: int = 12,
    most_epochs: int = 120,
) -> Training:
    """Trains on (text, label) rows until the loss on what is kept out stops falling.

    With `vectors`, (rows, dim) of the texts as questions by the encoder of that name, the model gets weights for them
    too and the figures are of both together. Raises UsageError as `stratified` does.
    """
    rng = np.random.default_rng(seed)
    split = stratified(rows, rng)
    texts = _matrix([text for text, _ in rows])
    right = np.array([[float(label == mine) for label in split.labels] for _, mine in rows], np.float32)
    weights, bias, epochs = _fit(texts, right, split, rng, patience, most_epochs)
    joint = None
    if vectors is not None:
        mean, spread = vectors.mean(0), np.maximum(vectors.std(0), _SMALLEST)
        both = np.hstack([texts, ((vectors - mean) / spread * VECTOR_SCALE).astype(np.float32)])
        wide, wide_bias, epochs = _fit(both, right, split, rng, patience, most_epochs)
        joint = Joint(encoder, wide, wide_bias, mean, spread)
    model = NgramClassifier(split.labels, weights, bias, joint)
    accuracy, f1 = measure(model, [rows[i] for i in split.kept], None if vectors is None else vectors[list(split.kept)])
    return Training(model, accuracy, sum(f1.values()) / len(f1), f1, epochs, len(split.used), len(split.kept))


def measure(model: TextClassifier, rows: Rows, vectors: Floats | None = None) -> tuple[float, dict[str, float]]:
    """Accuracy and F1 by label on (text, label) rows; `vectors` of the texts for a model that uses them."""
    found = []
    for i, (text, _) in enumerate(rows):
        if isinstance(model, NgramClassifier):
            found.append(model.probabilities(text, None if vectors is None else vectors[i]))
        else:
            found.append(model.probabilities(text))
    return scores([max(p, key=lambda k: (p[k], k)) for p in found], [label for _, label in rows])


def scores(guessed: Sequence[str], labels: Sequence[str]) -> tuple[float, dict[str, float]]:
    """Accuracy and F1 by label."""
    f1 = {}
    for label in sorted(set(labels)):
        hit = sum(a == b == label for a, b in zip(guessed, labels, strict=True))
        both = guessed.count(label) + labels.count(label)
        f1[label] = 2 * hit / both if both else 0.0
    return sum(a == b for a, b in zip(guessed, labels, strict=True)) / max(len(labels), 1), f1


def _matrix(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    found = np.zeros((len(texts), BUCKETS), np.float32)
    for i, text in enumerate(texts):
        buckets, values = ngrams(text)
        found[i, buckets] = values
    return found


def _fit(
    texts: npt.NDArray[np.float32],
    right: npt.NDArray[np.float32],
    split: Split,
    rng: np.random.Generator,
    patience: int,
    most_epochs: int,
) -> tuple[Floats, Floats, int]:
    """Weights (labels, features), bias (labels) and epochs run: Adam, the epoch with the least loss on what is kept."""
    used, kept = np.array(split.used), list(split.kept)
    held, held_right = texts[kept], right[kept]
    weights, bias = np.zeros((right.shape[1], texts.shape[1]), np.float32), np.zeros(right.shape[1], np.float32)
    first, second, step = np.zeros_like(weights), np.zeros_like(weights), 0
    best, best_loss, since, epochs = (weights.copy(), bias.copy()), np.inf, 0, 0
    while epochs < most_epochs and since < patience:
        epochs += 1
        for part in np.array_split(rng.permutation(len(used)), max(1, len(used) // _BATCH)):
            batch = used[part]
            wrong = _softmax(texts[batch] @ weights.T + bias) - right[batch]
            slope, step = wrong.T @ texts[batch] / len(batch) + 1e-5 * weights, step + 1
            first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
            weights -= _STEP * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            bias -= _STEP * wrong.mean(0)
        loss = float(-(held_right * np.log(_softmax(held @ weights.T + bias) + 1e-12)).sum(1).mean())
        since = 0 if loss < best_loss - 1e-5 else since + 1
        if since == 0:
            best, best_loss = (weights.copy(), bias.copy()), loss
    return best[0], best[1], epochs


def _softmax(values: Floats) -> Floats:
    odds = np.exp(values - values.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
