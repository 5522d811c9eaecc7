"""Word tables -> rows that carry their headers; tables that only lay out a page -> the blocks inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from edu_cli.ingest.office.ooxml import Element, attribute, child, chosen, is_on, local, whole_number
from edu_cli.ingest.office.table_rows import Cell, table_blocks
from edu_cli.types import Block

# A cell past this is a page that a form frames (a lab report's "实验步骤"), not a value in a row.
_PROSE_CHARS = 600
_COLUMNS = 63  # Word's own limit

ReadBlocks = Callable[[Element | None], Iterator[Block]]


class _WordCell(NamedTuple):
    blocks: tuple[Block, ...]
    column: int
    columns: int
    continues: bool


def read_table(table: Element, read: ReadBlocks) -> Iterator[Block]:
    """`read` gives the blocks of a cell, inner tables among them."""
    marked = 0
    rows: list[list[_WordCell]] = []
    for row in _inside(table, "tr"):
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            continue
        if is_on(child(properties, "tblHeader")) and marked == len(rows):
            marked += 1
        rows.append(list(_cells(row, properties, read)))
    texts = [[Cell(_flat(cell.blocks), cell.column, cell.columns, cell.continues) for cell in row] for row in rows]
    if _is_layout(rows, texts):
        for row in rows:
            yield from _laid_out(row)
    else:
        yield from table_blocks(texts, marked)


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Rows or cells, also within content controls and accepted changes."""
    for e in element:
        kind = local(e)
        if kind == name:
            yield e
        elif kind == "sdt":
            content = child(e, "sdtContent")
            yield from _inside(content, name) if content is not None else ()
        elif kind in ("ins", "moveTo", "customXml"):
            yield from _inside(e, name)
        elif kind == "AlternateContent" and (branch := chosen(e)) is not None:
            yield from _inside(branch, name)


def _cells(row: Element, properties: Element | None, read: ReadBlocks) -> Iterator[_WordCell]:
    column = whole_number(child(properties, "gridBefore"), most=_COLUMNS)
    for cell in _inside(row, "tc"):
        own = child(cell, "tcPr")
        columns = max(1, whole_number(child(own, "gridSpan"), default=1, most=_COLUMNS))
        merge = child(own, "vMerge")
        continues = merge is not None and attribute(merge, "val", "continue") == "continue"
        if child(own, "hMerge") is not None and attribute(child(own, "hMerge"), "val", "continue") == "continue":
            column += columns  # the old way to merge cells: the cell is there, its text is not shown
            continue
        deleted = child(own, "cellDel") is not None
        yield _WordCell(() if continues or deleted else tuple(read(cell)), column, columns, continues)
        column += columns


def _flat(blocks: Iterable[Block]) -> str:
    """A cell on one line; an inner table as `a，b；c，d`."""
    return " ".join(_one_line(block) for block in blocks)


def _one_line(block: Block) -> str:
    if block.kind != "table":
        return " ".join(block.text.split())
    rows = [line for line in block.text.split("\n") if not set(line) <= set("|- ")]
    cells = [[text.strip() for text in row.strip("| ").split(" | ")] for row in rows]
    return "；".join("，".join(filter(None, row)) for row in cells)


def _is_layout(rows: Sequence[Sequence[_WordCell]], texts: Sequence[Sequence[Cell]]) -> bool:
    """One cell that frames its content, or cells that hold pages of prose, headings or code."""
    told = [cell for row in texts for cell in row if cell.text]
    if len(told) <= 1:
        return True
    if any(block.kind in ("heading", "code") for row in rows for cell in row for block in cell.blocks):
        return True
    return any(len(cell.text) > _PROSE_CHARS for cell in told)


def _laid_out(row: Sequence[_WordCell]) -> Iterator[Block]:
    """Short cells side by side as one line, long ones as the blocks they hold."""
    if len(row) == 1:
        yield from row[0].blocks
        return
    line: list[str] = []
    for cell in row:
        text = _flat(cell.blocks)
        if len(text) <= 100 and all(block.kind in ("paragraph", "list") for block in cell.blocks):
            line += [text] if text else []
            continue
        if line:
            yield Block("paragraph", " ".join(line))
            line = []
        yield from cell.blocks
    if line:
        yield Block("paragraph", " ".join(line))
