"""Claim x passage -> how well the passage bears the claim out, and by which sentences. Offline and exact."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edu_cli.ask import facts
from edu_cli.ask.terms import coverage, grams, plain
from edu_cli.text import sentences

Level = Literal["supported", "weak", "unsupported"]
LEVELS: tuple[Level, ...] = ("unsupported", "weak", "supported")

# Chosen by bench/verify.py on the tuning half of tests/data/claims.jsonl; its kept half gives the figures.
SUPPORTED_FROM = 0.55
WEAK_FROM = 0.38
_WINDOW = 3  # sentences that may bear out one claim together
_ALIGNED = 0.5  # two clauses are about the same when this share of the shorter one's grams is in the other
_SHORT_QUOTE = 6  # a term in quotation marks may be the writer's own emphasis
_CLAUSE = re.compile(r"[，,；;。！？!?\n|]|：(?=\S{6})")


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
    against = contradiction(claim, passage, heading)
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


def contradiction(claim: str, passage: str, heading: str = "") -> str:
    """What in `claim` the passage speaks against or does not have though it must; "" where there is nothing."""
    for quote in facts.quotes(claim):
        if not facts.is_verbatim(quote, passage + heading) and len(plain(quote)) >= _SHORT_QUOTE:
            return f"the quotation “{quote}” does not stand in the passage"
    said, source = plain(claim), plain(f"{heading}\n{passage}")
    missing = facts.names(said) - facts.names(source)
    missing = {name for name in missing if name not in source}
    if missing:
        return f"the passage has no {sorted(missing)[0]}"
    clauses = _clauses(plain_lines(f"{heading}\n{passage}"))
    return _numbers_against(said, clauses) or _polarity_against(said, clauses)


def plain_lines(text: str) -> str:
    """`plain` line by line, so that line ends stay."""
    return "\n".join(plain(line) for line in text.split("\n"))


@functools.lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[str, ...]:
    return tuple(part for part in (p.strip() for p in _CLAUSE.split(text)) if part)


def _numbers_against(said: str, clauses: Sequence[str]) -> str:
    """A number that the passage lacks, or has only by something else than the claim puts it to."""
    source = [(clause, facts.numbers(clause)) for clause in clauses]
    for clause in _clauses(said):
        for claimed in facts.numbers(clause):
            if claimed.value <= 1 and not claimed.unit:
                continue
            shown = clause[claimed.start : claimed.end]
            holding = [(c, ns) for c, ns in source if any(facts.agrees(claimed, n) for n in ns)]
            if not holding:
                return f"the passage has no {shown}"
            rivals = [
                (c, ns)
                for c, ns in source
                if not any(facts.agrees(claimed, n) for n in ns) and any(_same_kind(claimed, n) for n in ns)
            ]
            rest = grams(clause) - grams(shown)
            mine = max(coverage(rest, grams(c)) for c, _ in holding)
            other = max((coverage(rest, grams(c)) for c, _ in rivals), default=0.0)
            if other > mine + 0.25 and other >= _ALIGNED:
                return f"the passage has another number than {shown} there"
            if _swapped(clause, claimed, holding):
                return f"the passage puts {shown} to something else"
    return ""


def _same_kind(claimed: facts.Number, found: facts.Number) -> bool:
    return bool(claimed.unit) and claimed.unit == found.unit


def _swapped(clause: str, claimed: facts.Number, holding: Sequence[tuple[str, Sequence[facts.Number]]]) -> bool:
    """Within one clause ("理论32学时实验16学时"): what stands before the number stands before a rival there."""
    lead = re.sub(r"[^㐀-鿿a-z]", "", clause[: claimed.start])[-4:]
    if len(lead) < 2:
        return False
    for text, found in holding:
        mine = [n for n in found if facts.agrees(claimed, n)]
        rivals = [n for n in found if not facts.agrees(claimed, n) and n.unit == claimed.unit]
        if any(lead[-2:] in text[max(0, n.start - 6) : n.start] for n in mine):
            return False
        if any(lead[-2:] in text[max(0, n.start - 6) : n.start] for n in rivals):
            return True
    return False


def _polarity_against(said: str, clauses: Sequence[str]) -> str:
    """A clause of the claim whose nearest clause of the passage says the opposite."""
    for clause in _clauses(said):
        mine = _core(clause)
        if len(mine) < 2:
            continue
        near = sorted(((_likeness(mine, _core(c)), c) for c in clauses), reverse=True)[:3]
        near = [(score, c) for score, c in near if score >= max(_ALIGNED, near[0][0] - 0.1)]
        if not near:
            continue
        if all((facts.negations(clause) - facts.negations(c)) % 2 for _, c in near):
            return "the passage says the opposite"
        if all(facts.opposed(clause, c) for _, c in near):
            return "the passage says the opposite"
    return ""


@functools.lru_cache(maxsize=4096)
def _core(clause: str) -> frozenset[str]:
    return grams(re.sub(r"[不没未无非]", "", clause))


def _likeness(mine: frozenset[str], other: frozenset[str]) -> float:
    """Shared grams over the claim's, held back where the other clause is far shorter."""
    shared = len(mine & other)
    return shared / len(mine) if shared >= 2 else 0.0
