"""Boxes on a slide -> the order in which a reader takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar


class Box(NamedTuple):
    """Edges in EMU (914,400 an inch), from the upper left corner of the slide."""

    x0: float
    y0: float
    x1: float
    y1: float


_Item = TypeVar("_Item")

# Text boxes are taller and wider than their text and overlap a little; only their middles must stand apart.
_SHRINK = 0.15


def reading_order(items: Sequence[tuple[Box, _Item]]) -> list[_Item]:
    """Recursive cuts: wherever a straight line parts the boxes, along the widest gap first.

    What stands nearer together is read together: a column under its heading before the next column, a label with the
    description beside it before the next row. Boxes that no line parts go by their upper left corners.
    """
    if len(items) < 2:
        return [item for _, item in items]
    rows, row_gap = _parted(items, axis=1)
    columns, column_gap = _parted(items, axis=0)
    parts = rows if row_gap >= column_gap else columns
    if len(parts) < 2:
        return [item for _, item in sorted(items, key=lambda entry: (entry[0].y0, entry[0].x0))]
    return [item for part in parts for item in reading_order(part)]


def _parted(items: Sequence[tuple[Box, _Item]], axis: int) -> tuple[list[list[tuple[Box, _Item]]], float]:
    """The items on either side of the widest gap along an axis (0 x, 1 y), and the gap; one part without a gap."""

    def edges(entry: tuple[Box, _Item]) -> tuple[float, float]:
        low, high = entry[0][axis], entry[0][axis + 2]
        margin = _SHRINK * (high - low)
        return low + margin, high - margin

    ordered = sorted(items, key=edges)
    reach = edges(ordered[0])[1]
    widest, cut = -1.0, 0
    for i, entry in enumerate(ordered[1:], 1):
        low, high = edges(entry)
        if low - reach > widest and low >= reach:
            widest, cut = low - reach, i
        reach = max(reach, high)
    return ([ordered[:cut], ordered[cut:]], widest) if cut else ([ordered], -1.0)
