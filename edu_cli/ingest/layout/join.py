"""Rows of a region -> paragraphs: lines joined, list items and code told apart."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edu_cli.ingest.layout.line import WIDE, Box, Line, Row, close_han, join_rows, rows_of, union
from edu_cli.text import fold
from edu_cli.types import Block

ParagraphKind = Literal["paragraph", "list", "code", "note", "block"]

PRINT_NOISE = 0.07  # share by which sizes may differ in text that is set alike
OCR_NOISE = 0.3  # the same where OCR measured the heights of the lines
_DIGITS = "一二三四五六七八九十百零〇0-9０-９"
CHAPTER_MARK = re.compile(rf"^第\s*[{_DIGITS}]{{1,5}}\s*[章节讲课篇回单元部分]")
LIST_MARK = re.compile(
    r"^(?:[•●○◦■□◆◇▪▫►▶➢➤✓✔❖*–\-]\s+|[•●○◦■□◆◇▪▫►▶➢➤✓✔❖]"
    r"|\d{1,3}(?:\.\d{1,3}){0,4}[.、．]\s*(?=[^\d\s])|\d{1,2}\s*[)）]|[(（]\s*(?:\d{1,2}|[一二三四五六七八九十]{1,3}|[a-zA-Z])\s*[)）](?![。，；、：.,;])"
    rf"|[①-⑳]|[一二三四五六七八九十]{{1,3}}、|[A-H][.、．)）]\s*|[a-h](?:[、．)）]|\.(?![a-z]))\s*|第[{_DIGITS}]{{1,5}}条)"
)
ENDS = re.compile(r"[。！？!?；;…：:.][”’」』）)\]】\"']*$")
_SENTENCE_END = re.compile(r"[。！？!?；;.][”’」』）)】\"']*$")
_EQUATION = re.compile(r"[(（]\d{1,3}(?:[.\-]\d{1,3}){0,2}[)）]$")
# The measures below were chosen and checked by bench/layout_constants.py.
_LONG_ROW = 14.0  # ems
_NARROW = 11.5  # ems; rows of a column are wider, so these are lines by themselves
_RAGGED = 2.0  # ems by which a full row of Chinese may miss the edge
_ENDED = 1.6  # the same where the row ends a sentence, so that the next may begin a paragraph
_FIRST_WORD = re.compile(r"^[（「『“‘《〈【]*[!-~]+[，。、；：！？）」』”’》〉】]*")  # as far as no row may end
_COMMENT = ("#", "//", "--", "/*", "*", "'''", '"""')


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
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class _Measure:
    """A region's edges, its em, its usual white between rows; `sentences`: each row is a sentence by itself."""

    left: float
    right: float
    em: float
    gap: float
    noise: float
    sentences: bool
    flush: int  # rows that reach the right edge


def paragraphs(
    lines: Sequence[Line],
    page: int,
    *,
    noise: float = PRINT_NOISE,
    margin: bool = False,
    titles: frozenset[str] = frozenset(),
) -> list[Paragraph]:
    """The paragraphs of one region in reading order; those in the margin are notes.

    `noise` is the share by which the sizes of two lines may differ though they are set alike; rows that say one of
    the `titles` (as `title_key` writes them) stand alone.
    """
    rows = _with_comments(rows_of(lines))
    if not rows:
        return []
    measure = _measure(rows, noise)
    groups: list[list[Row]] = [[rows[0]]]
    for before, row in itertools.pairwise(rows):
        titled = bool(titles) and not titles.isdisjoint((title_key(before.text), title_key(row.text)))
        if titled or _breaks(groups[-1], before, row, measure):
            groups.append([row])
        else:
            groups[-1].append(row)
    found = [_paragraph(group, measure, page) for group in groups]
    return [replace(part, kind="note") if part.kind != "block" else part for part in found] if margin else found


def title_key(text: str) -> str:
    """A heading's text for comparing it with the outline's: letters and digits, without the number before it."""
    return re.sub(r"[\W_]+", "", fold(re.sub(r"^[\d.]+\s*", "", text)))


def _with_comments(rows: Sequence[Row]) -> list[Row]:
    """The rows, comments and Chinese strings amid code taken as code: their Chinese is in no typewriter font."""
    code = [row.code for row in rows]
    for at, row in enumerate(rows):
        above, below = any(code[max(0, at - 1) : at]), [other.code for other in rows[at + 1 : at + 3]]
        if not row.code and row.text.startswith(_COMMENT):
            code[at] = above or any(below)
        elif not row.code and any(line.mono for line in row.lines):
            code[at] = above and any(below[:1])
    return [replace(row, code=yes) for row, yes in zip(rows, code, strict=True)]


