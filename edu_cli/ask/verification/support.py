"""Claim x passage -> how well the passage bears the claim out, and by which sentences. Offline and exact."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

from edu_cli.ask.verification.contradict import contradiction
from edu_cli.ask.verification.terms import coverage, grams
from edu_cli.text import sentences

Level = Literal["supported", "weak", "unsupported"]
LEVELS: tuple[Level, ...] = ("unsupported", "weak", "supported")

# Chosen by bench/verify.py on the tuning half of tests/data/claims.jsonl; its kept half gives the figures.
SUPPORTED_FROM = 0.55
WEAK_FROM = 0.38
_WINDOW = 3  # sentences that may bear out one claim together


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
    wanted = grams(claim)
    quote, score = _best_window(wanted, passage, grams(heading))
    against = contradiction(claim, passage, quote, heading)
    if against:
        return Support("unsupported", score, quote, against)
    if score >= SUPPORTED_FROM:
        return Support("supported", score, quote)
    if score >= WEAK_FROM:
        return Support("weak", score, quote, "only part of it stands in the passage")
    return Support("unsupported", score, quote, "the passage does not say so")


def _best_window(wanted: frozenset[str], passage: str, heading: frozenset[str]) -> tuple[str, float]:
    spans = _sentences(passage)
    best, best_score, best_size = "", -1.0, 0
    for first in range(len(spans)):
        evidence = heading
        for size in range(1, min(_WINDOW, len(spans) - first) + 1):
            start, end = spans[first + size - 1]
            evidence = evidence | grams(passage[start:end])
            score = coverage(wanted, evidence)
            if score > best_score + 0.02 * (size > best_size):  # a longer window must bring something
                best, best_score, best_size = passage[spans[first][0] : end].strip(), score, size
    return best, max(best_score, 0.0)


@functools.lru_cache(maxsize=256)
def _sentences(passage: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentences(passage))
