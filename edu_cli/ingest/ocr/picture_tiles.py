"""Frames of any size -> pieces of the size that OCR reads best, and back: long screenshots lose and repeat no line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from edu_cli.ingest.ocr.engine import READ_SIDE
from edu_cli.ingest.ocr.line_reader import OcrText, Picture

_LONG = 2.5  # sides in this proportion make a picture a strip
_TILE = 1600  # longest side of a tile in pixels
_WIDEST = 1600  # short side that a strip is scaled down to
_OVERLAP = 120  # where no blank row was found; more than a line of text is high
# Pictures lower or narrower than this are padded: detection enlarges what it is given until its short side has 736
# pixels, which takes 4 times as long for a few lines and reads them no better (bench/ocr.py --smallest 64,245,368,490).
_SMALLEST = 368


@dataclass(frozen=True, slots=True)
class Tile:
    """A piece of a frame, where it was cut out (pixels of the scaled frame) and how far the frame was scaled."""

    image: Picture
    x: int
    y: int
    scale: float


def tiles(frame: Picture, side: int = READ_SIDE) -> list[Tile]:
    """One piece for an ordinary picture, its longest side `side` pixels at most.

    Strips are cut at blank rows, or with an overlap where there is none.
    """
    height, width = frame.shape[:2]
    long, short = max(height, width), min(height, width)
    strip = long > _LONG * short and long > _TILE
    scale = min(1.0, _WIDEST / short if strip else side / long)
    if scale < 1.0:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        frame = np.asarray(Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS))
    frame = _padded(frame)
    if not strip:
        return [Tile(frame, 0, 0, scale)]
    if height >= width:
        return [Tile(frame[top:bottom], 0, top, scale) for top, bottom in _cuts(frame)]
    turned = frame.swapaxes(0, 1)
    return [Tile(np.ascontiguousarray(frame[:, left:right]), left, 0, scale) for left, right in _cuts(turned)]


def untile(parts: Sequence[tuple[Tile, Sequence[OcrText]]]) -> list[OcrText]:
    """The lines of all tiles in pixels of the frame; a line that two tiles show is kept once, the longer reading."""
    kept: list[OcrText] = []
    for tile, lines in parts:
        for line in lines:
            moved = replace(
                line, quad=tuple(((x + tile.x) / tile.scale, (y + tile.y) / tile.scale) for x, y in line.quad)
            )
            twin = next((i for i, other in enumerate(kept) if _same_place(moved, other)), None)
            if twin is None:
                kept.append(moved)
            elif (len(moved.text), moved.confidence) > (len(kept[twin].text), kept[twin].confidence):
                kept[twin] = moved
    return kept


def _same_place(a: OcrText, b: OcrText) -> bool:
    width = min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])
    height = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    if width <= 0 or height <= 0:
        return False
    smaller = min((c.box[2] - c.box[0]) * (c.box[3] - c.box[1]) for c in (a, b))
    return width * height > 0.5 * smaller


def _padded(frame: Picture) -> Picture:
    """Small pictures with a margin in the colour of their edge."""
    height, width = frame.shape[:2]
    rows, cols = max(0, _SMALLEST - height), max(0, _SMALLEST - width)
    if not rows and not cols:
        return np.ascontiguousarray(frame)
    return np.pad(frame, ((rows // 2, rows - rows // 2), (cols // 2, cols - cols // 2), (0, 0)), mode="edge")


def _cuts(frame: Picture) -> list[tuple[int, int]]:
    """Where to cut a frame across its rows."""
    total = frame.shape[0]
    grey = frame.mean(axis=2) if frame.size < 60_000_000 else frame[:, ::2].mean(axis=2)
    blank = np.asarray(grey.std(axis=1) < 3.0)
    spans: list[tuple[int, int]] = []
    top = 0
    while total - top > _TILE:
        window = blank[top + _TILE // 2 : top + _TILE]
        free = np.flatnonzero(window)
        if free.size:
            cut = top + _TILE // 2 + int(_middle_of_last_run(free))
            spans.append((top, cut))
            top = cut
        else:
            spans.append((top, top + _TILE))
            top += _TILE - _OVERLAP
    spans.append((top, total))
    return spans


def _middle_of_last_run(free: np.ndarray) -> float:
    breaks = np.flatnonzero(np.diff(free) > 1)
    start = int(breaks[-1]) + 1 if breaks.size else 0
    return float(free[start:].mean())
