"""Question x sentences -> the numbers by which extractive answers are chosen; all cheap, none needs a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.generation.question_type import KINDS, asked_kind, focus, has_kind, matter
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question's matter with the weight of each of its grams among the sentences, and the heaviest of them."""

    text: str
    grams: frozenset[str]
    kind: str
    noun: str
    weights: Mapping[str, float]
    rarest: Sequence[str]

    def share(self, found: frozenset[str]) -> float:
        """The weight of the question's grams that are among those found, as a share of all of its weight."""
        return sum(self.weights[g] for g in self.grams & found) / (sum(self.weights.values()) or 1.0)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, the `place`th (from 0) of the `size` of its passage, with the grams of its neighbours there."""

    text: str
    grams: frozenset[str]
    title: frozenset[str]
    passage: int
    place: int
    size: int
    before: frozenset[str]
    after: frozenset[str]


def features(question: str, sentences: Sequence[str], passages: Sequence[int], titles: Sequence[str]) -> Features:
    """One row a sentence, columns NAMES. `passages`: the sentences' passage numbers (from 1), ascending."""
    said = _standing(sentences, passages, titles)
    asked = _asked(question, [one.grams for one in said])
    rows = [[*_likeness(asked, one), *_look(one), *_fitness(asked, one)] for one in said]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(NAMES))


def _asked(question: str, bags: Sequence[frozenset[str]]) -> _Asked:
    text = plain(question)
    about = matter(text)
    wanted = grams(about)
    weights = _weights(wanted, bags)
    rarest = sorted(wanted, key=lambda g: (-weights[g], g))[:3]
    return _Asked(about, wanted, asked_kind(text), focus(text), weights, rarest)


def _standing(sentences: Sequence[str], passages: Sequence[int], titles: Sequence[str]) -> list[_Said]:
    bags, title_bags, sizes = [grams(text) for text in sentences], [grams(title) for title in titles], Counter(passages)
    said: list[_Said] = []
    for i, (text, bag, n) in enumerate(zip(sentences, bags, passages, strict=True)):
        place = said[-1].place + 1 if said and said[-1].passage == n else 0
        before = bags[i - 1] if place else frozenset()
        after = bags[i + 1] if place + 1 < sizes[n] else frozenset()
        said.append(_Said(plain(text), bag, title_bags[n - 1], n, place, sizes[n], before, after))
    return said


def _likeness(asked: _Asked, said: _Said) -> list[float]:
    """How much of the question it says."""
    return [
        asked.share(said.grams),
        asked.share(said.grams | said.title),
        max((asked.share(grams(part)) for part in _CLAUSE.split(said.text) if part), default=0.0),
        asked.share(said.before - said.grams),
        asked.share(said.after - said.grams),
        sum(g in said.grams for g in asked.rarest) / max(len(asked.rarest), 1),
        _longest_run(asked.text, said.text) / max(len(asked.text), 1),
        float(len(asked.grams) > 0 and asked.grams <= said.grams),
    ]


def _look(said: _Said) -> list[float]:
    """Where it stands and what it looks like, whatever is asked."""
    return [
        float(said.passage == 1),
        1.0 / said.passage,
        float(said.place == 0),
        said.place / said.size,
        math.log1p(len(said.text)) / 5,
        float(len(said.text) < 10),
        float(said.text.endswith(("?", "？"))),
        float(not re.search(r"[。！？!?.；;]\W*$", said.text)),
    ]


def _fitness(asked: _Asked, said: _Said) -> list[float]:
    """Whether it says something new, of the kind that is asked for."""
    return [
        min(len(said.grams - asked.grams - said.title), 20) / 20,
        float(bool(asked.noun) and asked.noun in said.text),
        float(bool(said.grams) and said.grams <= said.title),
        float(asked.kind in ("number", "when") and bool(re.search(r"\d", said.text))),
        float(bool(said.grams) and said.grams <= asked.grams),
        *(float(kind == asked.kind and has_kind(kind, said.text)) for kind in KINDS if kind != "other"),
        *(float(asked.kind == kind and said.place == 0) for kind in ("define", "name", "who")),
    ]


def _weights(wanted: frozenset[str], bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each gram of the question is among these sentences: what all of them share tells none apart."""
    return {g: math.log(1 + (len(bags) + 1) / (1 + sum(g in bag for bag in bags))) for g in wanted}


def _longest_run(question: str, text: str) -> int:
    """The length of the longest stretch of the question that stands in the text."""
    best = 0
    for start in range(len(question)):
        while start + best < len(question) and question[start : start + best + 1] in text:
            best += 1
    return best
