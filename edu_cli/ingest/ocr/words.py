"""Spaces between Latin words that the older recognition model leaves out, seen in the picture of the line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from edu_cli.ingest.ocr.line_reader import Picture

_INK = 0.3  # of the line's contrast, below which a column of pixels is blank
_LEAST_GAP = 0.14  # of the line's height; the space of most fonts is .2 to .3 of it
_WIDER = 2.2  # times the usual gap between two letters of the line


def spaced(text: str, places: Sequence[float], crop: Picture) -> str:
    """`text` with a space where the picture of its line shows one between two Latin characters.

    `places` tells for each character where its middle is, in shares of the picture's width.
    """
    if len(places) != len(text) or sum(char.isascii() for char in text) < 4:
        return text
    blank = _blank_columns(crop)
    width, height = crop.shape[1], crop.shape[0]
    gaps: dict[int, int] = {}
    for at in range(1, len(text)):
        if _may_part(text[at - 1], text[at]):
            gaps[at] = _longest_run(blank[int(places[at - 1] * width) : int(places[at] * width) + 1])
    if not gaps:
        return text
    usual = float(np.median(list(gaps.values())))
    least = max(_LEAST_GAP * height, _WIDER * usual, 2.0)
    return "".join(f" {char}" if gaps.get(at, 0) >= least else char for at, char in enumerate(text))


def _may_part(left: str, right: str) -> bool:
    latin = left.isascii() and right.isascii() and not left.isspace() and not right.isspace()
    return latin and left not in "([{" and right not in ",.;:!?)]}"


def _blank_columns(crop: Picture) -> npt.NDArray[np.bool_]:
    grey = crop.astype(np.float32).mean(axis=2)
    ink = np.abs(grey - np.median(grey)).max(axis=0)
    return ink < _INK * float(np.percentile(ink, 95))


def _longest_run(blank: npt.NDArray[np.bool_]) -> int:
    longest = run = 0
    for value in blank:
        run = run + 1 if value else 0
        longest = max(longest, run)
    return longest
