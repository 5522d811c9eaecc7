"""Paragraphs over the ends of columns and pages: sentences, code and tables that were cut are made whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from edu_cli.ingest.layout.join import ENDS, Paragraph, cells
from edu_cli.ingest.layout.line import join_rows
from edu_cli.types import Block

_ASIDE = ("note", "block")  # may stand between the two halves of a sentence
_MOST_ASIDE = 6


def carry_over(parts: Sequence[Paragraph]) -> list[Paragraph]:
    """Joins what the end of a column or page cut; over a page end only the open sentence moves to the first page.

    So a text keeps the page that it stands on, and no sentence is cut.
    """
    out: list[Paragraph] = []
    for part in parts:
        at = _open_end(out, part)
        if part.kind == "code" and out and _is_same_code(out[-1], part):
            out[-1] = _with_code(out[-1], part)
        elif at is None:
            out.append(part)
        else:
            last = out[at]
            head, tail = (part.text, "") if part.page == last.page else _first_sentence(part.text)
            out[at] = replace(last, text=join_rows(last.text, head), full=part.full and not tail)
            if tail:
                out.append(replace(part, text=tail, indented=True))
    return out


def _open_end(out: Sequence[Paragraph], part: Paragraph) -> int | None:
    """Where the paragraph stands that `part` goes on with, if any."""
    at = len(out) - 1
    while at >= 0 and len(out) - at <= _MOST_ASIDE and out[at].kind in _ASIDE:
        at -= 1
    return at if at >= 0 and _runs_on(out[at], part) else None


def _runs_on(last: Paragraph, part: Paragraph) -> bool:
    if last.kind not in ("paragraph", "list") or part.kind != "paragraph" or not last.full or part.indented:
        return False
    if abs(last.size - part.size) > 0.12 * max(last.size, part.size):
        return False
    return not ENDS.search(last.text) and last.page <= part.page <= last.page + 1


def _first_sentence(text: str) -> tuple[str, str]:
    found = re.search(r"[。！？!?；;][”’」』）)】\"']*|[.](?=\s)", text)
    return (text, "") if found is None else (text[: found.end()], text[found.end() :].lstrip())


def _is_same_code(last: Paragraph, part: Paragraph) -> bool:
    return last.kind == "code" and last.page == part.page and abs(last.size - part.size) < 0.1 * last.size


def _with_code(last: Paragraph, part: Paragraph) -> Paragraph:
    """Two pieces of a listing as one, both set in as they stand on the page."""
    char = (last.box[2] - last.box[0]) / max(map(cells, last.text.split("\n")))
    shift = round((part.box[0] - last.box[0]) / char)
    blank = part.box[1] - last.box[3] > 0.9 * last.size
    text = _set_in(last.text, -shift) + ("\n\n" if blank else "\n") + _set_in(part.text, shift)
    box = (min(last.box[0], part.box[0]), last.box[1], max(last.box[2], part.box[2]), part.box[3])
    return replace(last, text=text, box=box, n_rows=last.n_rows + part.n_rows)


def _set_in(text: str, by: int) -> str:
    return text if by <= 0 else "\n".join(" " * by + row for row in text.split("\n"))


def continue_tables(parts: Sequence[Paragraph]) -> list[Paragraph]:
    """Gives a table that goes on over a page end the header of its beginning."""
    out: list[Paragraph] = []
    for part in parts:
        before = next((other for other in reversed(out) if other.kind != "note"), None)
        if before is not None and before.block and part.block and _goes_on(before, part):
            out.append(replace(part, block=_headed(part.block, before.block)))
        else:
            out.append(part)
    return out


def _goes_on(before: Paragraph, part: Paragraph) -> bool:
    first, second = before.block, part.block
    if first is None or second is None or {first.kind, second.kind} != {"table"} or part.page != before.page + 1:
        return False
    same_width = abs((before.box[2] - before.box[0]) - (part.box[2] - part.box[0])) < 0.1 * (
        before.box[2] - before.box[0]
    )
    return same_width and first.header.count(" | ") == second.header.count(" | ")


def _headed(block: Block, before: Block) -> Block:
    if block.header == before.header:
        return block
    rows = block.text.split("\n")
    return replace(block, text="\n".join([before.header, rows[0], *rows[2:]]), header=before.header)
