"""Word's automatic numbers as text: `第一章`, `1.2.3`, `（二）`, `①`; bullets as `-`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from edu_cli.ingest.office.ooxml import Element, attribute, child, children, is_on, whole_number

_DIGITS = "〇一二三四五六七八九"
_LEGAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
          (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def chinese_number(n: int, digits: str = _DIGITS.replace("〇", "零"), units: str = "十百千万") -> str:
    """1-99,999 in counting style: 10 十, 12 十二, 20 二十, 105 一百零五."""
    if not 0 < n < 100_000:
        return str(n)
    text, gap = "", False
    for power in range(4, -1, -1):
        digit = n // 10**power % 10
        if digit:
            text += ("零" if gap and text else "") + digits[digit] + (units[power - 1] if power else "")
        gap = digit == 0
        if not digit and text and n % 10**power == 0:
            break
    return text[1:] if units[0] == "十" and text.startswith("一十") else text


def roman(n: int) -> str:
    """1-3999 in capitals."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (n // value)
        n %= value
    return text


def letters(n: int) -> str:
    """A-Z, then AA, BB, … as Word counts."""
    return chr(65 + (n - 1) % 26) * ((n - 1) // 26 + 1)


def circled(n: int) -> str:
    """①-㊿; plain digits beyond."""
    for low, high, base in ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)):
        if low <= n <= high:
            return chr(base + n - low)
    return str(n)


def _cycle(signs: str) -> Callable[[int], str]:
    return lambda n: signs[(n - 1) % len(signs)]


def _digital(n: int) -> str:
    return "".join(_DIGITS[int(d)] for d in str(n))


def _legal(n: int) -> str:
    return chinese_number(n, _LEGAL_DIGITS, "拾佰仟萬")


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda n: f"{n:02d}",
    "upperRoman": roman,
    "lowerRoman": lambda n: roman(n).lower(),
    "upperLetter": letters,
    "lowerLetter": lambda n: letters(n).lower(),
    "ordinal": lambda n: f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}",
    "decimalFullWidth": lambda n: str(n).translate({48 + d: 0xFF10 + d for d in range(10)}),
    "decimalEnclosedParen": lambda n: chr(0x2474 + n - 1) if n <= 20 else f"({n})",
    "decimalEnclosedFullstop": lambda n: f"{n}.",
    "ideographTraditional": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "ideographZodiacTraditional": lambda n: _STEMS[(n - 1) % 10] + _BRANCHES[(n - 1) % 12],
    "ideographEnclosedCircle": circled,
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), circled),
    **dict.fromkeys(
        ("chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand",
         "japaneseCounting"),
        chinese_number,
    ),
    **dict.fromkeys(("ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital", "koreanDigital"), _digital),
    **dict.fromkeys(("chineseLegalSimplified", "ideographLegalTraditional", "japaneseLegal"), _legal),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    style: str
    template: str
    start: int
    is_legal: bool  # w:isLgl: outer levels are written in decimal whatever their own format
    restart_after: int | None  # w:lvlRestart: the level (from 1) whose items restart this one; 0 never


class Label(NamedTuple):
    """What stands before a paragraph; `is_bullet` tells a bullet from a number."""

    text: str
    is_bullet: bool


@dataclass(slots=True)
class Numbering:
    """The counters of a document, moved on paragraph by paragraph."""

    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict)  # num id -> level -> definition
    _lists: dict[str, str] = field(default_factory=dict)  # num id -> abstract list, which owns the counters
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _started: set[tuple[str, int]] = field(default_factory=set)
    _overrides: dict[tuple[str, int], int] = field(default_factory=dict)
    _by_style: dict[str, tuple[str, int]] = field(default_factory=dict)

    def label(self, num_id: str, level: int) -> Label | None:
        """The label of the next paragraph of a list at a level (from 0); None for an unknown or empty one."""
        levels = self._levels.get(num_id)
        definition = levels.get(level) if levels else None
        if levels is None or definition is None:
            return None
        counts = self._counts.setdefault(self._lists[num_id], {})
        self._move_on(num_id, level, definition, counts)
        if definition.style == "bullet":
            return Label("-", is_bullet=True)

        def number(match: re.Match[str]) -> str:
            wanted = int(match[1]) - 1
            outer = levels.get(wanted)
            if outer is None:
                return ""
            style = "decimal" if definition.is_legal else outer.style
            return _formatted(style, counts.get(wanted, outer.start))

        text = re.sub(r"%([1-9])", number, definition.template).strip()
        return Label(text, is_bullet=False) if text else None

    def _move_on(self, num_id: str, level: int, definition: _Level, counts: dict[int, int]) -> None:
        override = self._overrides.get((num_id, level))
        if override is not None and (num_id, level) not in self._started:
            counts[level] = override
        else:
            counts[level] = counts.get(level, definition.start - 1) + 1
        self._started.add((num_id, level))
        for deeper in [d for d in counts if d > level]:
            restart = self._levels[num_id][deeper].restart_after if deeper in self._levels[num_id] else None
            if restart is None or (restart and level < restart):
                del counts[deeper]

    def of_style(self, style_id: str) -> tuple[str, int] | None:
        """The list and level that a paragraph style is tied to (`w:lvl/w:pStyle`)."""
        return self._by_style.get(style_id)


def read_numbering(root: Element | None) -> Numbering:
    """`word/numbering.xml` -> its lists; an absent part has none."""
    numbering = Numbering()
    abstracts = {attribute(e, "abstractNumId"): e for e in children(root, "abstractNum")}
    by_link = {attribute(link, "val"): e for e in abstracts.values() if (link := child(e, "styleLink")) is not None}
    for num in children(root, "num"):
        num_id = attribute(num, "numId")
        abstract_id = attribute(child(num, "abstractNumId"), "val") if child(num, "abstractNumId") is not None else ""
        abstract = abstracts.get(abstract_id)
        linked = child(abstract, "numStyleLink")
        if linked is not None:
            abstract = by_link.get(attribute(linked, "val"), abstract)
        levels = {whole_number(e, "ilvl", most=8): e for e in children(abstract, "lvl")}
        for override in children(num, "lvlOverride"):
            level = whole_number(override, "ilvl", most=8)
            if (own := child(override, "lvl")) is not None:
                levels[level] = own
            if (start := child(override, "startOverride")) is not None:
                numbering._overrides[num_id, level] = whole_number(start, default=1)
        numbering._levels[num_id] = {level: _level(e) for level, e in levels.items()}
        numbering._lists[num_id] = abstract_id
        for level, e in levels.items():
            if (style := child(e, "pStyle")) is not None:
                numbering._by_style.setdefault(attribute(style, "val"), (num_id, level))
    return numbering


def _level(element: Element) -> _Level:
    style = child(element, "numFmt")
    template = child(element, "lvlText")
    restart = child(element, "lvlRestart")
    return _Level(
        style=attribute(style, "val", "decimal") if style is not None else "decimal",
        template=attribute(template, "val") if template is not None else "",
        start=whole_number(child(element, "start"), default=1),
        is_legal=is_on(child(element, "isLgl")),
        restart_after=whole_number(restart) if restart is not None else None,
    )


def _formatted(style: str, n: int) -> str:
    if style == "none":
        return ""
    write = _FORMATS.get(style)
    return write(n) if write and n > 0 else str(n)
