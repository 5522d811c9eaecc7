"""Question x FAQ entries -> how alike they are: by words weighed by rarity, by vectors beside the other entries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.verification import facts
from edu_cli.ask.verification.terms import grams, letters, plain
from edu_cli.types import FaqRecord

Vectors = npt.NDArray[np.float32]
FEATURES = (
    "cosine",  # of the two questions
    "margin",  # to the next entry
    "lead",  # of the cosine over the ten next entries'
    "background",  # the mean cosine of all entries, which differs between fields
    "lacks_name",  # a Latin term of the question stands neither in the entry nor in its answer
    "covered",  # the share of the question's characters, by rarity, that the entry has
    "new",  # the share of the question that stands neither in the entry nor in its answer
)
# Left out after a try: whether both ask for a person or a time, and what of the entry the question lacks. Without them
# epidemic-med has .69 right at 10% false accepts instead of .58 by the coefficients of lcqmc-open.
_ANSWER_CHARS = 1500
_NEXT = 10  # entries that a lead is measured over
_MANY = 50  # entries that a background needs; fewer are filled up with a usual one
_BY_WORDS = 0.1  # weight of shared words beside the cosine, for choosing an entry


@dataclass(frozen=True, slots=True)
class Usual:
    """What cosines usually are where an FAQ has too few entries to tell: with the ten next entries, with all."""

    next_cosine: float
    background: float


class Words:
    """The entries' words and how rare they are; `dice` is the share that a question has in common with each."""

    def __init__(self, entries: Sequence[FaqRecord]) -> None:
        self._bags = [grams(entry.question) for entry in entries]
        self._pairs = _rarity(self._bags)
        self._single = _rarity([letters(entry.question) for entry in entries])
        self._n = len(entries)

    def dice(self, question: str) -> npt.NDArray[np.float64]:
        """Twice the shared weight over both, for each entry."""
        asked = grams(question)
        mine = sum(map(self._pair, asked))
        return np.array(
            [2 * sum(map(self._pair, asked & bag)) / (mine + sum(map(self._pair, bag)) or 1.0) for bag in self._bags]
        )

    def compared(self, question: str, entry: FaqRecord) -> list[float]:
        """The last two FEATURES."""
        asked, known = letters(question), letters(entry.question)
        answered = letters(entry.answer[:_ANSWER_CHARS])
        return [self._share(asked & known, asked), self._share(asked - known - answered, asked)]

    def _share(self, part: frozenset[str], whole: frozenset[str]) -> float:
        return sum(map(self._letter, part)) / (sum(map(self._letter, whole)) or 1.0)

    def _pair(self, gram: str) -> float:
        return _weight(self._pairs[gram], self._n)

    def _letter(self, letter: str) -> float:
        return _weight(self._single[letter], self._n)


def _rarity(bags: Sequence[frozenset[str]]) -> Counter[str]:
    return Counter(gram for bag in bags for gram in bag)


def _weight(found: int, n: int) -> float:
    return math.log(1 + (n + 1) / (found + 0.5))


def nearest(similar: Vectors, dice: npt.NDArray[np.float64], most: int) -> list[int]:
    """Positions of the likeliest entries, best first; equal ones in the order given."""
    return [int(i) for i in np.argsort(-(similar + _BY_WORDS * dice), kind="stable")[:most]]


def features(
    question: str,
    entries: Sequence[FaqRecord],
    words: Words,
    similar: Vectors,
    dice: npt.NDArray[np.float64],
    at: int,
    usual: Usual,
) -> list[float]:
    """The FEATURES of the question and the entry at `at`; `similar` and `dice` are of all entries."""
    entry, others = entries[at], np.sort(np.delete(similar, at))[::-1]
    both = similar + _BY_WORDS * dice
    rival = float(np.delete(both, at).max()) if len(both) > 1 else usual.next_cosine
    next_mean = (others[:_NEXT].sum() + usual.next_cosine * max(0, _NEXT - len(others))) / _NEXT
    background = (similar.sum() + usual.background * max(0, _MANY - len(similar))) / max(_MANY, len(similar))
    known = plain(f"{entry.question} {entry.answer}")
    return [
        float(similar[at]),
        float(both[at]) - rival,
        float(similar[at] - next_mean),
        float(background),
        float(any(name not in known for name in facts.names(question))),
        *words.compared(question, entry),
    ]
