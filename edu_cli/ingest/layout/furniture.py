"""Running headers, footers and page numbers: told by their return over pages, and left out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from edu_cli.ingest.layout.line import Line, Row, median_size, rows_of
from edu_cli.text import fold

# Chosen and checked by bench/layout_constants.py.
_ZONE = 0.14  # of the page's height, at either end
_LEAST = 3  # pages on which a line has to return
_SHARE = 0.15  # of all pages: a running title may change with the chapter
_NUMBER = re.compile(
    r"(?:[-–—·•|\s]*(\d{1,4}|[ivxlc]{1,7})[-–—·•|\s]*|第\s*(\d{1,4})\s*页(?:[\s,，/]*共\s*\d+\s*页)?"
    r"|page\s*(\d{1,4})(?:\s*of\s*\d+)?|(\d{1,4})\s*/\s*\d{1,4})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A row near a page's end: its pieces without digits, where it stands (fortieths of the height), its numbers."""

    keys: tuple[str, ...]
    place: int
    numbers: tuple[int, ...]
    row: Row


def without_furniture(pages: Sequence[tuple[float, Sequence[Line]]]) -> list[list[Line]]:
    """The lines of each page (height, lines) without what is printed on page after page."""
    if len(pages) < _LEAST:
        return [list(lines) for _, lines in pages]
    edges = [_edges(height, lines) for height, lines in pages]
    repeated = _repeated(edges)
    offsets = Counter(number - at for at, found in enumerate(edges) for edge in found for number in edge.numbers)
    out: list[list[Line]] = []
    for at, (_, lines) in enumerate(pages):
        drop: set[int] = set()
        for edge in edges[at]:
            counting = any(offsets[number - at] >= _LEAST for number in edge.numbers)
            if counting or any((key, edge.place) in repeated for key in edge.keys):
                drop.update(id(line) for line in edge.row.lines)
        out.append([line for line in lines if id(line) not in drop])
    return out


def _edges(height: float, lines: Sequence[Line]) -> list[_Edge]:
    """Rows at the page's ends, from outside inwards as long as they stand apart from the text or differ in size."""
    rows = [row for row in rows_of(lines) if row.block is None]
    if not rows:
        return []
    body = median_size(lines)
    top = _apart([row for row in rows if row.box[3] < _ZONE * height], rows, body, down=True)
    bottom = _apart([row for row in reversed(rows) if row.box[1] > (1 - _ZONE) * height], rows[::-1], body, down=False)
    return [_edge(row, height) for row in (*top, *bottom)]


def _apart(zone: Sequence[Row], rows: Sequence[Row], body: float, *, down: bool) -> list[Row]:
    """The rows of the zone that a reader sees as no part of the text."""
    last = 0
    for index in range(len(zone)):
        nearer, row = (rows[index + 1] if index + 1 < len(rows) else None), rows[index]
        if nearer is None:
            return list(zone)
        gap = nearer.box[1] - row.box[3] if down else row.box[1] - nearer.box[3]
        counted = any(_number(line.text) is not None for line in row.lines)
        if gap > 1.1 * body or row.size < 0.93 * nearer.size or counted:
            last = index + 1
    return [row for row in zone[:last] if row.size < 1.3 * body]


def _edge(row: Row, height: float) -> _Edge:
    pieces = [*(line.text for line in row.lines), row.text]
    keys = {re.sub(r"\b\d{1,4}\b(?!\.\d)|\W+", "", re.sub(r"(?<=\d)\.(?=\d)", "", fold(piece))) for piece in pieces}
    numbers = [number for piece in pieces if (number := _number(piece)) is not None]
    place = round(40 * row.box[1] / height)
    return _Edge(tuple(key for key in keys if len(key) > 1), place, tuple(dict.fromkeys(numbers)), row)


def _repeated(edges: Sequence[Sequence[_Edge]]) -> set[tuple[str, int]]:
    """Keys and places that return on enough pages; a place may be off by one."""
    pages: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for at, found in enumerate(edges):
        for edge in found:
            for key in edge.keys:
                for place in (edge.place - 1, edge.place, edge.place + 1):
                    pages[key, place].add(at)
    return {spot for spot, where in pages.items() if len(where) >= max(_LEAST, _SHARE * len(edges))}


def _number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    digits = next(group for group in found.groups() if group)
    return int(digits) if digits.isdigit() else _roman(digits.lower())


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[char] for char in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
