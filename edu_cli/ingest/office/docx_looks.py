"""Headings of Word files that use no heading style: what is set larger or bolder than the body and stands alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from edu_cli.ingest.office.docx_styles import Style, Styles
from edu_cli.ingest.office.ooxml import Element, attribute, child, descendants, is_on
from edu_cli.types import Block

_DEFAULT_SIZE = 21  # half points: the 10.5 pt of Chinese Word
# bench/looks_constants.py tries each of the next three on documents whose headings are known.
_HEADING_CHARS = range(2, 46)
_MAX_SHARE = 0.25  # of the text: where more of it looks like headings, looks tell nothing (forms, posters, verse)
_MAX_RUN = 2  # more lines of one look in a row are a cover page or a typed list of contents
_MAX_LEVEL = 5
_SENTENCE_END = re.compile(r"[。；，、！？,;!…]$")
_LABEL = re.compile(r"[^0-9０-９一二三四五六七八九十]{1,12}[:：]")  # "编写时间: …" of a cover page
_SERIES = re.compile(r"([^\W\d_]{1,4})\s*[0-9０-９一二三四五六七八九十]{1,3}\s*[:：、.\s]")
_COUNTERS = (
    re.compile(r"第[一二三四五六七八九十百零〇0-9]+[章篇编部讲课]"),
    re.compile(r"第[一二三四五六七八九十百零〇0-9]+节"),
    re.compile(r"[一二三四五六七八九十]+[、．.]"),
    re.compile(r"[（(][一二三四五六七八九十]+[）)]"),
    re.compile(r"[0-9０-９]+[、．.](?![0-9０-９])"),
    re.compile(r"[0-9]+\.[0-9]+(?!\.[0-9])"),
    re.compile(r"[0-9]+\.[0-9]+\.[0-9]+"),
)

_Key = tuple[int, int]


class Look(NamedTuple):
    """How a paragraph is set: its size in half points, and whether all of it is bold."""

    size: int
    is_bold: bool


class Set(NamedTuple):
    """A block with the paragraph that it was read from (None for tables, notes, pictures and what is in them)."""

    block: Block
    paragraph: Element | None
    style: Style


def with_headings(entries: Sequence[Set], styles: Styles) -> list[Block]:
    """The blocks, those that look like headings made such; unchanged where looks tell nothing."""
    looks = [_look(entry, styles) if entry.paragraph is not None else None for entry in entries]
    sizes: Counter[int] = Counter()
    for entry, look in zip(entries, looks, strict=True):
        if look is not None:
            sizes[look.size] += len(entry.block.text)
    if not sizes:
        return [entry.block for entry in entries]
    body = sizes.most_common(1)[0][0]
    keys = [_key(entry.block, look, body) if look else None for entry, look in zip(entries, looks, strict=True)]
    keys = _with_series(entries, _without_runs(keys))
    n_chars = sum(len(entry.block.text) for entry, key in zip(entries, keys, strict=True) if key)
    if n_chars > _MAX_SHARE * sum(len(entry.block.text) for entry in entries):
        return [entry.block for entry in entries]
    levels = {key: level for level, key in enumerate(sorted({key for key in keys if key}), 1)}
    return [
        replace(entry.block, kind="heading", level=min(levels[key], _MAX_LEVEL)) if key else entry.block
        for entry, key in zip(entries, keys, strict=True)
    ]


def _key(block: Block, look: Look, body: int) -> _Key | None:
    """What orders the levels: larger first, then by how the heading is counted. None for no heading."""
    text = block.text
    if look.size < body or (look.size == body and not look.is_bold):
        return None
    if len(text) not in _HEADING_CHARS or "\n" in text or _SENTENCE_END.search(text) or _LABEL.match(text):
        return None
    counted = next((rank for rank, pattern in enumerate(_COUNTERS) if pattern.match(text)), len(_COUNTERS))
    return -look.size, counted


def _with_series(entries: Sequence[Set], keys: Sequence[_Key | None]) -> list[_Key | None]:
    """Where "题目8：…" is a heading, "题目1：…" is one of the same rank, however it is set."""
    ranks = {name[1]: key for entry, key in zip(entries, keys, strict=True) if key and (name := _series(entry))}
    return [
        key or (ranks.get(name[1]) if entry.paragraph is not None and (name := _series(entry)) else None)
        for entry, key in zip(entries, keys, strict=True)
    ]


def _series(entry: Set) -> re.Match[str] | None:
    text = entry.block.text
    return _SERIES.match(text) if len(text) in _HEADING_CHARS and not _SENTENCE_END.search(text) else None


def _without_runs(keys: Sequence[_Key | None]) -> list[_Key | None]:
    kept: list[_Key | None] = []
    for key, group in groupby(keys):
        run = list(group)
        kept += [None] * len(run) if key is not None and len(run) > _MAX_RUN else run
    return kept


def _look(entry: Set, styles: Styles) -> Look:
    """Weighed by characters: a bold word does not make a bold paragraph."""
    sizes: Counter[int] = Counter()
    n_bold = n_all = 0
    for run in descendants(entry.paragraph, "r"):
        n_chars = sum(len((t.text or "").strip()) for t in run if t.tag.endswith("}t"))
        if not n_chars:
            continue
        properties = child(run, "rPr")
        size = child(properties, "sz")
        bold = child(properties, "b")
        named = child(properties, "rStyle")
        own = styles.of(attribute(named, "val")) if named is not None else entry.style
        sizes[_half_points(size) or own.size or entry.style.size or _DEFAULT_SIZE] += n_chars
        n_bold += n_chars if (is_on(bold) if bold is not None else own.is_bold or entry.style.is_bold) else 0
        n_all += n_chars
    return Look(sizes.most_common(1)[0][0] if sizes else 0, n_all > 0 and n_bold == n_all)


def _half_points(element: Element | None) -> int:
    text = attribute(element, "val") if element is not None else ""
    return int(text) if text.isdecimal() else 0
