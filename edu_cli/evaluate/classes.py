"""Labels against predictions: accuracy, precision, recall and F1 a class, and the confusion table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_DIGITS = 6


def classification(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The figures of (wanted, got) pairs (at least one). Macro F1 is over the classes that are wanted anywhere."""
    labels = sorted({wanted for wanted, _ in pairs} | {got for _, got in pairs})
    confusion = {w: {g: n for g in labels if (n := pairs.count((w, g)))} for w in labels}
    classes = {label: _one_class(pairs, label) for label in labels}
    wanted = [label for label in labels if classes[label]["n"]]
    return {
        "n": len(pairs),
        "accuracy": round(sum(w == g for w, g in pairs) / len(pairs), _DIGITS),
        "macro_f1": round(sum(classes[label]["f1"] for label in wanted) / len(wanted), _DIGITS),
        "classes": classes,
        "confusion": {label: row for label, row in confusion.items() if row},
    }


def _one_class(pairs: Sequence[tuple[str, str]], label: str) -> dict[str, float]:
    wanted = sum(w == label for w, _ in pairs)
    got = sum(g == label for _, g in pairs)
    right = sum(w == g == label for w, g in pairs)
    return {
        "n": wanted,
        "precision": round(right / got, _DIGITS) if got else 0.0,
        "recall": round(right / wanted, _DIGITS) if wanted else 0.0,
        "f1": round(2 * right / (wanted + got), _DIGITS) if right else 0.0,
    }
