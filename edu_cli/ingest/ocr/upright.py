"""Picture -> its lines as if it had been scanned straight: sideways and upside-down pages turned, skew taken out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from edu_cli.ingest.ocr.ink import dark_ink, has_seal, merged
from edu_cli.ingest.ocr.line_reader import LineReader, OcrText, Picture, Quad

_SAMPLE = 6  # lines that vote on the way up, with both their ends
_LONG = 2.0  # width to height from which on a line tells its direction
_SLANT = 0.14  # radians off the page's direction (8 degrees)
# Of a line's height, read beyond both its ends: detection stops short of the small circle of a full stop. Chosen by
# bench/ocr.py --beyond on half of its pages; on the others .3 has a tenth fewer errors than .15, and .45 hardly fewer.
_BEYOND = 0.3
_LEAST_CONFIDENCE = 0.5  # RapidOCR's own threshold


class UprightOcr:
    """protocols.OcrEngine over a LineReader. Corners are given in the upright picture, in pixels."""

    def __init__(self, reader: LineReader) -> None:
        self.reader = reader

    def read(self, image: Picture) -> list[OcrText]:
        """The lines of an RGB picture, unordered; [] for a blank one."""
        return self.read_turned(image)[0]

    def read_turned(self, image: Picture, *, may_turn: bool = True) -> tuple[list[OcrText], int]:
        """The lines, and by how many quarter turns against the clock the picture was made upright."""
        quads = self.reader.find(image)
        turns = 0
        if quads and may_turn:
            image, quads, turns = self._righted(image, quads)
        lines = self._recognised(image, quads)
        if lines and (has_seal(image) or has_slanted(lines)):
            ink = dark_ink(image)
            lines = lines if ink is None else merged(lines, self._recognised(ink, self.reader.find(ink)))
        return lines, turns

    def _recognised(self, image: Picture, quads: Sequence[Quad]) -> list[OcrText]:
        crops = [_crop(image, _widened(quad)) for quad in quads]
        tall = [index for index, crop in enumerate(crops) if crop.shape[0] > 1.5 * crop.shape[1]]
        self._lay_down(crops, tall)
        read = self.reader.recognise(crops)
        return [
            OcrText(text.strip(), confidence, tuple((float(x), float(y)) for x, y in quad))
            for quad, (text, confidence) in zip(quads, read, strict=True)
            if text.strip() and confidence >= _LEAST_CONFIDENCE
        ]

    def _righted(self, image: Picture, quads: list[Quad]) -> tuple[Picture, list[Quad], int]:
        """The picture and its lines after the quarter turns that make the text upright."""
        long = sorted(quads, key=_length, reverse=True)
        wide = [quad for quad in long if _width(quad) > _LONG * _height(quad)]
        tall = [quad for quad in long if _height(quad) > _LONG * _width(quad)]
        turns = 0
        if sum(map(_length, tall)) > 2 * sum(map(_length, wide)) and len(tall) > 1:
            image, quads, wide = np.rot90(image), _turn(quads, image.shape[1]), _turn(tall, image.shape[1])
            turns = 1
        ends = [end for quad in wide[:_SAMPLE] for end in _ends(_crop(image, quad))]
        votes = self.reader.are_flipped(ends) if ends else []
        if 2 * sum(votes) > len(votes):
            for _ in range(2):
                image, quads = np.rot90(image), _turn(quads, image.shape[1])
            turns += 2
        return (np.ascontiguousarray(image) if turns else image), quads, turns

    def _lay_down(self, crops: list[Picture], tall: Sequence[int]) -> None:
        """Turns the crops of lines that run up or down the page, in place."""
        for index in tall:
            crops[index] = np.ascontiguousarray(np.rot90(crops[index]))
        if tall:
            for index, flipped in zip(tall, self.reader.are_flipped([crops[i] for i in tall]), strict=True):
                if flipped:
                    crops[index] = np.ascontiguousarray(np.rot90(crops[index], 2))


def _ends(crop: Picture) -> list[Picture]:
    """Both ends of a line, 4 to 1 as the direction model was made for: it squeezes longer ones."""
    height, width = crop.shape[:2]
    return [crop] if width <= 5 * height else [crop[:, : 4 * height], crop[:, -4 * height :]]


def skew(lines: Sequence[OcrText]) -> float:
    """The angle of most of the text in radians (clockwise, since y runs downwards); 0 where no line is long."""
    angles = [(angle_of(line), line.box[2] - line.box[0]) for line in lines if _is_long(line)]
    if not angles:
        return 0.0
    return statistics.median_low([angle for angle, width in angles for _ in range(max(1, int(width) // 20))])


def has_slanted(lines: Sequence[OcrText]) -> bool:
    """Whether some long line runs in another direction than most."""
    angle = skew(lines)
    return any(_is_long(line) and is_aslant(line, angle) for line in lines)


def is_aslant(line: OcrText, angle: float) -> bool:
    """Whether a line is off the page's direction, as watermarks and stamps are."""
    return abs(angle_of(line) - angle) > _SLANT


def angle_of(line: OcrText) -> float:
    """The direction of a line's upper edge in radians."""
    (x0, y0), (x1, y1) = line.quad[0], line.quad[1]
    return math.atan2(y1 - y0, x1 - x0)


def straightened(line: OcrText, angle: float) -> tuple[float, float, float, float]:
    """The box of a line after the page has been turned by -angle about its upper left corner."""
    cos, sin = math.cos(-angle), math.sin(-angle)
    points = [(x * cos - y * sin, x * sin + y * cos) for x, y in line.quad]
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def _is_long(line: OcrText) -> bool:
    quad = np.asarray(line.quad, dtype=np.float32)
    return _width(quad) > _LONG * _height(quad)


def _width(quad: Quad) -> float:
    return float(np.linalg.norm(quad[1] - quad[0]))


def _height(quad: Quad) -> float:
    return float(np.linalg.norm(quad[3] - quad[0]))


def _length(quad: Quad) -> float:
    return max(_width(quad), _height(quad))


def _turn(quads: Sequence[Quad], width: int) -> list[Quad]:
    """Corners after a quarter turn against the clock of a picture `width` pixels wide."""
    out = []
    for quad in quads:
        turned = np.stack([quad[:, 1], width - 1 - quad[:, 0]], axis=1)
        out.append(np.roll(turned, -1, axis=0).astype(np.float32))
    return out


def _widened(quad: Quad) -> Quad:
    """The corners with a little more room before and after the text."""
    width, height = _width(quad), _height(quad)
    if width <= height:
        return quad
    step = (quad[1] - quad[0]) * (_BEYOND * height / width)
    return np.stack([quad[0] - step, quad[1] + step, quad[2] + step, quad[3] - step])


def _crop(image: Picture, quad: Quad) -> Picture:
    """The line cut out and straightened."""
    import cv2

    width = max(1, round(max(_width(quad), float(np.linalg.norm(quad[2] - quad[3])))))
    height = max(1, round(max(_height(quad), float(np.linalg.norm(quad[2] - quad[1])))))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    cut = cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, dtype=np.uint8)
