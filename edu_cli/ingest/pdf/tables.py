"""Ruled tables of a page, by PyMuPDF, in the place of their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edu_cli.ingest.layout.grid import table_block, told_share
from edu_cli.ingest.layout.line import Box, Line, close_han, join_rows

_MIN_RULE = 20.0  # points
# Shares of a table's area that its cells come to: 1.0 in every real table met, .51 and 1.07 to 1.37 in drawings.
_LEAST_COVER, _MOST_COVER = 0.75, 1.03


def ruled_tables(page: Any, paths: Sequence[Any], lines: Sequence[Line], number: int) -> list[Line]:
    """The lines, those inside a ruled table replaced by it. Costs little where nothing is ruled.

    `paths` are the page's `get_cdrawings()`.
    """
    if not lines or not _has_grid(paths):
        return list(lines)
    out = list(lines)
    for table in page.find_tables().tables:
        cells = [[_cell(cell) for cell in row] for row in table.extract()]
        cells = _without_empty(cells)
        box = tuple(float(edge) for edge in table.bbox)
        inside = [line for line in out if _holds(box, line.box)]
        if len(cells) < 2 or len(cells[0]) < 2 or not inside or not _is_table(cells):
            continue
        if not _tiles(table) or any(line.block for line in inside):
            continue
        size = sorted(line.size for line in inside)[len(inside) // 2]
        out = [line for line in out if not _holds(box, line.box)]
        out.append(Line("", (box[0], box[1], box[2], box[3]), size, block=table_block(cells, number)))
    return out


def _has_grid(paths: Sequence[Any]) -> bool:
    """Whether the page has at least two rules each way (a box counts as both)."""
    across: set[int] = set()
    down: set[int] = set()
    for path in paths:
        for item in path["items"]:
            if item[0] == "l":
                _note_rule(item[1], item[2], across, down)
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1][:4]
                _note_rule((x0, y0), (x1, y0), across, down)
                _note_rule((x0, y1), (x1, y1), across, down)
                _note_rule((x0, y0), (x0, y1), across, down)
                _note_rule((x1, y0), (x1, y1), across, down)
        if len(across) >= 2 and len(down) >= 2:
            return True
    return False


def _note_rule(a: Sequence[float], b: Sequence[float], across: set[int], down: set[int]) -> None:
    if abs(a[1] - b[1]) < 1.0 and abs(a[0] - b[0]) > _MIN_RULE:
        across.add(round(a[1] / 3))
    elif abs(a[0] - b[0]) < 1.0 and abs(a[1] - b[1]) > 8.0:
        down.add(round(a[0] / 3))


def _tiles(table: Any) -> bool:
    """Whether the cells fill the table side by side; the frames that crossing strokes make do not."""
    cells = [cell for cell in table.cells if cell]
    return _LEAST_COVER < sum(map(_area, cells)) / max(1.0, _area(table.bbox)) < _MOST_COVER


def _area(box: Sequence[float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _cell(text: str | None) -> str:
    joined = ""
    for row in (text or "").split("\n"):
        joined = join_rows(joined, row.strip())
    return close_han(joined)


def _without_empty(cells: list[list[str]]) -> list[list[str]]:
    rows = [row for row in cells if any(row)]
    if not rows:
        return []
    used = [index for index in range(len(rows[0])) if any(row[index] for row in rows)]
    return [[row[index] for index in used] for row in rows]


def _is_table(cells: Sequence[Sequence[str]]) -> bool:
    """A frame around prose or code is no table, nor is a drawing of boxes with letters in them."""
    filled = [cell for row in cells for cell in row if cell]
    return len(filled) >= 0.4 * len(cells) * len(cells[0]) and told_share(filled) >= 0.4


def _holds(outer: Sequence[float], box: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - 1 <= x <= outer[2] + 1 and outer[1] - 1 <= y <= outer[3] + 1
