"""Question x FAQ entries -> the entry that asks the same, with a probability; near misses are only offered."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.ask.generation.question_type import asked_kind
from edu_cli.ask.verification import facts, numerals, polarity
from edu_cli.ask.verification.terms import grams, plain
from edu_cli.types import FaqRecord

Vectors = npt.NDArray[np.float32]
_MODEL = Path(__file__).with_name("faq_model.json")  # written by train/fit_faq.py
_SHORTLIST = 30  # entries compared by vectors, so that a large FAQ costs no large encoding
_OFFERED = 2


@dataclass(frozen=True, slots=True)
class FaqMatch:
    """The entry nearest to a question; it answers where it is `accepted`. `nearest` holds the likeliest, best first."""

    entry: FaqRecord
    probability: float
    accepted: bool
    nearest: tuple[tuple[FaqRecord, float], ...]
    how: str

    def offers(self, least: float) -> tuple[FaqRecord, ...]:
        """The near misses, to be offered as "did you mean": those of a probability of at least `least`."""
        return () if self.accepted else tuple(entry for entry, p in self.nearest if p >= least)


def match_faq(
    question: str, entries: Sequence[FaqRecord], encode: Callable[[Sequence[str]], Vectors] | None
) -> FaqMatch | None:
    """The nearest entry; None where none shares anything with the question.

    Words decide alone where they can, so that a question asked in an entry's own words loads no model; `encode` gives
    vectors of length 1 and is None where there is no encoder.
    """
    ranked = shortlist(question, entries)
    if not ranked:
        return None
    model = load_model()
    share, entry = ranked[0]
    if share >= model.same_words and agrees(question, entry.question):
        return FaqMatch(entry, round(min(0.99, share), 4), True, (), "words")
    if encode is None:
        halved = tuple((e, round(share * 0.5, 4)) for share, e in ranked[:_OFFERED])
        return FaqMatch(entry, halved[0][1], False, halved, "words")
    vectors = encode([question, *(e.question for _, e in ranked)])
    nearest = _likeliest(question, [e for _, e in ranked], vectors[1:] @ vectors[0])
    best, probability = nearest[0]
    accepted = probability >= model.accept and agrees(question, best.question)
    return FaqMatch(best, probability, accepted, nearest, "vectors")


def _likeliest(
    question: str, entries: Sequence[FaqRecord], similar: npt.NDArray[np.float32]
) -> tuple[tuple[FaqRecord, float], ...]:
    """The most similar entries with their probabilities; a later one's margin, to the first, is negative."""
    model, order = load_model(), np.argsort(-similar, kind="stable")
    found = []
    for i in order[:_OFFERED]:
        rival = order[1 if i == order[0] else 0] if len(order) > 1 else None
        margin = model.lone_margin if rival is None else float(similar[i] - similar[rival])
        entry = entries[int(i)]
        found.append(
            (entry, round(model.probability(float(similar[i]), margin, _same_kind(question, entry.question)), 4))
        )
    return tuple(found)


def shortlist(question: str, entries: Sequence[FaqRecord]) -> list[tuple[float, FaqRecord]]:
    """The entries that share the most with the question, (Dice share of the grams weighed by rarity, entry)."""
    asked = grams(question)
    bags = [grams(entry.question) for entry in entries]
    found = Counter(g for bag in bags for g in bag)
    weight = {g: math.log(1 + (len(bags) + 1) / (found[g] + 0.5)) for g in {*asked, *found}}
    mine = sum(weight[g] for g in asked)
    scored = []
    for entry, bag in zip(entries, bags, strict=True):
        shared = sum(weight[g] for g in asked & bag)
        if shared or len(entries) <= _SHORTLIST:
            scored.append((2 * shared / (mine + sum(weight[g] for g in bag) or 1.0), entry))
    scored.sort(key=lambda pair: (-pair[0], pair[1].faq_id))
    return scored[:_SHORTLIST]


def agrees(question: str, other: str) -> bool:
    """Whether two questions name the same numbers and Latin terms and deny the same: "第3章" is never "第4章"."""
    mine, theirs = plain(question), plain(other)
    return (
        _values(mine) == _values(theirs)
        and not facts.names(question) ^ facts.names(other)
        and polarity.negations(mine) % 2 == polarity.negations(theirs) % 2
        and not polarity.opposed(mine, theirs)
    )


def _values(text: str) -> list[float]:
    return sorted(
        n.value for n in numerals.numbers(text) if text[n.start : n.end] not in ("一下", "一个", "一些", "一种")
    )


def _same_kind(question: str, other: str) -> float:
    return float(asked_kind(plain(question)) == asked_kind(plain(other)))


@dataclass(frozen=True, slots=True)
class FaqModel:
    """A logistic model of (cosine, margin to the second, same kind of question), and the bounds for accepting."""

    intercept: float
    cosine: float
    margin: float
    kind: float
    accept: float
    same_words: float
    lone_margin: float

    def probability(self, cosine: float, margin: float, same_kind: float) -> float:
        """That the entry asks the same as the question."""
        score = self.intercept + self.cosine * cosine + self.margin * margin + self.kind * same_kind
        return 1 / (1 + math.exp(-score))


@functools.cache
def load_model() -> FaqModel:
    """The bundled coefficients."""
    raw = json.loads(_MODEL.read_text(encoding="utf-8"))
    return FaqModel(**{name: float(raw[name]) for name in FaqModel.__dataclass_fields__})
