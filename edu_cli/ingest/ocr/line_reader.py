"""What reads lines off a picture, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Quad = npt.NDArray[np.float32]  # (4, 2): x, y of the corners, clockwise from the upper left


@dataclass(frozen=True, slots=True)
class OcrText:
    """A recognised line (protocols.OcrLine) with its four corners."""

    text: str
    confidence: float
    quad: tuple[tuple[float, float], ...]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The upright box around the corners, in pixels."""
        xs, ys = zip(*self.quad, strict=True)
        return (min(xs), min(ys), max(xs), max(ys))


class LineReader(Protocol):
    """The three models of an OCR engine, each on RGB pictures."""

    @property
    def name(self) -> str:
        """Package and models; part of the cache's keys."""
        ...

    def find(self, image: Picture) -> list[Quad]:
        """Corners of the lines found, unordered."""
        ...

    def are_flipped(self, crops: Sequence[Picture]) -> list[bool]:
        """Which of the upright crops stand on their heads."""
        ...

    def recognise(self, crops: Sequence[Picture]) -> list[tuple[str, float]]:
        """Text and confidence of each crop, in order."""
        ...
