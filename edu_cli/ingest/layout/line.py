"""Printed lines of a page, from a text layer or from OCR, and how the pieces of a row become text."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from edu_cli.ingest.text.plausible import is_word_pair
from edu_cli.types import Block

Box = tuple[float, float, float, float]

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE = _HAN + "\u3000-\u30ff\u31f0-\u31ff\uff00-\uffef\u2018\u2019\u201c\u201d\u2026\u2014"
_WIDE_END = re.compile(f"[{_WIDE}]$")
_WIDE_START = re.compile(f"^[{_WIDE}]")
WIDE = re.compile(f"[{_WIDE}]")
_SPACED_HAN = re.compile(f"(?<=([{_HAN}])) +(?=([{_HAN}]))")
_CODE_SHARE = 0.6  # below it a row is prose with terms in it
_HYPHENATED = re.compile(r"[^\W\d_]{2,}[-\u00ad\u2010]$")


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of a printed line: `box` and `size` (its em) in one unit, y downwards.

    `block` is set where something finished (a table, the text of a picture) stands instead of text.
    """

    text: str
    box: Box
    size: float
    bold: bool = False
    mono: bool = False
    confidence: float = 1.0
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """All that stands on one baseline of a column, left to right."""

    lines: tuple[Line, ...]
    box: Box
    size: float
    code: bool = False

    @property
    def block(self) -> Block | None:
        """The finished block that the row is, if any."""
        return self.lines[0].block

    @property
    def text(self) -> str:
        """The pieces joined: no space between Chinese characters that stand close."""
        text = self.lines[0].text
        for left, right in zip(self.lines, self.lines[1:], strict=False):
            gap = right.box[0] - left.box[2]
            text = join_pieces(text, right.text, close=gap < 0.6 * self.size, touching=gap < 0.12 * self.size)
        return text.strip()

    @property
    def bold(self) -> bool:
        """Whether nearly all of the row is bold."""
        total = sum(len(line.text) for line in self.lines)
        return sum(len(line.text) for line in self.lines if line.bold) > 0.9 * total


def join_pieces(left: str, right: str, *, close: bool, touching: bool) -> str:
    """Two pieces of one row as one text."""
    wide = _WIDE_END.search(left) and _WIDE_START.search(right)
    if touching or (close and wide) or left.endswith(" ") or right.startswith(" "):
        return left + right
    return f"{left} {right}"


def join_rows(left: str, right: str) -> str:
    """Two rows of one paragraph as one text: Chinese without a space, Latin hyphenation undone."""
    if not left or not right:
        return left + right
    if _WIDE_END.search(left) or _WIDE_START.search(right):
        return left + right
    if left[-1] == "\u00ad":
        return left[:-1] + right
    if _HYPHENATED.search(left) and right[0].islower() and "-" not in right.split(" ")[0]:
        return left[:-1] + right
    if left[-1] in "-/" or (left[-1] in ".,:" and left[-2:-1].isdigit() and right[0].isdigit()):
        return left + right
    return f"{left} {right}"


def close_han(text: str) -> str:
    """The text with no space inside a Chinese word (a typesetter's tracking, not a gap between words)."""
    return _SPACED_HAN.sub(lambda found: "" if is_word_pair(found[1], found[2]) else found[0], text)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box around all."""
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Rows from top to bottom; lines share a row when they overlap by half of the lower one's height."""
    groups: list[list[Line]] = []
    spans: list[tuple[float, float]] = []
    for line in sorted(lines, key=lambda item: (item.box[1] + item.box[3], item.box[0])):
        top, bottom = line.box[1], line.box[3]
        if groups and line.block is None and groups[-1][0].block is None:
            low, high = spans[-1]
            if min(bottom, high) - max(top, low) > 0.5 * min(bottom - top, high - low):
                groups[-1].append(line)
                if line.size >= 0.8 * max(item.size for item in groups[-1]):  # scripts do not widen the row
                    spans[-1] = (min(low, top), max(high, bottom))
                continue
        groups.append([line])
        spans.append((top, bottom))
    return [_row(group) for group in groups]


def _row(group: Sequence[Line]) -> Row:
    ordered = tuple(sorted(group, key=lambda line: line.box[0]))
    weights = [(line.size, max(1, len(line.text))) for line in ordered]
    size = max(weights, key=lambda item: (item[1], item[0]))[0]
    return Row(ordered, union([line.box for line in ordered]), size, _is_code(ordered))


def _is_code(lines: Sequence[Line]) -> bool:
    """Whether the Latin part of a row is in a typewriter font and makes a good part of it."""
    letters = [(sum(char.isascii() for char in line.text), line.mono) for line in lines]
    typed = sum(n for n, mono in letters if mono)
    return typed > 0.8 * sum(n for n, _ in letters) and typed > _CODE_SHARE * sum(len(line.text) for line in lines)


def median_size(lines: Sequence[Line]) -> float:
    """The em of most of the text (weighted by length); 1 where there is none."""
    sizes = [line.size for line in lines for _ in range(max(1, len(line.text))) if line.block is None]
    return statistics.median_low(sizes) if sizes else 1.0
