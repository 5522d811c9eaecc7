"""Recognised lines -> blocks in reading order, as a reader of the page would tell them."""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli.ingest.layout.flow import carry_over
from edu_cli.ingest.layout.grid import with_tables
from edu_cli.ingest.layout.join import CHAPTER_MARK, OCR_NOISE, Paragraph, paragraphs
from edu_cli.ingest.layout.line import Line, median_size
from edu_cli.ingest.layout.order import regions
from edu_cli.ingest.ocr.cache import FrameLines
from edu_cli.ingest.ocr.upright import is_aslant, skew, straightened
from edu_cli.types import Block

_EM = 0.78  # of the height of a detected line, measured on rendered pages
_HEADING = 1.35  # times the usual line height; detected heights vary by a fifth


def printed_lines(frame: FrameLines) -> tuple[list[Line], list[Line]]:
    """The lines of a frame straightened, and those that run aslant (each text once)."""
    angle = skew(frame.lines)
    straight: list[Line] = []
    slanted: dict[str, Line] = {}
    for found in frame.lines:
        box = straightened(found, angle)
        line = Line(found.text, box, _EM * (box[3] - box[1]), confidence=found.confidence)
        long = box[2] - box[0] > 1.5 * (box[3] - box[1])
        if is_aslant(found, angle) and (long or len(found.text) > 2):
            slanted.setdefault(found.text, line)
        else:
            straight.append(line)
    return straight, [line for text, line in slanted.items() if not _is_part(text, slanted)]


def frame_blocks(frame: FrameLines, page: int | None = None) -> list[Block]:
    """The blocks of one picture; slanted text (watermarks) comes last, as a note."""
    lines, slanted = printed_lines(frame)
    parts: list[Paragraph] = []
    for region in regions(lines):
        parts += paragraphs(with_tables(region.lines, page), page or 0, noise=OCR_NOISE, margin=region.margin)
    usual = median_size(lines) if lines else 1.0
    blocks = [_block(part, usual, page) for part in carry_over(parts)]
    if slanted:
        blocks.append(Block("note", "\n".join(line.text for line in slanted), page=page))
    return blocks


def confidence(frames: Sequence[FrameLines]) -> float:
    """The mean confidence of the lines, weighted by their length; 0 where there is none."""
    weighted = [(line.confidence, len(line.text)) for frame in frames for line in frame.lines]
    total = sum(weight for _, weight in weighted)
    return sum(value * weight for value, weight in weighted) / total if total else 0.0


def _is_part(text: str, texts: Sequence[str] | dict[str, Line]) -> bool:
    return any(text != other and text in other for other in texts)


def _block(part: Paragraph, usual: float, page: int | None) -> Block:
    if part.block:
        return part.block
    if _is_heading(part, usual):
        level = 1 if CHAPTER_MARK.match(part.text) and "章" in part.text[:8] else 2
        return Block("heading", part.text.replace("\n", " "), level=level, page=page)
    kind = part.kind if part.kind in ("list", "note") else "paragraph"
    return Block(kind, part.text, page=page)


def _is_heading(part: Paragraph, usual: float) -> bool:
    if part.kind == "note" or len(part.text) > 40 or part.text[-1:] in "。；，,;：:" or part.n_rows > 2:
        return False
    return part.size > _HEADING * usual or (part.n_rows == 1 and bool(CHAPTER_MARK.match(part.text)))
