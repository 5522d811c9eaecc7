"""Rows of a column -> paragraphs: lines joined, lists and code told apart, sentences carried over columns and pages."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edu_cli.ingest.page_line import Box, Line, Row, close_han, join_rows, rows_of, union
from edu_cli.types import Block

ParagraphKind = Literal["paragraph", "list", "code", "block"]

_CHINESE_DIGITS = "一二三四五六七八九十百零〇0-9０-９"
LIST_MARK = re.compile(
    r"^(?:[•●○◦■□◆◇▪▫►▶➢➤✓✔❖–—*·\-]\s+"
    r"|[•●○◦■□◆◇▪▫►▶➢➤✓✔❖]"
    r"|\d{1,3}(?:\.\d{1,3}){0,4}[.、．]\s*(?=\D)|\d{1,2}\s*[)）]|[(（]\s*(?:\d{1,2}|[一二三四五六七八九十]+|[a-zA-Z])\s*[)）]"
    r"|[①-⑳]|[一二三四五六七八九十]{1,3}、|[A-Ha-h][.、．)）]\s*"
    rf"|第[{_CHINESE_DIGITS}]+[章节讲课条题部篇回])"
)
_ENDS = re.compile(r"[。！？!?；;…：:.][”’」』）)\]】\"']*$")
_OPENS_LATIN = re.compile(r"^\S+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Joined rows. `full` tells that the last row reached the right edge, `indented` that the first one is set in."""

    kind: ParagraphKind
    text: str
    box: Box
    size: float
    bold: bool
    page: int
    n_rows: int
    full: bool
    indented: bool
    confidence: float = 1.0
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class _Measure:
    """A column's edges, its em and its usual distance from row to row."""

    left: float
    right: float
    em: float
    gap: float


def paragraphs(lines: Sequence[Line], page: int) -> list[Paragraph]:
    """The paragraphs of one region in reading order."""
    rows = rows_of(lines)
    if not rows:
        return []
    measure = _measure(rows)
    groups: list[list[Row]] = [[rows[0]]]
    for before, row in itertools.pairwise(rows):
        if _breaks(groups[-1], before, row, measure):
            groups.append([row])
        else:
            groups[-1].append(row)
    return [_paragraph(group, measure, page) for group in groups]


def carry_over(parts: Sequence[Paragraph]) -> list[Paragraph]:
    """Joins a paragraph that the end of a column cut; over a page end only its open sentence moves to the first page.

    So a text keeps the page that it stands on, and no sentence is cut.
    """
    out: list[Paragraph] = []
    for part in parts:
        if not (out and _runs_on(out[-1], part)):
            out.append(part)
            continue
        last = out[-1]
        head, tail = (part.text, "") if part.page == last.page else _first_sentence(part.text)
        out[-1] = replace(last, text=join_rows(last.text, head), full=part.full and not tail)
        if tail:
            out.append(replace(part, text=tail, indented=True))
    return out


def _first_sentence(text: str) -> tuple[str, str]:
    found = re.search(r"[。！？!?；;][”’」』）)】\"']*|[.](?=\s)", text)
    return (text, "") if found is None else (text[: found.end()], text[found.end() :].lstrip())


def _runs_on(last: Paragraph, part: Paragraph) -> bool:
    if last.kind not in ("paragraph", "list") or part.kind != "paragraph" or not last.full:
        return False
    if part.indented or last.bold != part.bold or abs(last.size - part.size) > 0.12 * last.size:
        return False
    return not _ENDS.search(last.text) and last.page <= part.page <= last.page + 1


def _measure(rows: Sequence[Row]) -> _Measure:
    texts = [row for row in rows if row.block is None] or list(rows)
    em = statistics.median_low([row.size for row in texts for _ in range(max(1, len(row.text) // 4))])
    body = [row for row in texts if abs(row.size - em) < 0.2 * em] or texts
    rights = sorted(row.box[2] for row in body)
    lefts = sorted(row.box[0] for row in body)
    gaps = [b.box[1] - a.box[3] for a, b in itertools.pairwise(body) if b.box[1] - a.box[3] < 1.5 * em]
    usual = statistics.median(gaps) if gaps else 0.4 * em
    return _Measure(lefts[len(lefts) // 20], rights[-1 - len(rights) // 20], em, usual)


def _breaks(group: Sequence[Row], before: Row, row: Row, measure: _Measure) -> bool:
    if before.block or row.block or _looks_different(before, row):
        return True
    gap = row.box[1] - before.box[3]
    if gap > max(measure.gap + 0.6 * measure.em, 1.7 * measure.gap):
        return True
    if row.mono:
        return gap > measure.gap + 1.2 * measure.em
    if LIST_MARK.match(row.text):
        return True
    hanging = bool(LIST_MARK.match(group[0].text)) and row.box[0] > group[0].box[0] + 0.4 * measure.em
    indented = row.box[0] > max(measure.left, min(r.box[0] for r in group)) + 1.2 * measure.em
    full = _is_full(before, row, measure)
    if indented and not hanging and len(row.text) > 1:
        return True
    return not full and bool(_ENDS.search(before.text)) and not hanging


def _looks_different(before: Row, row: Row) -> bool:
    return before.mono != row.mono or before.bold != row.bold or abs(before.size - row.size) > 0.15 * before.size


def _is_full(row: Row, following: Row | None, measure: _Measure) -> bool:
    """Whether the row ends where the next word would not have fitted."""
    room = measure.right - row.box[2]
    if room < 1.6 * measure.em:
        return True
    first = _OPENS_LATIN.match(following.text) if following else None
    if first is None or not first.group().isascii():
        return False
    return room < (0.5 * len(first.group()) + 0.5) * measure.em


def _paragraph(group: Sequence[Row], measure: _Measure, page: int) -> Paragraph:
    first, last = group[0], group[-1]
    kind: ParagraphKind = "paragraph"
    if first.block:
        kind, text = "block", first.block.text
    elif first.mono and (len(group) > 1 or not LIST_MARK.match(first.text)):
        kind, text = "code", _code(group)
    else:
        kind = "list" if LIST_MARK.match(first.text) else "paragraph"
        text = _prose(group, measure)
    lines = [line for row in group for line in row.lines]
    return Paragraph(
        kind,
        text,
        union([row.box for row in group]),
        statistics.median(row.size for row in group),
        all(row.bold for row in group),
        page,
        len(group),
        _is_full(last, None, measure),
        first.box[0] > measure.left + 1.2 * measure.em,
        statistics.fmean(line.confidence for line in lines),
        first.block,
    )


def _prose(group: Sequence[Row], measure: _Measure) -> str:
    text = group[0].text
    for before, row in itertools.pairwise(group):
        text = join_rows(text, row.text) if _is_full(before, row, measure) else f"{text}\n{row.text}"
    return close_han(text)


def _code(group: Sequence[Row]) -> str:
    """Rows kept as they stand, their indentation counted in half ems (the width of a typewriter's character)."""
    left = min(row.box[0] for row in group)
    return "\n".join(" " * round((row.box[0] - left) / (0.55 * row.size)) + row.text for row in group)
