"""Seals and watermarks: a second reading of the dark ink alone gives back the lines that they cover."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edu_cli.ingest.ocr.line_reader import OcrText, Picture

_RED = 60  # levels by which red stands above green and blue in stamping ink
_LEAST, _MOST = 0.002, 0.1  # shares of the picture that a seal covers; more is a coloured picture
_DARK = 0.6  # of the way from the ink to the paper; watermarks are lighter
_LIGHT_PAPER = 150  # level of the paper below which a picture is no page
_SHORTER = 0.6  # of the first reading's characters, under which the second has lost something

Box = tuple[float, float, float, float]


def has_seal(image: Picture) -> bool:
    """Whether an RGB picture has as much red as a seal has."""
    red = image[:, :, 0].astype(np.int16) - np.maximum(image[:, :, 1], image[:, :, 2])
    return _LEAST < float((red > _RED).mean()) < _MOST


def dark_ink(image: Picture) -> Picture | None:
    """The picture with nothing but its dark, colourless ink; None where the ground is dark."""
    brightest = image.max(axis=2).astype(np.float32)
    ink, paper = np.percentile(brightest, (1.0, 80.0))
    if paper < _LIGHT_PAPER or paper - ink < 60:
        return None
    levels = np.clip((brightest - ink) * (255.0 / (_DARK * (paper - ink))), 0.0, 255.0).astype(np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)


def merged(first: Sequence[OcrText], second: Sequence[OcrText]) -> list[OcrText]:
    """The second reading, and what only the first one has: watermarks, coloured and pale lines."""
    better = [line for line in second if not _loses(line, first)]
    return [*(line for line in first if not any(_same_line(line, other) for other in better)), *better]


def _loses(line: OcrText, first: Sequence[OcrText]) -> bool:
    there = sum(len(other.text) for other in first if _same_line(line, other))
    return len(line.text) < _SHORTER * there


def _same_line(a: OcrText, b: OcrText) -> bool:
    """Whether two readings are of one line: they overlap by half, and are about equally high."""
    low, high = sorted(box[3] - box[1] for box in (a.box, b.box))
    return _overlap(a.box, b.box) > 0.5 and high < 1.8 * low


def _overlap(a: Box, b: Box) -> float:
    """The share of the smaller box that lies in the other."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / max(1e-6, min((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)))
