"""Where units begin that belong together: articles of a legal text, items of an exam."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ingest.text.numbered_headings import NUMERALS, numeral_value
from edu_cli.types import Profile

_ARTICLE = re.compile(rf"^[ \t　]*(?:\*\*)?第[ ]?[{NUMERALS}]{{1,6}}[ ]?[条條](?![款件])", re.MULTILINE)
_ITEM_STYLES = (
    re.compile(rf"^[ \t　]*(?:\*\*)?第[ ]?([{NUMERALS}]{{1,4}})[ ]?[题問问]", re.MULTILINE),
    re.compile(r"^[ \t　]*(?:\*\*)?([0-9０-９]{1,3})[ ]?(?:[.．](?![0-9０-９])|[、)）])", re.MULTILINE),
    re.compile(r"^[ \t　]*[(（]([0-9０-９]{1,3})[)）]", re.MULTILINE),
)
_MOST_LOST = 3  # OCR misses a number now and then
_PART = re.compile(
    r"^[ \t　]*(?:#+[ ]*)?(?:\*\*)?(?:[一二三四五六七八九十]{1,3}[、.．]|第[一二三四五六七八九十IVX]+(?:部分|大题|卷))",
    re.MULTILINE,
)


def unit_starts(profile: Profile, texts: Sequence[str]) -> list[list[int]]:
    """For each text of a section, the offsets where units of the profile begin; none for profiles without units."""
    if profile == "legal":
        return [articles(text) for text in texts]
    if profile == "exam":
        return items(texts)
    return [[] for _ in texts]


def articles(text: str) -> list[int]:
    """Where lines begin with 第…条."""
    return [match.start() for match in _ARTICLE.finditer(text)]


def items(texts: Sequence[str]) -> list[list[int]]:
    """Where exam items begin: the style of number that comes first, as long as its numbers go on.

    A number that does not follow is a list inside an item; only where a new part (二、…) began may they begin anew.
    """
    style = _first_style(texts)
    found: list[list[int]] = [[] for _ in texts]
    last = 0
    is_new_part = True
    for starts, text in zip(found, texts, strict=True):
        if style is None:
            break
        parts = [match.start() for match in _PART.finditer(text)]
        for match in style.finditer(text):
            while parts and parts[0] < match.start():
                is_new_part = bool(parts.pop(0) + 1)
            number = numeral_value(match[1])
            if is_new_part or last < number <= last + _MOST_LOST:
                starts.append(match.start())
                last, is_new_part = number, False
        is_new_part = is_new_part or bool(parts)
    return found


def _first_style(texts: Sequence[str]) -> re.Pattern[str] | None:
    for text in texts:
        matches = [(match.start(), style) for style in _ITEM_STYLES if (match := style.search(text))]
        if matches:
            return min(matches, key=lambda found: found[0])[1]
    return None
