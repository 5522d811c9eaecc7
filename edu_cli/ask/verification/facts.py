"""What a claim must share with its evidence to the letter: names and quotations."""

from __future__ import annotations

import re

from edu_cli.ask.verification.numerals import COMPOUND, without_units
from edu_cli.ask.verification.terms import plain
from edu_cli.text import cjk_share

_LATIN = re.compile(r"[a-z][a-z0-9_+#\-]*[a-z0-9+#]|[a-z]\+\+|[a-z]#", re.IGNORECASE)
_PROSE = 0.3  # with a smaller share of Chinese a text is written in a Latin language, and its words are no names
_QUOTE = re.compile(r"“([^”\n]{2,})”|「([^」\n]{2,})」|『([^』\n]{2,})』|\"([^\"\n]{2,})\"")


def names(text: str) -> set[str]:
    """Latin names and terms of a text, folded; of English prose those that a capital, digit or sign marks as such."""
    solid = without_units(plain(text))
    found = {match[0] for match in _LATIN.finditer(COMPOUND.sub(" ", solid))}
    compounds = {match[0] for match in COMPOUND.finditer(plain(text))}
    if cjk_share(text) >= _PROSE:
        return found | compounds
    inner = re.sub(
        r"(?:^|(?<=[.!?:\n]))[\s\"'(*-]*[A-Za-z][a-z]*\b", " ", text
    )  # a sentence's first word has its capital anyway
    marked = {plain(m[0]) for m in _LATIN.finditer(inner) if re.search(r"[A-Z0-9_+#]", m[0]) and len(m[0]) > 1}
    return found & marked | compounds


def quotes(text: str) -> list[str]:
    """What stands in quotation marks, as written."""
    return [next(filter(None, match.groups())) for match in _QUOTE.finditer(text)]


def is_verbatim(quote: str, passage: str) -> bool:
    """Whether a quote stands in the passage, white space, width and script aside; `…` may leave parts out."""
    source = re.sub(r"\s", "", plain(passage))
    parts = [re.sub(r"\s", "", plain(part)).strip(",。.;；，、:：") for part in re.split(r"…+|\.{3,}", quote)]
    at = 0
    for part in parts:
        at = source.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def matter(text: str) -> str:
    """`text` without what carries no claim: bullets, marks of Markdown, white space."""
    return re.sub(r"^[\s>#*\-+•·\d.、)）(（]+|[*_`#\s]+", "", plain(text))
