"""Cells of an office table -> one table block: a line a row, merged cells once, every row readable under its header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from edu_cli.types import Block

# A label over several rows ("周一", "实验甲") is repeated in each, so that a row found alone still says what it is of;
# longer texts stand once.
_REPEATED_CHARS = 40
_HEADER_CHARS = 60


class Cell(NamedTuple):
    """A cell that starts in grid column `column`; `continues` marks the lower part of a vertical merge."""

    text: str
    column: int
    columns: int = 1
    continues: bool = False


def table_blocks(rows: Sequence[Sequence[Cell]], marked_header_rows: int, page: int | None = None) -> list[Block]:
    """A caption where the first row is one cell over all columns, then the table; paragraphs for a single column."""
    kept = [row for row in rows if any(cell.text or cell.continues for cell in row)]
    if not kept:
        return []
    width = max(cell.column + cell.columns for row in kept for cell in row)
    blocks: list[Block] = []
    while len(kept) > 1 and width > 1 and _spans_all(kept[0], width):
        blocks.append(Block("caption", kept.pop(0)[0].text, page=page))
        marked_header_rows = max(0, marked_header_rows - 1)
    grid = _without_empty_columns(_filled(kept, width))
    if not grid:
        return blocks
    if len(grid[0]) == 1:
        return blocks + [Block("paragraph", row[0], page=page) for row in grid if row[0]]
    n_header = marked_header_rows or _header_rows(kept)
    header = ""
    if 0 < n_header < len(grid):
        head = _merged_header(_spread(kept[:n_header], width))
        head = [head[i] for i in _used_columns(_filled(kept, width))]
        header = f"{_line(head)}\n|{' --- |' * len(head)}"
        grid = grid[n_header:]
    lines = [header] if header else []
    return [*blocks, Block("table", "\n".join([*lines, *map(_line, grid)]), page=page, header=header)]


def _spans_all(row: Sequence[Cell], width: int) -> bool:
    told = [cell for cell in row if cell.text]
    return len(told) == 1 and told[0].columns == width and not told[0].continues


def _header_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """How many rows the first row's vertical merges take in; 0 where the first row has gaps or texts too long."""
    first = rows[0]
    # The corner above a column of row labels may be empty.
    if len(rows) < 2 or any((not cell.text and cell.column) or len(cell.text) > _HEADER_CHARS for cell in first):
        return 0
    n_rows = 1
    for row in rows[1:]:
        upper = any(cell.continues and cell.column in {c.column for c in first} for cell in row)
        finer = len(row) > len(first) or any(cell.columns < _span_at(first, cell.column) for cell in row)
        if not (upper and finer):
            break
        n_rows += 1
    return n_rows if n_rows < len(rows) else 1


def _span_at(row: Sequence[Cell], column: int) -> int:
    return next((c.columns for c in row if c.column <= column < c.column + c.columns), 1)


def _filled(rows: Sequence[Sequence[Cell]], width: int) -> list[list[str]]:
    """A text a grid column: horizontal merges once, short labels of vertical merges in each of their rows."""
    grid: list[list[str]] = []
    for row in rows:
        line = [""] * width
        for cell in row:
            text = cell.text
            if cell.continues and not text and grid:
                above = grid[-1][cell.column]
                text = above if len(above) <= _REPEATED_CHARS else ""
            line[cell.column] = text
        grid.append(line)
    return grid


def _spread(rows: Sequence[Sequence[Cell]], width: int) -> list[list[str]]:
    """As `_filled`, with horizontal merges in each of their columns: for headers over headers."""
    grid: list[list[str]] = []
    for row in rows:
        line = [""] * width
        for cell in row:
            text = grid[-1][cell.column] if cell.continues and grid else cell.text
            line[cell.column : cell.column + cell.columns] = [text] * cell.columns
        grid.append(line)
    return grid


def _merged_header(grid: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(dict.fromkeys(text for text in column if text)) for column in zip(*grid, strict=True)]


def _used_columns(grid: Sequence[Sequence[str]]) -> list[int]:
    return [i for i in range(len(grid[0])) if any(row[i] for row in grid)]


def _without_empty_columns(grid: Sequence[Sequence[str]]) -> list[list[str]]:
    used = _used_columns(grid)
    return [[row[i] for i in used] for row in grid] if used else []


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(text.split()).replace("|", "\\|") for text in texts) + " |"
