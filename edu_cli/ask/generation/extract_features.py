"""Question x sentences -> the numbers by which extractive answers are chosen; all cheap, none needs a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from edu_cli.ask.generation.question_type import KINDS, asked_kind, focus, has_kind
from edu_cli.ask.verification.terms import grams, plain

Features = npt.NDArray[np.float64]
_CLAUSE = re.compile(r"[，,；;：:（）()]")
_BASE = (
    "coverage", "coverage_with_title", "clause", "before", "after", "rarest", "run", "whole_question",
    "first_passage", "rank", "opening", "place", "log_chars", "very_short", "is_question", "no_end", "fresh", "focus",
    "title_only", "has_number_asked", "repeats",
)  # fmt: skip
NAMES = (
    *_BASE,
    *(f"has_{kind}" for kind in KINDS if kind != "other"),
    *(f"opening_{kind}" for kind in ("define", "name", "who")),
)


def features(question: str, sentences: Sequence[str], passages: Sequence[int], titles: Sequence[str]) -> Features:
    """One row a sentence, columns NAMES. `passages`: the sentences' passage numbers (from 1), ascending."""
    asked = plain(question)
    wanted, kind, noun = grams(question), asked_kind(asked), focus(asked)
    said = [plain(text) for text in sentences]
    bags = [grams(text) for text in sentences]
    weights = _weights(wanted, bags)
    total = sum(weights.values()) or 1.0
    title_bags = [grams(title) for title in titles]
    rarest = sorted(wanted, key=lambda g: (-weights[g], g))[:3]
    rows = []
    opening: dict[int, int] = {}
    sizes = Counter(passages)
    for i, (text, bag, n) in enumerate(zip(said, bags, passages, strict=True)):
        first = opening.setdefault(n, i)
        title = title_bags[n - 1]
        cover = _share(wanted & bag, weights, total)
        same = [j for j in (i - 1, i + 1) if 0 <= j < len(said) and passages[j] == n]
        around = {j - i: _share(wanted & (bags[j] - bag), weights, total) for j in same}
        row = [
            cover,
            _share(wanted & (bag | title), weights, total),
            max((_share(wanted & grams(part), weights, total) for part in _CLAUSE.split(text) if part), default=0.0),
            around.get(-1, 0.0),
            around.get(1, 0.0),
            sum(g in bag for g in rarest) / max(len(rarest), 1),
            _longest_run(asked, text) / max(len(asked), 1),
            float(len(wanted) > 0 and wanted <= bag),
            float(n == 1),
            1.0 / n,
            float(i == first),
            (i - first) / sizes[n],
            math.log1p(len(text)) / 5,
            float(len(text) < 10),
            float(text.endswith(("?", "？"))),
            float(not re.search(r"[。！？!?.；;]\W*$", text)),
            min(len(bag - wanted - title), 20) / 20,
            float(bool(noun) and noun in text),
            float(bool(bag) and bag <= title),
            float(kind in ("number", "when") and bool(re.search(r"\d", text))),
            float(bool(bag) and bag <= wanted),
        ]
        row += [float(k == kind and has_kind(k, text)) for k in KINDS if k != "other"]
        row += [float(kind == k and i == first) for k in ("define", "name", "who")]
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(NAMES))


def _weights(wanted: frozenset[str], bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each gram of the question is among these sentences: what all of them share tells none apart."""
    return {g: math.log(1 + (len(bags) + 1) / (1 + sum(g in bag for bag in bags))) for g in wanted}


def _share(found: frozenset[str], weights: dict[str, float], total: float) -> float:
    return sum(weights[g] for g in found) / total


def _longest_run(question: str, text: str) -> int:
    """The length of the longest stretch of the question that stands in the text."""
    best = 0
    for start in range(len(question)):
        while start + best < len(question) and question[start : start + best + 1] in text:
            best += 1
    return best
