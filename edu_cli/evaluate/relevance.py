"""Hits x labels -> grades by rank.

Three rules, so that nothing is counted twice and every grain compares with the usual document rankings:
1. The unit of a question is the finest that its labels name (file, section, page or passage); a hit of a unit that
   stood higher already takes no rank.
2. An entry is found by the first hit that fits it; a later hit that fits only found entries takes no rank.
3. A hit that fits several entries takes a rank for each, the highest grade first, so that a perfect ranking scores 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from edu_cli.evaluate.items import Grain, Item, Relevant
from edu_cli.evaluate.measures import Judged
from edu_cli.text import fold
from edu_cli.types import Passage

_FINEST: tuple[Grain, ...] = ("passage", "section", "page", "file")


def is_judged(item: Item) -> bool:
    """Whether retrieval can be measured on it."""
    return any(entry.grade > 0 for entry in item.relevant)


def grain_of(item: Item) -> Grain:
    """The finest grain of its entries."""
    grains = {entry.grain for entry in item.relevant}
    for grain in _FINEST:
        if grain in grains:
            return grain
    return "file"


def judge(item: Item, passages: Sequence[Passage]) -> Judged:
    """The ranking as grades."""
    entries = [entry for entry in item.relevant if entry.grade > 0]
    left = set(range(len(entries)))
    seen: set[Hashable] = set()
    grades: list[int] = []
    for passage in passages:
        fits = [i for i, entry in enumerate(entries) if fits_entry(passage, entry)]
        new = sorted((entries[i].grade for i in fits if i in left), reverse=True)
        left -= set(fits)
        unit = _unit(passage, grain_of(item))
        if new:
            grades += new
        elif not fits and unit not in seen:
            grades.append(0)
        seen.add(unit)
    return Judged(tuple(grades), wanted(item))


def wanted(item: Item) -> tuple[int, ...]:
    """The grades of all that is relevant."""
    return tuple(entry.grade for entry in item.relevant if entry.grade > 0)


def found_at(passages: Sequence[Passage], entry: Relevant) -> int | None:
    """The position (from 1) of the first passage that fits the entry."""
    return next((i for i, passage in enumerate(passages, start=1) if fits_entry(passage, entry)), None)


def fits_entry(passage: Passage, entry: Relevant) -> bool:
    """Whether every key that the entry gives fits; a passage stands for the other documents that hold the same text."""
    return (
        (entry.doc is None or entry.doc == passage.doc or entry.doc in passage.also)
        and (entry.section is None or any(_squeezed(entry.section) == _squeezed(h) for h in passage.section))
        and (entry.page is None or _has_page(passage, entry.page))
        and (entry.contains is None or _squeezed(entry.contains) in _squeezed(passage.context))
    )


def _has_page(passage: Passage, page: int) -> bool:
    return passage.page is not None and passage.page <= page <= (passage.page_end or passage.page)


def _squeezed(text: str) -> str:
    """Width and case folded, all white space out."""
    return "".join(fold(text).split())


def _unit(passage: Passage, grain: Grain) -> Hashable:
    if grain == "file":
        return passage.doc
    if grain == "section":
        return passage.doc, passage.section
    return (passage.doc, passage.page) if grain == "page" else passage.parent_id
