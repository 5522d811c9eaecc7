"""One page's text layer -> lines, turned so that they read from left to right, with what is needed to judge it."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.ingest.layout.line import WIDE, Box, Line
from edu_cli.ingest.pdf.glyphs import clean, meant
from edu_cli.ingest.pdf.outlined import outline_marker
from edu_cli.ingest.pdf.vertical import is_stacked
from edu_cli.ingest.text.plausible import is_word_pair

_BOLD, _MONO = 16, 8  # bits of a span's flags
_FILLED, _STROKED = 16, 32  # bits of a span's char_flags; neither means that nothing is painted
_MONO_FONTS = ("mono", "courier", "consol", "menlo", "typewriter", "lmtt", "cmtt")
_RUN_ON = 4  # glyphs at a line's end that are not bold make it text
_BOLD_FONTS = ("bold", "black", "heavy", "simhei", "heiti")
_COLUMN_GAP = 1.8  # ems of white within a line that part two cells
_TRACKING = 0.8  # ems of white between Chinese characters that the layer only guessed to be a space


@dataclass(frozen=True, slots=True)
class Layer:
    """The text layer of a page. `width` and `height` are those of the page as its text stands upright, in points.

    `aside` holds lines of other directions than most, each direction upright by itself; `slanted` the texts of
    diagonal lines. `invisible` tells that nothing of it is painted (the layer of an earlier OCR).
    """

    width: float
    height: float
    lines: tuple[Line, ...]
    aside: tuple[tuple[Line, ...], ...] = ()
    slanted: tuple[str, ...] = ()
    invisible: bool = False
    turn: int = 0

    @property
    def text(self) -> str:
        """All lines, in no certain order."""
        return "\n".join(line.text for group in (self.lines, *self.aside) for line in group)


@dataclass(frozen=True, slots=True)
class _Glyph:
    char: str
    start: float  # along the line's direction
    end: float
    span: Any
    guessed: bool = False  # a space that stands for white only


def read_layer(page: Any) -> Layer:
    """The text layer of a pymupdf page; glyphs without a known character come as U+FFFD."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    blocks = page.get_text("rawdict", flags=flags)["blocks"]
    lines = [line for block in blocks for line in block.get("lines", ())]
    painted = any(_is_painted(span) and _has_ink(span) for line in lines for span in line["spans"])
    marked = outline_marker(page)
    groups: dict[int | None, list[Line]] = {}
    for line in lines:
        spans = [span for span in line["spans"] if not painted or _is_painted(span)]
        groups.setdefault(_turn(line["dir"]), []).extend(map(marked, _pieces(spans, line["dir"])))
    if is_stacked(groups.get(0, ())):
        groups.setdefault(1, []).extend(groups.pop(0))
    width, height = float(page.rect.width), float(page.rect.height)
    slanted = tuple(dict.fromkeys(line.text for line in groups.pop(None, ())))
    counts = Counter({turn: sum(len(line.text) for line in found) for turn, found in groups.items()})
    main = counts.most_common(1)[0][0] if counts else 0
    turned = {turn: tuple(_turned(found, turn, width, height)) for turn, found in groups.items() if found}
    return Layer(
        *((width, height) if main in (0, 2) else (height, width)),
        turned.pop(main, ()),
        tuple(turned.values()),
        slanted,
        invisible=bool(lines) and not painted,
        turn=main or 0,
    )


def turned_box(box: Box, turn: int | None, width: float, height: float) -> Box:
    """A box of a page after `turn` quarter turns against the clock have made its text upright."""
    x0, y0, x1, y1 = box
    if turn == 1:  # the text runs downwards (also vertical writing, whose columns then are rows)
        return (y0, width - x1, y1, width - x0)
    if turn == 2:
        return (width - x1, height - y1, width - x0, height - y0)
    if turn == 3:  # the text runs upwards
        return (height - y1, x0, height - y0, x1)
    return box


def is_unreadable(char: str) -> bool:
    """Whether a character stands for a glyph whose meaning the PDF does not tell."""
    return char == "\ufffd" or "\ue000" <= char <= "\uf8ff" or char >= "\U000f0000"


def _is_painted(span: Any) -> bool:
    return bool(span.get("char_flags", _FILLED) & (_FILLED | _STROKED))


def _has_ink(span: Any) -> bool:
    return any(not char["c"].isspace() for char in span["chars"])


def _turn(direction: tuple[float, float]) -> int | None:
    quarter = math.degrees(math.atan2(direction[1], direction[0])) / 90
    return None if abs(quarter - round(quarter)) > 0.06 else round(quarter) % 4


def _turned(lines: Sequence[Line], turn: int | None, width: float, height: float) -> Iterator[Line]:
    for line in lines:
        box = turned_box(line.box, turn, width, height)
        yield Line(line.text, box, line.size, line.bold, line.mono) if turn else line


