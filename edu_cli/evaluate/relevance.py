"""Hits x labels -> grades by rank.

Three rules, so that nothing is counted twice and every grain compares with the usual document rankings:
1. The unit of a question is the finest that its labels name (file, section, page or passage); a hit of a unit that
   stood higher already takes no rank.
2. An entry is found by the first hit that fits it; a later hit that fits only found entries takes no rank.
3. A hit that fits several entries takes a rank for each, the highest grade first, so that a perfect ranking scores 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache

from edu_cli.evaluate.items import Grain, Item, Relevant
from edu_cli.evaluate.measures import Judged
from edu_cli.text import fold
from edu_cli.types import Passage

GRAINS: tuple[Grain, ...] = ("file", "section", "page", "passage")
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


def at_grain(item: Item, grain: Grain) -> Item | None:
    """The item with its labels cut down to a grain; None where one of them does not name so much.

    Entries that become the same are one, with the highest of their grades.
    """
    cut: dict[Relevant, int] = {}
    for entry in item.relevant:
        if entry.grade > 0:
            coarse = _at_grain(entry, grain)
            if coarse is None:
                return None
            cut[coarse] = max(entry.grade, cut.get(coarse, 0))
    if not cut:
        return None
    return replace(item, relevant=tuple(replace(entry, grade=grade) for entry, grade in cut.items()))


def _at_grain(entry: Relevant, grain: Grain) -> Relevant | None:
    if grain == "file":
        return None if entry.doc is None else Relevant(doc=entry.doc)
    if grain == "section":
        return None if entry.section is None else Relevant(doc=entry.doc, section=entry.section)
    if grain == "page":
        return None if entry.page is None else Relevant(doc=entry.doc, page=entry.page)
    return None if entry.contains is None else replace(entry, grade=1)


def judge(item: Item, passages: Sequence[Passage]) -> Judged:
    """The ranking as grades."""
    grain = grain_of(item)
    entries = [entry for entry in item.relevant if entry.grade > 0]
    left = set(range(len(entries)))
    seen: set[Hashable] = set()
    grades: list[int] = []
    for passage in passages:
        fits = [i for i, entry in enumerate(entries) if fits_entry(passage, entry)]
        new = sorted((entries[i].grade for i in fits if i in left), reverse=True)
        left -= set(fits)
        unit = _unit(passage, grain)
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
        and (entry.section is None or fits_section(entry.section, passage.section))
        and (entry.page is None or fits_page(entry.page, passage.page, passage.page_end))
        and (entry.contains is None or fits_text(entry.contains, passage.context))
    )


def fits_section(wanted: str, path: Sequence[str]) -> bool:
    """Whether it is a heading of the path, width, case and white space apart."""
    return any(_squeezed(wanted) == _squeezed(heading) for heading in path)


def fits_page(wanted: int, first: int | None, last: int | None) -> bool:
    """Whether it lies within the pages."""
    return first is not None and first <= wanted <= (last or first)


def fits_text(wanted: str, text: str) -> bool:
    """Whether the text contains it, width, case and white space apart."""
    return _squeezed(wanted) in _squeezed(text)


@lru_cache(maxsize=4096)
def _squeezed(text: str) -> str:
    """Width and case folded, all white space out."""
    return "".join(fold(text).split())


def _unit(passage: Passage, grain: Grain) -> Hashable:
    if grain == "file":
        return passage.doc
    if grain == "section":
        return passage.doc, passage.section
    return (passage.doc, passage.page) if grain == "page" else passage.parent_id
