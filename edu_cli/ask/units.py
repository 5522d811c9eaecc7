"""Passage -> the pieces that may be quoted as an answer: sentences, list items, table rows with their head."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edu_cli.ask.injection import evidence
from edu_cli.text import sentences

_ITEM = re.compile(
    r"\s*(?:[-*+•·●○■◆※]\s|\d{1,3}[.、)）]|[(（][\d一二三四五六七八九十]{1,3}[)）]|[①-⑳]|[一二三四五六七八九十]{1,3}、)"
)
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_MOST_ITEMS = 12
_MOST_CHARS = 600


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of passage `n` (from 1), verbatim: `context[start:end]`. `header` is the head row of its table.

    `is_item` marks list items and `is_lead` what announces a list ("步骤如下：").
    """

    n: int
    start: int
    end: int
    text: str
    header: str = ""
    is_item: bool = False
    is_lead: bool = False

    @property
    def shown(self) -> str:
        """The text with what it cannot be read without."""
        return f"{self.header}\n{self.text}" if self.header else self.text


def units(context: str, n: int) -> list[Unit]:
    """The pieces of one passage in order; instructions to an assistant, rules and empty lines are left out."""
    plain_context = evidence(context)
    found: list[Unit] = []
    header = ""
    for start, end in sentences(context):
        text = context[start:end].strip()
        if not plain_context[start:end].strip() or not re.search(r"\w", text):
            continue
        is_row = bool(_ROW.match(text))
        if is_row and not header:
            header = text
            continue
        header = header if is_row else ""
        is_lead = text.endswith(("：", ":")) and len(text) < 80
        found.append(Unit(n, start, end, text, header, bool(_ITEM.match(text)), is_lead))
    return found


def whole_list(chosen: Unit, all_units: Sequence[Unit]) -> Unit:
    """`chosen` with the list that it announces, or (a list item) with the whole list and what announces it."""
    mine = [unit for unit in all_units if unit.n == chosen.n]
    at = mine.index(chosen)
    first = at
    while first and mine[at].is_item and mine[first - 1].is_item:
        first -= 1
    if mine[at].is_item and first and mine[first - 1].is_lead:
        first -= 1
    last = at
    while last + 1 < len(mine) and mine[last + 1].is_item and last - first < _MOST_ITEMS:
        last += 1
    if first == last or sum(len(unit.text) for unit in mine[first : last + 1]) > _MOST_CHARS:
        return chosen
    text = "\n".join(unit.text for unit in mine[first : last + 1])
    return replace(chosen, start=mine[first].start, end=mine[last].end, text=text)
