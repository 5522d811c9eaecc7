"""One page's text layer -> lines, turned so that they read from left to right, with what is needed to judge it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.ingest.page_line import Box, Line, clean

_BOLD, _MONO = 16, 8  # bits of a span's flags
_FILLED, _STROKED = 16, 32  # bits of a span's char_flags; neither means that nothing is painted
_MONO_FONTS = ("mono", "courier", "consol", "menlo", "typewriter", "lmtt", "cmtt")
_BOLD_FONTS = ("bold", "black", "heavy", "simhei", "heiti")
_SYMBOL_LOWER = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL_UPPER = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_BULLETS = {
    0xB7: "•",
    0x6C: "●",
    0x6E: "■",
    0x75: "◆",
    0xA7: "▪",
    0xD8: "➢",
    0xFC: "✓",
    0x76: "❖",
    0xFB: "✗",
    0xE0: "→",
}


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


def read_layer(page: Any) -> Layer:
    """The text layer of a pymupdf page; glyphs without a known character come as U+FFFD."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    found = [
        (line, span)
        for block in page.get_text("dict", flags=flags)["blocks"]
        for line in block.get("lines", ())
        for span in line["spans"]
    ]
    visible = [pair for pair in found if pair[1].get("char_flags", _FILLED) & (_FILLED | _STROKED)]
    shown = visible if sum(len(span["text"].strip()) for _, span in visible) else found
    groups = _by_direction(shown)
    width, height = float(page.rect.width), float(page.rect.height)
    slanted = tuple(dict.fromkeys(line.text for line in groups.pop(None, ())))
    if not groups:
        return Layer(width, height, (), slanted=slanted)
    counts = Counter({turn: sum(len(line.text) for line in lines) for turn, lines in groups.items()})
    main = counts.most_common(1)[0][0]
    turned = {turn: tuple(_turned(lines, turn, width, height)) for turn, lines in groups.items()}
    size = (width, height) if main in (0, 2) else (height, width)
    aside = tuple(lines for turn, lines in turned.items() if turn != main)
    return Layer(*size, turned[main], aside, slanted, invisible=not visible, turn=main or 0)


def turned_box(box: Box, turn: int, width: float, height: float) -> Box:
    """A box of a page after `turn` quarter turns against the clock have made its text upright."""
    x0, y0, x1, y1 = box
    if turn == 1:  # the text runs downwards (also vertical writing, whose columns then are rows)
        return (y0, width - x1, y1, width - x0)
    if turn == 2:
        return (width - x1, height - y1, width - x0, height - y0)
    if turn == 3:  # the text runs upwards
        return (height - y1, x0, height - y0, x1)
    return box


def _by_direction(found: Sequence[tuple[Any, Any]]) -> dict[int | None, list[Line]]:
    """Lines by the quarter turns that make them upright; diagonal ones under None."""
    groups: dict[int | None, list[Line]] = {}
    spans: list[Any] = []
    for index, (line, span) in enumerate(found):
        spans.append(span)
        if index + 1 == len(found) or found[index + 1][0] is not line:
            made = _line(spans)
            if made is not None:
                groups.setdefault(_turn(line["dir"]), []).append(made)
            spans = []
    return groups


def _turn(direction: tuple[float, float]) -> int | None:
    quarter = math.degrees(math.atan2(direction[1], direction[0])) / 90
    return None if abs(quarter - round(quarter)) > 0.06 else round(quarter) % 4


def _turned(lines: Sequence[Line], turn: int | None, width: float, height: float) -> list[Line]:
    if not turn:
        return list(lines)
    return [
        Line(line.text, turned_box(line.box, turn, width, height), line.size, line.bold, line.mono) for line in lines
    ]


def _line(spans: Sequence[Any]) -> Line | None:
    texts = [_text(span) for span in spans]
    text = clean("".join(texts))
    if not text.strip():
        return None
    inked = [(span, len(part.strip())) for span, part in zip(spans, texts, strict=True) if part.strip()]
    total = sum(n for _, n in inked)
    size = max(Counter({s["size"]: n for s, n in inked}).items(), key=lambda item: item[1])[0]
    bold = sum(n for s, n in inked if _is_bold(s)) > 0.7 * total
    mono = sum(n for s, n in inked if _is_mono(s)) > 0.7 * total
    boxes = [span["bbox"] for span, _ in inked]
    box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    return Line(text.strip(), _sane(box, spans[0]), float(size), bold, mono)


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
    return any(known in name for known in _MONO_FONTS) or (bool(span["flags"] & _MONO) and span["text"].isascii())


def _text(span: Any) -> str:
    """The span's text, the private characters of symbol fonts as what they show."""
    text = span["text"]
    if not any("\uf000" <= char <= "\uf0ff" for char in text):
        return text
    symbol = "symbol" in span["font"].lower()
    return "".join(_shown(ord(char) - 0xF000, symbol) if "\uf000" <= char <= "\uf0ff" else char for char in text)


def _shown(code: int, symbol: bool) -> str:
    if symbol and 0x61 <= code <= 0x7A:
        return _SYMBOL_LOWER[code - 0x61]
    if symbol and 0x41 <= code <= 0x5A:
        return _SYMBOL_UPPER[code - 0x41]
    if symbol and 0x20 <= code <= 0x3F:
        return chr(code)
    return _BULLETS.get(code, chr(code + 0xF000))
