"""Text -> clauses, and how alike two of them are: what claims and passages are compared by."""

from __future__ import annotations

import functools
import re

from edu_cli.ask.verification.polarity import bounds, negations
from edu_cli.ask.verification.terms import grams, plain
from edu_cli.text import sentences

_CLAUSE = re.compile(r"[，,；;。！？!?\n|]|\.(?=\s|$)|：(?=\S{6})|、(?=[^、，,；;。]*\d)")
# "元组可以作键而列表不行": one clause affirms, the other one denies of something else; 因/为了…而 gives a reason
_BUT = re.compile(r"(?<![从因然进反时继故甚])而(?![且言来已])")
_REASON = re.compile(r"因|由于|(?<![作成称认视])为|随|通过|根据")
_SAYS_OF = re.compile(r".{1,10}?(?:[不没未无]|可以?|能|会|则|却|是|有|要|就|都|也|应|须)")
_BROKEN = re.compile(r"[（(][^（）()\n]{1,40}\n[^（）()\n]{1,40}[)）]")
_BREAK = re.compile(r"[^\s|]\n(?=[^\s|])")
_ENOUGH_SHARED = 4  # grams that make a short clause comparable with a long one


def plain_lines(text: str) -> str:
    """`plain` line by line, so that line ends stay but for those within a sentence; bounds said in one way."""
    return "\n".join(bounds(plain(line)) for line in _unwrapped(text).split("\n"))


def unbroken(text: str) -> str:
    """`text` without line breaks between two brackets, which a page's width put there: (undo⏎log)."""
    return _BROKEN.sub(lambda m: m[0].replace("\n", " "), text)


@functools.lru_cache(maxsize=256)
def _unwrapped(text: str) -> str:
    """`text` without the line breaks that a page's width put into its sentences, or between two brackets."""
    text = unbroken(text)
    spans = (text[start:end] for start, end in sentences(text))
    return "".join(_BREAK.sub(lambda m: m[0][0] + " " * m[0].isascii(), span) for span in spans)


@functools.lru_cache(maxsize=512)
def clauses_of(text: str) -> tuple[str, ...]:
    """The clauses of a `plain_lines` text, in order."""
    return tuple(part for p in _CLAUSE.split(text) for part in _apart(p.strip()) if part)


def _apart(clause: str) -> list[str]:
    """A clause of which one half affirms and the other one denies, said of two things and joined by 而, as two."""
    match = _BUT.search(clause)
    if not match or _REASON.search(clause[: match.start()]):
        return [clause]
    first, second = clause[: match.start()].strip(), clause[match.end() :].strip()
    says_of = _SAYS_OF.match(second) and not negations(second[:1])
    return [first, second] if says_of and negations(first) % 2 != negations(second) % 2 else [clause]


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
