"""Lines of a page -> regions in reading order: columns, spreads of two pages, titles across, notes in the margin."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from edu_cli.ingest.layout.line import Line, median_size

# Chosen and checked by bench/layout_constants.py.
_BINS = 240
_MIN_LINES = 3  # a side with fewer lines is no column
_MIN_EMS = 7.0  # the cells of a table are narrower than the lines of a column
_FULL = 0.55  # lines of a column fill it; cells seldom do
_FLUSH = 6  # justified lines that make an edge
_BESIDE = 0.55  # of the text's width that notes beside it take up at most; a column is as wide as the other


@dataclass(frozen=True, slots=True)
class Region:
    """Lines to be read from top to bottom; `margin` tells that they stand beside the text."""

    lines: tuple[Line, ...]
    margin: bool = False


def regions(lines: Sequence[Line]) -> list[Region]:
    """The lines as regions in reading order, notes in the margin last."""
    body, notes = _without_margin(lines)
    found = [Region(tuple(column)) for column in _columns(body)]
    return [*found, *(Region(tuple(column), margin=True) for column in _columns(notes))]


def _columns(lines: Sequence[Line], depth: int = 0) -> list[list[Line]]:
    gutter = _gutter(lines) if depth < 3 and len(lines) > 2 * _MIN_LINES - 1 else None
    if gutter is None:
        return [list(lines)] if lines else []
    across = sorted((line for line in lines if line.box[0] < gutter < line.box[2]), key=_middle)
    rest = [line for line in lines if not line.box[0] < gutter < line.box[2]]
    edges = [_middle(line) for line in across]
    bands: list[list[Line]] = [[] for _ in range(len(across) + 1)]
    for line in rest:
        bands[sum(edge < _middle(line) for edge in edges)].append(line)
    out: list[list[Line]] = [[]]
    for index, band in enumerate(bands):
        left = [line for line in band if line.box[2] <= gutter]
        right = [line for line in band if line.box[0] >= gutter]
        if min(len(left), len(right)) >= 2:
            out += [*_columns(left, depth + 1), *_columns(right, depth + 1), []]
        else:
            out[-1] += band
        out[-1] += across[index : index + 1]
    return [column for column in out if column]


def _without_margin(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The lines of the text, and those beyond an edge to which many of them are justified."""
    em = median_size(lines)
    long = [line for line in lines if line.box[2] - line.box[0] > 2 * _MIN_EMS * em]
    if len(long) >= _FLUSH:
        for side in (2, 0):
            edge, flush = Counter(round(2 * line.box[side] / em) for line in long).most_common(1)[0]
            beyond, text = _split(lines, edge * em / 2, em, side)
            if flush >= max(_FLUSH, 0.4 * len(long)) and 0 < len(beyond) < len(text) and _is_beside(beyond, text, em):
                return text, beyond
    return list(lines), []


def _split(lines: Sequence[Line], edge: float, em: float, side: int) -> tuple[list[Line], list[Line]]:
    if side == 2:
        beyond = [line for line in lines if line.box[0] > edge + 0.4 * em]
    else:
        beyond = [line for line in lines if line.box[2] < edge - 0.4 * em]
    kept = {id(line) for line in beyond}
    return beyond, [line for line in lines if id(line) not in kept]


def _is_beside(beyond: Sequence[Line], text: Sequence[Line], em: float) -> bool:
    """Notes are words in small numbers, apart from the text, and no line of the text crosses over to them."""
    low, high = min(line.box[0] for line in beyond), max(line.box[2] for line in beyond)
    crossing = sum(line.box[0] < high and line.box[2] > low for line in text)
    words = sum(len(line.text) >= 4 for line in beyond)
    width = max(line.box[2] for line in text) - min(line.box[0] for line in text)
    return crossing <= 1 and 4 * em < high - low < _BESIDE * width and words >= 0.6 * len(beyond)


def _middle(line: Line) -> float:
    return (line.box[1] + line.box[3]) / 2


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x that parts the lines into two columns; None where they are one."""
    x0 = min(line.box[0] for line in lines)
    x1 = max(line.box[2] for line in lines)
    em = median_size(lines)
    if x1 - x0 < 2 * _MIN_EMS * em:
        return None
    step = (x1 - x0) / _BINS
    cover = [0] * _BINS
    for line in lines:
        first, last = int((line.box[0] - x0) / step), int((line.box[2] - x0) / step)
        for index in range(first, min(last, _BINS - 1) + 1):
            cover[index] += 1
    low, high = int(0.15 * _BINS), int(0.85 * _BINS)
    fewest = min(cover[low:high])
    if fewest > 0.35 * len(lines):
        return None
    best = max(_runs(cover, low, high, fewest + len(lines) // 40), key=lambda run: run[1] - run[0])
    if (best[1] - best[0]) * step < 0.8 * em:
        return None
    middle = x0 + (best[0] + best[1]) / 2 * step
    return middle if _are_columns(lines, middle, em) else None


def _runs(cover: Sequence[int], low: int, high: int, most: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = None
    for index in range(low, high + 1):
        free = index < high and cover[index] <= most
        if free and start is None:
            start = index
        elif not free and start is not None:
            found.append((start, index))
            start = None
    return found


def _are_columns(lines: Sequence[Line], middle: float, em: float) -> bool:
    left = [line for line in lines if line.box[2] <= middle]
    right = [line for line in lines if line.box[0] >= middle]
    if min(len(left), len(right)) < _MIN_LINES or not _side_by_side(left, right):
        return False
    return all(_fills(side, em) for side in (left, right))


def _side_by_side(left: Sequence[Line], right: Sequence[Line]) -> bool:
    low = max(min(line.box[1] for line in left), min(line.box[1] for line in right))
    high = min(max(line.box[3] for line in left), max(line.box[3] for line in right))
    shortest = min(max(line.box[3] for line in side) - min(line.box[1] for line in side) for side in (left, right))
    return high - low > 0.3 * shortest


def _fills(side: Sequence[Line], em: float) -> bool:
    width = max(line.box[2] for line in side) - min(line.box[0] for line in side)
    if any(line.block and line.box[2] - line.box[0] > _MIN_EMS * em for line in side):
        return True
    middling = statistics.median(line.box[2] - line.box[0] for line in side)
    many_long = sum(line.box[2] - line.box[0] > _MIN_EMS * em for line in side) >= 5
    return (middling > _MIN_EMS * em and middling > _FULL * width) or (many_long and width > 2 * _MIN_EMS * em)