def _pieces(spans: Sequence[Any], direction: tuple[float, float]) -> Iterator[Line]:
    """A line as one piece, or as several where it leaves gaps as wide as between the cells of a table."""
    glyphs = [
        _Glyph(meant(char["c"], span["font"]), *_extent(char["bbox"], direction), span, bool(char.get("synthetic")))
        for span in spans
        for char in span["chars"]
    ]
    piece: list[_Glyph] = []
    last: _Glyph | None = None
    for glyph in glyphs:
        if not glyph.char.isspace():
            if last and glyph.start - last.end > _COLUMN_GAP * glyph.span["size"] and not _is_mono(glyph.span):
                yield from _line(piece)
                piece = []
            last = glyph
        piece.append(glyph)
    yield from _line(piece)


def _extent(box: Box, direction: tuple[float, float]) -> tuple[float, float]:
    ends = (box[0] * direction[0] + box[1] * direction[1], box[2] * direction[0] + box[3] * direction[1])
    return min(ends), max(ends)


def _line(glyphs: Sequence[_Glyph]) -> Iterator[Line]:
    inked = [glyph for glyph in glyphs if not glyph.char.isspace()]
    text = clean(_spaced(glyphs)).strip()
    if not text or not inked:
        return
    size = Counter(glyph.span["size"] for glyph in inked).most_common(1)[0][0]
    boxes = [_sane(glyph.span["bbox"], glyph.span) for glyph in inked]
    x0, x1 = _inked_edges(inked, min(box[0] for box in boxes), max(box[2] for box in boxes))
    low, high = _height(boxes, [glyph.span["size"] == size for glyph in inked], x1 - x0)
    ascii_glyphs = [glyph for glyph in inked if glyph.char.isascii()]
    yield Line(
        text,
        (x0, low, x1, high),
        float(size),
        are_bold([_is_bold(glyph.span) for glyph in inked]),
        bool(ascii_glyphs) and sum(_is_mono(glyph.span) for glyph in ascii_glyphs) > 0.7 * len(ascii_glyphs),
    )


def are_bold(glyphs: Sequence[bool]) -> bool:
    """Whether a line is bold: not one that only opens with a term in bold, however long that is."""
    return sum(glyphs) > 0.7 * len(glyphs) and any(glyphs[-_RUN_ON:])


def _height(boxes: Sequence[Box], usual: Sequence[bool], width: float) -> tuple[float, float]:
    """Top and bottom of most of a line: a script, or a glyph that its font places wrongly, does not count.

    Lines that run up or down the page have their length in y, so that all of it counts.
    """
    whole = (min(box[1] for box in boxes), max(box[3] for box in boxes))
    if whole[1] - whole[0] > width:
        return whole
    tops = [box[1] for box, counts in zip(boxes, usual, strict=True) if counts]
    return statistics.median(tops), statistics.median(
        box[3] for box, counts in zip(boxes, usual, strict=True) if counts
    )


def _inked_edges(inked: Sequence[_Glyph], x0: float, x1: float) -> tuple[float, float]:
    """The edges of what is painted where the line runs from left to right; other lines keep those of their spans."""
    start, end = inked[0].start, inked[-1].end
    return (start, end) if x0 - 1 <= start <= end <= x1 + 1 else (x0, x1)


def _spaced(glyphs: Sequence[_Glyph]) -> str:
    """The characters with the spaces that a reader sees: tracked Chinese has none."""
    out: list[str] = []
    gap: list[_Glyph] = []
    before: _Glyph | None = None
    for glyph in glyphs:
        if glyph.char.isspace():
            gap.append(glyph)
            continue
        if gap and before is not None and not _is_tracking(before, gap, glyph):
            out.append(" " * (len(gap) if _is_mono(gap[0].span) else 1))
        out.append(glyph.char)
        before, gap = glyph, []
    return "".join(out)


def _is_tracking(left: _Glyph, gap: Sequence[_Glyph], right: _Glyph) -> bool:
    if not (WIDE.match(left.char) and WIDE.match(right.char)):
        return False
    width = (right.start - left.end) / max(right.span["size"], 1.0)
    guessed = all(glyph.guessed for glyph in gap)
    return width < 0.2 or (width < _TRACKING and (guessed or is_word_pair(left.char, right.char)))


def _sane(box: Box, span: Any) -> Box:
    """The box with a height of about one em: some fonts claim ascenders of several."""
    if box[3] - box[1] > 1.8 * span["size"] and span.get("origin"):
        base = span["origin"][1]
        return (box[0], base - 0.9 * span["size"], box[2], base + 0.25 * span["size"])
    return box


def _is_bold(span: Any) -> bool:
    return bool(span["flags"] & _BOLD) or any(name in span["font"].lower() for name in _BOLD_FONTS)


def _is_mono(span: Any) -> bool:
    name = span["font"].lower()
    return bool(span["flags"] & _MONO) or any(known in name for known in _MONO_FONTS)