def _measure(rows: Sequence[Row], noise: float) -> _Measure:
    texts = [row for row in rows if row.block is None] or list(rows)
    em = statistics.median_low([row.size for row in texts for _ in range(max(1, len(row.text) // 4))])
    body = [row for row in texts if abs(row.size - em) < 0.2 * em and not row.code] or texts
    rights = sorted(row.box[2] for row in body)
    lefts = sorted(row.box[0] for row in body)
    gaps = [b.box[1] - a.box[3] for a, b in itertools.pairwise(body) if b.box[1] - a.box[3] < 1.5 * em]
    usual = statistics.median(gaps) if gaps else 0.4 * em
    ended = sum(bool(_SENTENCE_END.search(row.text)) for row in body)
    sentences = len(body) >= 3 and ended >= 0.6 * len(body)
    left, right = lefts[len(lefts) // 20], rights[-1 - len(rights) // 20]
    flush = sum(edge > right - _ENDED * em for edge in rights) if right - left > _NARROW * em else 0
    return _Measure(left, right, em, usual, noise, sentences, flush)


def _breaks(group: Sequence[Row], before: Row, row: Row, measure: _Measure) -> bool:
    if before.block or row.block or _looks_different(before, row, measure.noise):
        return True
    gap = row.box[1] - before.box[3]
    if row.code:
        return gap > measure.gap + 1.2 * measure.em
    if gap > max(measure.gap + 0.6 * measure.em, 1.7 * measure.gap):
        return True
    if LIST_MARK.match(row.text) or CHAPTER_MARK.match(row.text):
        return True
    return _begins_anew(group, before, row, measure)


def _begins_anew(group: Sequence[Row], before: Row, row: Row, measure: _Measure) -> bool:
    """Whether indentation or a short row before shows that a paragraph begins."""
    first = group[0]
    hanging = bool(LIST_MARK.match(first.text)) and row.box[0] > first.box[0] + 0.4 * measure.em
    indented = row.box[0] > max(measure.left, min(other.box[0] for other in group)) + 1.2 * measure.em
    full = _is_full(before, row, measure, group[-2] if len(group) > 1 else None)
    ended = bool(ENDS.search(before.text))
    if indented and not hanging and len(row.text) > 1 and (ended or not full):
        return True
    if full:
        return False
    titled = len(group) == 1 and bool(CHAPTER_MARK.match(first.text))
    return titled or (ended and not hanging and not measure.sentences)


def _looks_different(before: Row, row: Row, noise: float) -> bool:
    larger = max(before.size, row.size)
    return before.code != row.code or before.bold != row.bold or abs(before.size - row.size) > noise * larger


def _is_full(row: Row, following: Row | None, measure: _Measure, above: Row | None = None) -> bool:
    """Whether the row ends where the next word would not have fitted; a numbered equation ends by itself.

    `above` is the row before it in its paragraph.
    """
    if len(row.lines) > 1 and _EQUATION.fullmatch(row.lines[-1].text):
        return False
    if not measure.flush:
        return False
    room = measure.right - row.box[2]
    ended = bool(ENDS.search(row.text))
    if room < (_ENDED if ended else _RAGGED) * measure.em:
        return measure.flush > 1 or not ended
    if following is not None and _share_edges(row, following, measure.em):
        return True
    if following is not None and above is not None and _share_edges(above, row, measure.em):
        return not ended  # the frame's last row is as short as it likes
    first = _FIRST_WORD.match(following.text) if following else None
    return first is not None and room < (0.5 * cells(first.group()) + 0.5) * measure.em


def _share_edges(row: Row, following: Row, em: float) -> bool:
    """Whether two long rows end alike, as in a narrower frame within the region."""
    ends, starts = row.box[2] - following.box[2], row.box[0] - following.box[0]
    return abs(ends) < 0.4 * em and -0.3 * em < starts < 2.5 * em and row.box[2] - row.box[0] > _LONG_ROW * em


def _paragraph(group: Sequence[Row], measure: _Measure, page: int) -> Paragraph:
    first, last = group[0], group[-1]
    kind: ParagraphKind = "paragraph"
    if first.block:
        kind, text = "block", first.block.text
    elif first.code:
        kind, text = "code", _code(group)
    else:
        kind = "list" if LIST_MARK.match(first.text) else "paragraph"
        text = _prose(group, measure)
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
        first.block,
    )


def _prose(group: Sequence[Row], measure: _Measure) -> str:
    text = group[0].text
    for above, before, row in zip((None, *group), group, group[1:], strict=False):
        alone = measure.sentences and bool(_SENTENCE_END.search(before.text))
        joined = _is_full(before, row, measure, above) and not alone
        text = join_rows(text, row.text) if joined else f"{text}\n{row.text}"
    return close_han(re.sub(" {2,}", " ", text))


def _code(group: Sequence[Row]) -> str:
    """Rows kept as they stand, their indentation counted in characters."""
    left = min(row.box[0] for row in group)
    char = statistics.median((row.box[2] - row.box[0]) / cells(row.text) for row in group)
    return "\n".join(" " * round((row.box[0] - left) / char) + row.text for row in group)


def cells(text: str) -> int:
    """How many characters of a typewriter font a text is wide: Chinese ones count twice."""
    return max(1, sum(2 if WIDE.match(char) else 1 for char in text))
