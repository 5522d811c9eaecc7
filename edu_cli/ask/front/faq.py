"""Question x FAQ entries -> the entry that asks the same, with a probability; near misses are only offered."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edu_cli.ask.front.faq_guard import agrees, same_words
from edu_cli.ask.front.faq_likeness import FEATURES, Usual, Vectors, Words, features, nearest
from edu_cli.ask.verification.terms import plain
from edu_cli.types import FaqRecord

_MODEL = Path(__file__).with_name("faq_model.json")  # written by train/fit_faq.py
_SHORTLIST = 2000  # of a larger FAQ, so many entries by words are compared by vectors
_OFFERED = 2
_GUARDED = 0.5  # what is left of the probability of an entry that something exact tells from the question


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


@dataclass(frozen=True, slots=True)
class FaqEncoder:
    """Vectors of length 1: `question` of a text that is asked now, `entries` of texts that are asked for again."""

    question: Callable[[Sequence[str]], Vectors]
    entries: Callable[[Sequence[str]], Vectors]


def match_faq(question: str, entries: Sequence[FaqRecord], encoder: FaqEncoder | None) -> FaqMatch | None:
    """The nearest entry; None where there is none, or where there is no encoder and no word in common.

    Words decide alone where they can, so that a question asked in an entry's own words loads no model.
    """
    if not entries:
        return None
    model, words = load_model(), Words(entries)
    dice = words.dice(question)
    by_words = sorted(range(len(entries)), key=lambda i: (-dice[i], entries[i].faq_id))
    share, entry = float(dice[by_words[0]]), entries[by_words[0]]
    if share >= model.same_words and same_words(question, entry.question):
        return FaqMatch(entry, round(min(0.99, share), 4), True, (), "words")
    if encoder is None:
        halved = tuple((entries[i], round(float(dice[i]) * 0.5, 4)) for i in by_words[:_OFFERED] if dice[i])
        return FaqMatch(entry, halved[0][1], False, halved, "words") if halved else None
    if len(entries) > _SHORTLIST:
        chosen = sorted(by_words[:_SHORTLIST])
        entries, dice = [entries[i] for i in chosen], dice[chosen]
    similar = encoder.entries([plain(e.question) for e in entries]) @ encoder.question([plain(question)])[0]
    found = []
    for at in nearest(similar, dice, _OFFERED):
        p = model.probability(features(question, entries, words, similar, dice, at, model.usual))
        fits = agrees(question, entries[at].question, entries[at].answer)
        found.append((entries[at], round(p if fits else _GUARDED * min(p, model.accept), 4)))
    best, probability = found[0]
    return FaqMatch(best, probability, probability >= model.accept, tuple(found), "vectors")


@dataclass(frozen=True, slots=True)
class FaqModel:
    """A logistic model of FEATURES, and the bounds for accepting."""

    intercept: float
    weights: tuple[float, ...]
    accept: float
    same_words: float
    usual: Usual

    def probability(self, values: Sequence[float]) -> float:
        """That the entry asks the same as the question."""
        score = self.intercept + sum(w * v for w, v in zip(self.weights, values, strict=True))
        return 1 / (1 + math.exp(-score))


@functools.cache
def load_model() -> FaqModel:
    """The bundled coefficients."""
    raw = json.loads(_MODEL.read_text(encoding="utf-8"))
    weights = tuple(float(raw["weights"][name]) for name in FEATURES)
    usual = Usual(float(raw["next_cosine"]), float(raw["background"]))
    return FaqModel(float(raw["intercept"]), weights, float(raw["accept"]), float(raw["same_words"]), usual)
