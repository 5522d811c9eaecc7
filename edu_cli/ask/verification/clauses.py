"""Text -> clauses, and how alike two of them are: what claims and passages are compared by."""

from __future__ import annotations

import functools
import re

from edu_cli.ask.verification.polarity import bounds
from edu_cli.ask.verification.terms import grams, plain

_CLAUSE = re.compile(r"[，,；;。！？!?\n|]|\.(?=\s|$)|：(?=\S{6})|、(?=[^、，,；;。]*\d)")
_ENOUGH_SHARED = 4  # grams that make a short clause comparable with a long one


def plain_lines(text: str) -> str:
    """`plain` line by line, so that line ends stay; bounds said in one way."""
    return "\n".join(bounds(plain(line)) for line in text.split("\n"))


@functools.lru_cache(maxsize=512)
def clauses_of(text: str) -> tuple[str, ...]:
    """The clauses of a `plain_lines` text, in order."""
    return tuple(part for part in (p.strip() for p in _CLAUSE.split(text)) if part)


@functools.lru_cache(maxsize=4096)
def core(clause: str) -> frozenset[str]:
    """The grams of a clause, its negations left out."""
    return grams(re.sub(r"[不没未无非]", "", clause))


def likeness(mine: frozenset[str], other: frozenset[str]) -> float:
    """Shared grams over the claim's, held back where the other clause is far shorter."""
    shared = len(mine & other)
    if shared >= _ENOUGH_SHARED:
        return shared / min(len(mine), len(other))
    return shared / len(mine) if shared >= 2 else 0.0
