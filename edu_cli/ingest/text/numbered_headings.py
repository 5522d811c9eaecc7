"""Lines of plain text -> which of them are headings, by their numbers: 第一章, 一、, （一）, 1.2."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_HAN = "零〇一二三四五六七八九十百两"
NUMERALS = f"0-9０-９{_HAN}千"
_NUMBER = rf"([0-9０-９]{{1,3}}|[{_HAN}]{{1,5}})"
_MOST_CHARS = 40
_LEAST_WITH_BODY = 0.6  # of the lines of a kind: a list of topics or a table of contents has nothing below its lines
# Outer kinds first. The dotted kind stands for as many kinds as it has depths.
_KINDS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (0.0, re.compile(rf"第[ ]?{_NUMBER}[ ]?(?:编|篇|部分|部|卷)(?=[\s:：、]|$)")),
    (1.0, re.compile(rf"第[ ]?{_NUMBER}[ ]?(?:章|讲|课|单元|周|回)(?=[\s:：、]|$|[^的是和与])")),
    (1.0, re.compile(r"(?:Chapter|CHAPTER|Unit|UNIT|Lecture)[ ]([0-9]{1,3})\b")),
    (2.0, re.compile(rf"第[ ]?{_NUMBER}[ ]?节(?=[\s:：、]|$|[^的是和与])")),
    (3.0, re.compile(rf"([{_HAN}]{{1,3}})[、．.][ ]?(?=\S)")),
    (4.0, re.compile(rf"[(（]([{_HAN}]{{1,3}})[)）][ ]?(?=\S)")),
)
_DOTTED = re.compile(
    r"([0-9]{1,2}(?:\.[0-9]{1,2}){1,4})\.?[ \t　]*(?=[^\s0-9.,;:)）%％/×*+=<>~-])(?![a-z]|[元年月日个只米克倍])"
)
_ENDS_OTHERWISE = re.compile(r"[。；，、：！？…;,:!?.．]$|[.·…]{3,}\s*\d*$")
_TENS = {"十": 10, "百": 100, "千": 1000}
_DIGITS = {char: n for n, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}


def heading_levels(lines: Sequence[str]) -> Mapping[int, int]:
    """Line index -> level (from 1) of the lines that are headings beyond doubt.

    A kind counts when its numbers rise by one from their first, text stands below most of its lines, and there are at
    least two of them (one is enough for 第一章 and 第一节).
    """
    found: dict[float, list[tuple[int, tuple[int, ...]]]] = {}
    for at, line in enumerate(lines):
        numbered = numbered_line(line)
        if numbered:
            found.setdefault(numbered[0], []).append((at, numbered[1]))
    headings = {at for group in found.values() for at, _ in group}
    kept = {
        rank: [at for at, _ in group]
        for rank, group in found.items()
        if len(group) >= (1 if rank <= 2.0 else 2) and _rises(group) and _has_body(group, lines, headings)
    }
    return {at: level for level, rank in enumerate(sorted(kept), 1) for at in kept[rank]}


def numbered_line(line: str) -> tuple[float, tuple[int, ...]] | None:
    """The rank of the kind (outer kinds first) and the numbers of a line that may be a heading; None for others."""
    text = line.strip()
    if not text or len(text) > _MOST_CHARS or _ENDS_OTHERWISE.search(text) or "。" in text:
        return None
    for rank, pattern in _KINDS:
        match = pattern.match(text)
        if match:
            return rank, (numeral_value(match[1]),)
    match = _DOTTED.match(text)
    if match:
        numbers = tuple(int(part) for part in match[1].split("."))
        return 2.3 + len(numbers) / 10, numbers  # between 第一节 and 一、
    return None


def numeral_value(numeral: str) -> int:
    """A number below 10000 in Arabic (also full-width) or Chinese numerals; 0 for a mixture."""
    if numeral.isdecimal():
        return int(numeral)
    total = digit = 0
    for char in numeral:
        if char in _TENS:
            total += (digit or 1) * _TENS[char]
            digit = 0
        else:
            digit = _DIGITS.get(char, 0)
    return total + digit


def _rises(group: Sequence[tuple[int, tuple[int, ...]]]) -> bool:
    """Whether most numbers follow the one before, or begin again at 1 under a new outer heading."""
    good = 0
    before: tuple[int, ...] = ()
    for _, numbers in group:
        follows = before and (numbers == (*before[:-1], before[-1] + 1) or (numbers[-1] == 1 and numbers != before))
        good += bool(follows or (not before and numbers[-1] <= 1) or (not before and len(numbers) > 1))
        before = numbers
    return good >= 0.8 * len(group)


def _has_body(group: Sequence[tuple[int, tuple[int, ...]]], lines: Sequence[str], headings: set[int]) -> bool:
    ends = [at for at, _ in group[1:]] + [len(lines)]
    bodies = sum(
        any(lines[i].strip() and i not in headings for i in range(at + 1, end))
        for (at, _), end in zip(group, ends, strict=True)
    )
    return bodies >= _LEAST_WITH_BODY * len(group)
