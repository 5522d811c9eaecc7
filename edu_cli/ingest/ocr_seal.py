"""Seals over text: a second reading without colour gives back the lines that a stamp covers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edu_cli.ingest.ocr import OcrText, Picture

_RED = 60  # levels by which red stands above green and blue in stamping ink
_LEAST, _MOST = 0.002, 0.1  # shares of the picture that a seal covers; more is a coloured picture
_TRIM = 0.01  # of the red pixels, left out at each side of the seal's box

Box = tuple[float, float, float, float]


def seal_box(image: Picture) -> Box | None:
    """The box (pixels) around the red ink of an RGB picture; None where there is none, or too much for a seal."""
    red = image[:, :, 0].astype(np.int16) - np.maximum(image[:, :, 1], image[:, :, 2])
    ys, xs = np.nonzero(red > _RED)
    if not _LEAST * red.size <= xs.size <= _MOST * red.size:
        return None
    x0, x1 = np.quantile(xs, (_TRIM, 1 - _TRIM))
    y0, y1 = np.quantile(ys, (_TRIM, 1 - _TRIM))
    return float(x0), float(y0), float(x1), float(y1)


def without_colour(image: Picture) -> Picture:
    """Grey by the brightest channel: coloured ink turns light, black stays black."""
    return np.repeat(image.max(axis=2, keepdims=True), 3, axis=2)


def merged(first: Sequence[OcrText], second: Sequence[OcrText], seal: Box) -> list[OcrText]:
    """The first reading, with the lines under the seal as the second one gives them.

    What only the first reading has there (the seal's own text) is kept.
    """
    under = [line for line in second if _overlap(line.box, seal) > 0]
    kept = [line for line in first if not any(_overlap(line.box, other.box) > 0.5 for other in under)]
    return [*kept, *under]


def _overlap(a: Box, b: Box) -> float:
    """The share of the smaller box that lies in the other."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / max(1e-6, min((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)))
