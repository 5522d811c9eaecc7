"""Whether a page's text layer can be trusted, and if not, why."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any, Literal

from edu_cli.ingest.layout.line import union
from edu_cli.ingest.pdf.lines import Layer, is_unreadable
from edu_cli.ingest.text.plausible import han_share, is_nonsense, latin_share, strange_share

Reason = Literal["", "no_text", "garbled", "scan", "forced"]

# bench/layout_constants.py --trust tries each of them on right and spoilt layers; other values believe or doubt fewer.
_UNREADABLE = 0.08  # of the characters; a bullet or a logo in a private font stays below
_RUN = 4  # unreadable characters in a row are words; the brackets of a formula stand alone
_RUNS = 6  # characters in such runs from which on words are missing
_STRANGE = 0.1  # of the letters; a page of mathematics has .05
_SCAN = 0.5  # of the page covered by one picture
_HEADER = 0.25  # of the picture's height that a running title and a page number come to
_FEW_PAIRS, _MANY_PAIRS = 8, 30  # pairs from which on a share says anything, and much
_OLD_LAYER = 0.38  # known pairs; a good layer has .45 and more, one with every tenth character wrong .36


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a page is to be read by OCR (empty: it is not). `sure` means that whatever OCR reads is better."""

    reason: Reason
    sure: bool = True


def doubt(page: Any, layer: Layer) -> Doubt:
    """What speaks against the text layer of a page."""
    text = layer.text
    inked = re.sub(r"\s+", "", text)
    if not inked:
        return Doubt("no_text" if has_ink(page) else "")
    if _is_unreadable(inked, layer):
        return Doubt("garbled")
    scan = largest_picture(page)
    if scan is not None and _share_of(page, scan) > _SCAN:
        return _doubt_of_scan(layer, scan, inked)
    if strange_share(text) > _STRANGE or is_nonsense(text):
        return Doubt("garbled", sure=False)
    return Doubt("")


def is_better(ocr: str, layer: str) -> bool:
    """Whether OCR's text is more likely what is printed than a layer that was only suspected."""
    if len(re.sub(r"\s+", "", ocr)) < 0.3 * len(re.sub(r"\s+", "", layer)):
        return False
    if strange_share(layer) > _STRANGE >= strange_share(ocr):
        return True
    (new, pairs), (old, _) = (han_share(ocr), han_share(layer))
    if pairs < _FEW_PAIRS:
        (new, pairs), (old, _) = (latin_share(ocr), latin_share(layer))
    return pairs >= _FEW_PAIRS and new > old + (0.02 if pairs >= _MANY_PAIRS else 0.1)


def has_ink(page: Any) -> bool:
    """Whether anything is painted on the page."""
    return bool(page.get_image_info()) or bool(page.get_cdrawings())


def largest_picture(page: Any) -> tuple[float, float, float, float] | None:
    """The box of the picture that covers most of the page; strips that a scanner cut it into are one."""
    boxes = [tuple(info["bbox"]) for info in page.get_image_info()]
    largest = max(boxes, key=_area, default=None)
    if (
        largest is not None
        and len(boxes) > 1
        and sum(map(_area, boxes)) > _SCAN * abs(page.rect.width * page.rect.height)
    ):
        return union(boxes)
    return largest


def _doubt_of_scan(layer: Layer, scan: tuple[float, float, float, float], inked: str) -> Doubt:
    """A page that is mostly one picture: its text is a header over a scan, or the layer of an earlier OCR."""
    height = max(1.0, scan[3] - scan[1])
    inside = [line for line in layer.lines if line.box[1] < scan[3] and line.box[3] > scan[1]]
    tall = sum(line.box[3] - line.box[1] for line in inside)
    spread = max((line.box[3] for line in inside), default=0.0) - min((line.box[1] for line in inside), default=0.0)
    if not inside or (len(inked) < 120 and (tall < 0.08 * height or spread < _HEADER * height)):
        return Doubt("scan")
    if _is_suspect(layer):
        return Doubt("scan", sure=False)
    return Doubt("garbled", sure=False) if is_nonsense(layer.text) else Doubt("")


def _is_suspect(layer: Layer) -> bool:
    """Whether text over a scan is worth a second reading: few of its pairs are known, in whatever script."""
    han, pairs = han_share(layer.text)
    if pairs >= _FEW_PAIRS:
        return han < _OLD_LAYER
    latin, pairs = latin_share(layer.text)
    return layer.invisible and (pairs < _MANY_PAIRS or latin < 0.85)


def _is_unreadable(inked: str, layer: Layer) -> bool:
    bad = sum(map(is_unreadable, inked))
    if bad > _UNREADABLE * len(inked):
        return True
    lines = (re.sub(r"\s+", "", line.text) for group in (layer.lines, *layer.aside) for line in group)
    runs = (len(list(run)) for line in lines for bad, run in itertools.groupby(line, is_unreadable) if bad)
    return sum(run for run in runs if run >= _RUN) >= _RUNS


def _share_of(page: Any, box: tuple[float, float, float, float]) -> float:
    return _area(box) / (abs(page.rect.width * page.rect.height) or 1.0)


def _area(box: tuple[float, ...]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
