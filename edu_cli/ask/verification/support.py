"""Claim x passage -> how well the passage bears the claim out, and by which sentences. Offline and exact."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

from edu_cli.ask.verification.contradict import contradiction
from edu_cli.ask.verification.numerals import canonical
from edu_cli.ask.verification.polarity import bounds
from edu_cli.ask.verification.terms import coverage, grams, letters, plain
from edu_cli.text import cjk_share, sentences

Level = Literal["supported", "weak", "unsupported"]
LEVELS: tuple[Level, ...] = ("unsupported", "weak", "supported")

# Chosen by bench/verify.py on the halves of tests/data/claims.json that are not kept; the kept one gives the figures.
SUPPORTED_FROM = 0.62
WEAK_FROM = 0.34
_PAIRS = 0.65  # the weight of pairs of characters; single ones have the rest, which other words for the same share
_WINDOW = 3  # sentences that may bear out one claim together
_CHINESE, _FOREIGN = (
    0.5,
    0.15,
)  # shares of Chinese characters: a text of one kind cannot be compared with one of the other


@dataclass(frozen=True, slots=True)
class Support:
    """A claim's standing: level, share of its grams found, the sentences that hold them, what speaks against it."""

    level: Level
    score: float
    quote: str
    reason: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """For choosing the best of several."""
        return LEVELS.index(self.level), self.score


def support(claim: str, passage: str, heading: str = "") -> Support:
    """How well `passage` (with what its headings say) bears out `claim`."""
    quote, score = _best_window(claim, passage, heading)
    against = contradiction(claim, passage, quote, heading)
    if against:
        return Support("unsupported", score, quote, against)
    if score >= SUPPORTED_FROM:
        return Support("supported", score, quote)
    if score >= WEAK_FROM:
        return Support("weak", score, quote, "only part of it stands in the passage")
    if quote and _in_two_languages(claim, quote):
        return Support("weak", score, quote, "the passage is in another language; only numbers and names were compared")
    return Support("unsupported", score, quote, "the passage does not say so")


def _in_two_languages(claim: str, quote: str) -> bool:
    low, high = sorted((cjk_share(claim), cjk_share(quote)))
    return low <= _FOREIGN and high >= _CHINESE


def _best_window(claim: str, passage: str, heading: str) -> tuple[str, float]:
    spans = _sentences(passage)
    claim, heading = _canonical(claim), _canonical(heading)
    pairs, single = grams(claim), letters(claim)
    best, best_score, best_size = "", -1.0, 0
    for first in range(len(spans)):
        held_pairs, held_single = grams(heading), letters(heading)
        for size in range(1, min(_WINDOW, len(spans) - first) + 1):
            start, end = spans[first + size - 1]
            sentence = _canonical(passage[start:end])
            held_pairs, held_single = held_pairs | grams(sentence), held_single | letters(sentence)
            score = _PAIRS * coverage(pairs, held_pairs) + (1 - _PAIRS) * coverage(single, held_single)
            if score > best_score + 0.02 * (size > best_size):  # a longer window must bring something
                best, best_score, best_size = passage[spans[first][0] : end].strip(), score, size
    return best, max(best_score, 0.0)


@functools.lru_cache(maxsize=4096)
def _canonical(text: str) -> str:
    """What is compared by its characters: numbers and bounds said in one way."""
    return canonical(bounds(plain(text)))


@functools.lru_cache(maxsize=256)
def _sentences(passage: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentences(passage))
