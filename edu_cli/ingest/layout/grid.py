"""Rows whose pieces stand in columns, without ruling lines, -> tables; and cells -> a table's text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from edu_cli.ingest.layout.join import LIST_MARK
from edu_cli.ingest.layout.line import Line, Row, close_han, join_rows, rows_of, union
from edu_cli.types import Block

# Chosen and checked by bench/layout_constants.py.
_LEAST_ROWS = 3
_GAP = 0.9  # ems of white between two columns, at least
_FAR = 4.0  # ems from one row of a table to the next, at most
_WORD = re.compile("[\u3400-\u9fff\uac00-\ud7af]{2}|[A-Za-z]{3}|^[\u4e00-\u9fff]$")
_FIGURE = re.compile(
    r"[-+±]?[\d.,:/年月日%‰\-~～—–—()（） ￥$€]*\d[\d.,:/%‰\-~～—–()（） 周节分元个年月日页次天时人]*|[√×✓✗○●/—-]"
)
_EQUATION = re.compile(r"[(（]\d{1,3}(?:[.\-]\d{1,3}){0,2}[)）]")


def table_block(cells: Sequence[Sequence[str]], page: int | None, header: Sequence[str] | None = None) -> Block:
    """A table of `cells`, all rows equally long; the first row is the header, or `header` where a page began inside."""
    body = [_line(row) for row in cells]
    head = [_line(header)] if header is not None else body[:1]
    rows = body if header is not None else body[1:]
    rule = "|" + " --- |" * len(header if header is not None else cells[0])
    top = "\n".join([*head, rule])
    return Block("table", "\n".join([top, *rows]), page=page, header=top)


def _line(row: Sequence[str]) -> str:
    return "| " + " | ".join(re.sub(r"\s+", " ", cell).strip().replace("|", "\\|") for cell in row) + " |"


def with_tables(lines: Sequence[Line], page: int | None) -> list[Line]:
    """The lines of a region, each run of aligned rows replaced by one line that holds the table."""
    rows = rows_of(lines)
    out: list[Line] = []
    at = 0
    while at < len(rows):
        end = _run(rows, at)
        cells = _cells(rows[at:end]) if end - at >= _LEAST_ROWS else None
        if cells is None:
            out += rows[at].lines
            at += 1
            continue
        members = [line for row in rows[at:end] for line in row.lines]
        box = union([line.box for line in members])
        confidence = sum(line.confidence for line in members) / len(members)
        out.append(Line("", box, rows[at].size, confidence=confidence, block=table_block(cells, page)))
        at = end
    return out


def _run(rows: Sequence[Row], start: int) -> int:
    """The end of the rows from `start` on that keep to the same columns; a row of one piece may continue a cell."""
    if not _is_tabular(rows[start]):
        return start
    columns: list[tuple[float, float]] = []
    end = start
    for row in rows[start:]:
        if row.block or (end > start and row.box[1] - rows[end - 1].box[3] > _FAR * row.size):
            break
        if not _is_tabular(row) and not (end > start and _continues(row, columns)):
            break
        merged = _merged([*columns, *((line.box[0], line.box[2]) for line in row.lines)], _GAP * row.size)
        if columns and len(merged) < max(2, len(columns) - (len(columns) > 3)):
            break
        columns = merged
        end += 1
    while end > start and not _is_tabular(rows[end - 1]) and end - start > _LEAST_ROWS:
        end -= 1
    return end


def _is_tabular(row: Row) -> bool:
    if row.block or len(row.lines) < 2:
        return False
    gaps = [b.box[0] - a.box[2] for a, b in zip(row.lines, row.lines[1:], strict=False)]
    options = sum(bool(LIST_MARK.match(line.text)) for line in row.lines)
    return max(gaps) > _GAP * row.size and options < 2 and not row.code


def _continues(row: Row, columns: Sequence[tuple[float, float]]) -> bool:
    x0, x1 = row.box[0], row.box[2]
    return any(low - 0.5 * row.size <= x0 and x1 <= high + 0.5 * row.size for low, high in columns)


def _merged(spans: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if out and low - out[-1][1] < gap:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return out


def _cells(rows: Sequence[Row]) -> list[list[str]] | None:
    size = rows[0].size
    columns = _merged([(line.box[0], line.box[2]) for row in rows for line in row.lines], _GAP * size)
    if len(columns) < 2:
        return None
    table: list[list[str]] = []
    for row in rows:
        cells = [""] * len(columns)
        for line in row.lines:
            index = next(i for i, (low, high) in enumerate(columns) if low <= line.box[0] and line.box[2] <= high)
            cells[index] = join_rows(cells[index], line.text.strip())
        filled = [i for i, cell in enumerate(cells) if cell]
        if len(filled) == 1 and table and table[-1][filled[0]]:
            table[-1][filled[0]] = close_han(join_rows(table[-1][filled[0]], cells[filled[0]]))
        else:
            table.append([close_han(cell) for cell in cells])
    return table if len(table) >= _LEAST_ROWS and _is_regular(table) else None


def _is_regular(table: Sequence[Sequence[str]]) -> bool:
    """Whether most cells are filled, short, and words or figures.

    Text that only happens to be spaced out, numbered equations and the labels of a drawing are not.
    """
    cells = [cell for row in table for cell in row]
    filled = [cell for cell in cells if cell]
    if len(filled) < 0.6 * len(cells) or sum(len(cell) for cell in filled) > 40 * len(filled):
        return False
    equations = sum(bool(_EQUATION.fullmatch(cell)) for cell in filled)
    words = sum(bool(_WORD.search(cell)) for cell in filled)
    if told_share(filled) < 0.75 or words < 2 or equations >= max(2, 0.2 * len(table)):
        return False
    return len(table[0]) > 2 or not _is_numbering([row[0] for row in table])


def _is_numbering(column: Sequence[str]) -> bool:
    """Whether a column only counts its rows, as the numbers before the rows of a listing do."""
    numbers = " ".join(column).split()
    return all(number.isdecimal() for number in numbers) and all(
        int(after) == int(before) + 1 for before, after in itertools.pairwise(numbers)
    )


def told_share(filled: Sequence[str]) -> float:
    """The share of cells that are words or figures."""
    return sum(bool(_WORD.search(cell) or _FIGURE.fullmatch(cell)) for cell in filled) / max(1, len(filled))
