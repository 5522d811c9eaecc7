"""Paragraphs of a document -> blocks, headings told by the outline, by font size and weight."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from edu_cli.ingest.layout.join import CHAPTER_MARK, Paragraph, title_key
from edu_cli.types import Block

Outline = Sequence[tuple[int, str, int]]  # level, title, page (from 1)

# Chosen and checked by bench/layout_constants.py.
_LARGER = 1.11  # times the body's size
_MUCH_LARGER = 1.25  # the same for a heading of more than _SHORT characters
_LONGEST = 90  # characters
_SHORT = 40
_NAME = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]{2}|[^\\W\\d_]{3}|^[\u4e00-\u9fff]$")  # less is no heading
_NUMBERED = re.compile(
    r"^(?:第\s*[一二三四五六七八九十百0-9]{1,4}\s*[章节讲课篇单元部分]|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[）)]"
    r"|\d{1,2}(?:\.\d{1,2}){0,4}\.?\s*(?=[^\d\s.]))"
)
_SENTENCE = re.compile(r"[。；，;,]$|[。；].")
_RUN_IN = re.compile(r"[：:].{6}")  # a term led in by its name, whose explanation follows on the line


def to_blocks(parts: Sequence[Paragraph], outline: Outline) -> list[Block]:
    """The blocks in order; a heading that spans rows is one line."""
    body = _body_size(parts)
    entries = _entries(outline)
    levels = [_outline_level(part, entries) for part in parts]
    by_size = _size_levels(parts, levels, body)
    if sum(len(part.text) for part in parts if part.bold) > 0.5 * sum(len(part.text) for part in parts):
        parts = [replace(part, bold=False) for part in parts]  # weight tells nothing where all is bold
    out: list[Block] = []
    for part, level in zip(parts, levels, strict=True):
        found = level or _styled_level(part, body, by_size)
        if part.block is not None:
            out.append(part.block)
        elif found:
            out.append(Block("heading", re.sub(r"\s*\n\s*", " ", part.text), level=min(found, 9), page=part.page))
        else:
            kind = part.kind if part.kind in ("list", "code", "note") else "paragraph"
            out.append(Block(kind, part.text, page=part.page))
    return out


def _body_size(parts: Sequence[Paragraph]) -> float:
    sizes: Counter[float] = Counter()
    for part in parts:
        if part.block is None and part.kind != "code":
            sizes[round(part.size, 1)] += len(part.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _entries(outline: Outline) -> dict[tuple[int, str], int]:
    return {(page, title_key(title)): level for level, title, page in outline if title_key(title)}


def _outline_level(part: Paragraph, entries: dict[tuple[int, str], int]) -> int:
    if part.block is not None or len(part.text) > 2 * _LONGEST or not entries:
        return 0
    key = title_key(part.text)
    places = [(page, key) for page in (part.page, part.page - 1, part.page + 1)]
    return next((entries[place] for place in places if place in entries), 0)


def _size_levels(parts: Sequence[Paragraph], levels: Sequence[int], body: float) -> dict[float, int]:
    """Which level a font size stands for: as the outline shows it, else by rank among the larger sizes."""
    seen: defaultdict[float, Counter[int]] = defaultdict(Counter)
    for part, level in zip(parts, levels, strict=True):
        if level and part.size > body:
            seen[round(part.size)][level] += 1
    known = {size: counts.most_common(1)[0][0] for size, counts in seen.items()}
    larger = sorted(
        {round(part.size) for part in parts if _may_head(part) and part.size > _LARGER * body}, reverse=True
    )
    level = 0
    for size in larger:
        level = known.get(size, level + 1)
        known[size] = level
    return known


def _may_head(part: Paragraph) -> bool:
    if part.block is not None or part.kind in ("code", "note") or len(part.text) > _LONGEST or part.n_rows > 3:
        return False
    return not _SENTENCE.search(part.text) and bool(_NAME.search(part.text))


def _is_short_line(part: Paragraph) -> bool:
    return part.n_rows == 1 and len(part.text) <= _SHORT and not part.full and not _RUN_IN.search(part.text)


def _styled_level(part: Paragraph, body: float, by_size: dict[float, int]) -> int:
    if not _may_head(part):
        return 0
    if part.size > (_LARGER if len(part.text) <= _SHORT else _MUCH_LARGER) * body:
        return by_size.get(round(part.size), 0)
    if part.n_rows == 1 and len(part.text) <= _SHORT and (mark := CHAPTER_MARK.match(part.text)) and not part.full:
        return 2 if mark.group()[-1] in "节讲课" else 1
    deepest = max([level for size, level in by_size.items() if size > body], default=0)
    numbered = bool(_NUMBERED.match(part.text))
    if part.bold and part.size > 0.95 * body and _is_short_line(part):
        return deepest + 1 if numbered or not part.text.endswith((":", "：")) else 0
    return 0
