"""Pictures on a digital page that hold text (screenshots, scanned figures), read in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from edu_cli.errors import LoadError
from edu_cli.ingest.layout.line import Box, Line
from edu_cli.ingest.options import PictureReader, PictureText
from edu_cli.ingest.pdf.render import page_picture
from edu_cli.types import Block, OcrPage

_MIN_POINTS = 28.0  # a picture lower or narrower holds no line of text worth reading
_MIN_AREA = 0.012  # of the page
_MIN_PIXELS = 60
_MOST = 12  # pictures read on one page, the largest first
_REPEATED = 3  # pages from which on a picture is a logo or a background
_LEAST_CONFIDENCE = 0.7
_LEAST_CHARS = 4


def repeated_pictures(doc: Any) -> frozenset[int]:
    """Objects that are painted on page after page."""
    if len(doc) < _REPEATED:
        return frozenset()
    counts: Counter[int] = Counter()
    for index in range(len(doc)):
        counts.update({item[0] for item in _images(doc, index)})
    return frozenset(xref for xref, n in counts.items() if n >= _REPEATED)


def picture_lines(
    page: Any, number: int, lines: Sequence[Line], reader: PictureReader, repeated: frozenset[int]
) -> tuple[list[Line], OcrPage | None]:
    """What is read in the pictures of a page, as lines in their place. Raises OcrUnavailableError."""
    found: list[Line] = []
    confidences: list[float] = []
    for box, dpi in _candidates(page, lines, repeated):
        try:
            text = reader.read(page_picture(page, box, dpi))
        except (LoadError, RuntimeError):
            continue  # a picture that cannot be painted is none of the page's text
        if _is_text(text):
            found += _stacked(text.blocks, box, number)
            confidences.append(text.confidence)
    if not found:
        return [], None
    return found, OcrPage(number, "picture", sum(confidences) / len(confidences))


def _images(doc: Any, index: int) -> Sequence[Any]:
    try:
        return doc.get_page_images(index)
    except (RuntimeError, ValueError):
        return ()


def _candidates(page: Any, lines: Sequence[Line], repeated: frozenset[int]) -> list[tuple[Box, float]]:
    area = abs(page.rect.width * page.rect.height) or 1.0
    found: dict[Box, float] = {}
    for info in page.get_image_info(xrefs=True):
        x0, y0, x1, y1 = info["bbox"]
        width, height = x1 - x0, y1 - y0
        if info["xref"] in repeated or min(width, height) < _MIN_POINTS or width * height < _MIN_AREA * area:
            continue
        if min(info["width"], info["height"]) < _MIN_PIXELS or _is_written_over((x0, y0, x1, y1), lines):
            continue
        found[x0, y0, x1, y1] = min(max(72 * info["width"] / width, 110.0), 220.0)
    return sorted(found.items(), key=lambda item: -(item[0][2] - item[0][0]) * (item[0][3] - item[0][1]))[:_MOST]


def _is_written_over(box: Box, lines: Sequence[Line]) -> bool:
    """Whether the text layer already says something there."""
    inside = 0
    for line in lines:
        x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
        inside += len(line.text) if box[0] < x < box[2] and box[1] < y < box[3] else 0
    return inside >= _LEAST_CHARS


def _is_text(text: PictureText) -> bool:
    chars = sum(len(block.text) for block in text.blocks)
    return text.confidence >= _LEAST_CONFIDENCE and chars >= _LEAST_CHARS


def _stacked(blocks: Sequence[Block], box: Box, number: int) -> list[Line]:
    """The text of the picture as lines one below the other in its box: its tables, and all between them as one block.

    Its headings are none of the document's, and the labels of a drawing belong together.
    """
    merged: list[Block] = []
    for block in blocks:
        if block.kind == "table":
            merged.append(replace(block, page=number))
        elif merged and merged[-1].kind == "paragraph":
            merged[-1] = replace(merged[-1], text=f"{merged[-1].text}\n{block.text}")
        else:
            merged.append(Block("paragraph", block.text, page=number))
    step = (box[3] - box[1]) / len(merged)
    places = [(box[0], box[1] + at * step, box[2], box[1] + (at + 1) * step) for at in range(len(merged))]
    return [Line("", place, min(step, 12.0), block=block) for place, block in zip(places, merged, strict=True)]
