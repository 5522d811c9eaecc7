"""Rows of cells -> a table block."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.types import Block

_VERBATIM = re.compile(r"`[^`]*`|\$[^$]*\$")
_PIPE = re.compile(r"(?<!\\)\|")


def table_block(rows: Sequence[Sequence[str]], *, has_header: bool = True, page: int | None = None) -> Block | None:
    """Rows as `| a | b |` lines, short ones filled up; None where every cell is empty.

    With `has_header` the first row and a `| --- |` line are the block's header, so that every piece of a long table can
    repeat them. Line breaks inside a cell become spaces, a `|` is escaped.
    """
    shown = [cells for row in rows if any(cells := [_cell(cell) for cell in row])]
    if not shown:
        return None
    width = max(len(row) for row in shown)
    lines = [_line(row, width) for row in shown]
    if not has_header or len(lines) < 2:
        return Block(kind="table", text="\n".join(lines), page=page)
    header = f"{lines[0]}\n{_line(['---'] * width, width)}"
    return Block(kind="table", text="\n".join([header, *lines[1:]]), page=page, header=header)


def row_cells(line: str, width: int) -> list[str]:
    """The cells of a row of a pipe table with `width` columns.

    Where a row has more cells than that, a `|` inside a formula or code is taken for text; what is still too much stays
    in the last cell, while CommonMark's tables would drop it.
    """
    row = line.strip()
    row = row[1:] if row.startswith("|") else row
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    cells = _PIPE.split(row)
    if len(cells) > width:
        cells = [cell.replace("\0", "|") for cell in _PIPE.split(_VERBATIM.sub(lambda m: m[0].replace("|", "\0"), row))]
    return [*cells[: width - 1], "|".join(cells[width - 1 :])] if len(cells) > width else cells


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def _line(cells: Sequence[str], width: int) -> str:
    return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"
