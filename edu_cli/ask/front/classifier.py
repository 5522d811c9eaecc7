"""A small text classifier over hashed character n-grams: numpy to train and to run, kilobytes to keep."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.ask.verification.terms import plain
from edu_cli.errors import ConfigError, UsageError

Floats = npt.NDArray[np.float64]
BUCKETS = 1 << 13
_LONGEST = 4  # characters of an n-gram
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class NgramClassifier:
    """Softmax regression; `weights` is (labels, BUCKETS), `bias` (labels)."""

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats

    def probabilities(self, text: str) -> dict[str, float]:
        """The probability of each label."""
        buckets, values = ngrams(text)
        scores = self.weights[:, buckets] @ values + self.bias
        odds = np.exp(scores - scores.max())
        return {label: float(p) for label, p in zip(self.labels, odds / odds.sum(), strict=True)}

    def save(self, path: Path) -> None:
        """Writes the model as .npz, weights in half precision."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                format=np.array([_FORMAT]),
                labels=np.array(self.labels),
                weights=self.weights.astype(np.float16),
                bias=self.bias,
            )


def load_classifier(path: Path) -> NgramClassifier:
    """A saved model. Raises ConfigError for a file that is none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["format"][0]) != _FORMAT:
                raise ValueError("its format is another one")
            labels = tuple(str(label) for label in file["labels"])
            return NgramClassifier(labels, file["weights"].astype(np.float64), file["bias"].astype(np.float64))
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
    values = np.array(list(found.values()))
    return np.array(list(found), dtype=np.int64), values / np.linalg.norm(values)


@dataclass(frozen=True, slots=True)
class Training:
    """A trained model and how it did on the part that was kept out: accuracy, macro F1, F1 by label, epochs run."""

    model: NgramClassifier
    accuracy: float
    macro_f1: float
    f1: dict[str, float]
    epochs: int
    trained_on: int
    kept_out: int


def train_classifier(
    rows: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    kept_share: float = 0.15,
    patience: int = 12,
    most_epochs: int = 120,
) -> Training:
    """Trains on (text, label) rows: a stratified part is kept out, and training stops when its loss stops falling.

    Raises UsageError for fewer than two labels or a label with fewer than four texts.
    """
    labels = tuple(sorted({label for _, label in rows}))
    by_label = {label: [text for text, mine in rows if mine == label] for label in labels}
    if len(labels) < 2 or min(map(len, by_label.values())) < 4:
        raise UsageError(
            "A classifier needs at least two labels with four texts each.",
            hint='one object a line: {"text": "…", "label": "course"}',
        )
    rng = np.random.default_rng(seed)
    kept: list[tuple[str, str]] = []
    used: list[tuple[str, str]] = []
    for label in labels:
        order = rng.permutation(len(by_label[label]))
        cut = max(1, round(len(order) * kept_share))
        kept += [(by_label[label][i], label) for i in order[:cut]]
        used += [(by_label[label][i], label) for i in order[cut:]]
    model, epochs = _fit(_matrix(used, labels), _matrix(kept, labels), labels, rng, patience, most_epochs)
    accuracy, f1 = measure(model, kept)
    return Training(model, accuracy, sum(f1.values()) / len(f1), f1, epochs, len(used), len(kept))


def measure(model: NgramClassifier, rows: Sequence[tuple[str, str]]) -> tuple[float, dict[str, float]]:
    """Accuracy and F1 by label on (text, label) rows."""
    pairs = [(max(p, key=lambda k: (p[k], k)), label) for text, label in rows for p in [model.probabilities(text)]]
    f1 = {}
    for label in sorted({label for _, label in rows}):
        hit = sum(a == b == label for a, b in pairs)
        both = sum(a == label for a, _ in pairs) + sum(b == label for _, b in pairs)
        f1[label] = 2 * hit / both if both else 0.0
    return sum(a == b for a, b in pairs) / max(len(pairs), 1), f1


def _matrix(rows: Sequence[tuple[str, str]], labels: Sequence[str]) -> tuple[Floats, Floats]:
    texts = np.zeros((len(rows), BUCKETS))
    for i, (text, _) in enumerate(rows):
        buckets, values = ngrams(text)
        texts[i, buckets] = values
    right = np.array([[float(label == mine) for label in labels] for _, mine in rows])
    return texts, right


def _fit(
    used: tuple[Floats, Floats],
    kept: tuple[Floats, Floats],
    labels: tuple[str, ...],
    rng: np.random.Generator,
    patience: int,
    most_epochs: int,
) -> tuple[NgramClassifier, int]:
    texts, right = used
    weights, bias = np.zeros((len(labels), BUCKETS)), np.zeros(len(labels))
    first, second, step = np.zeros_like(weights), np.zeros_like(weights), 0
    best, best_loss, since, epochs = (weights.copy(), bias.copy()), np.inf, 0, 0
    while epochs < most_epochs and since < patience:
        epochs += 1
        for batch in np.array_split(rng.permutation(len(texts)), max(1, len(texts) // 64)):
            wrong = _softmax(texts[batch] @ weights.T + bias) - right[batch]
            slope, step = wrong.T @ texts[batch] / len(batch) + 1e-5 * weights, step + 1
            first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
            weights -= 0.02 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            bias -= 0.02 * wrong.mean(0)
        loss = float(-(kept[1] * np.log(_softmax(kept[0] @ weights.T + bias) + 1e-12)).sum(1).mean())
        since = 0 if loss < best_loss - 1e-5 else since + 1
        if since == 0:
            best, best_loss = (weights.copy(), bias.copy()), loss
    return NgramClassifier(labels, *best), epochs


def _softmax(scores: Floats) -> Floats:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
