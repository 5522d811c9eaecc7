"""Whether a page's text layer can be trusted, and if not, why."""

from __future__ import annotations

from typing import Any

from edu_cli.ingest.pdf_lines import Layer

_FEW = 16  # characters that a page number and a running title come to
_SCAN = 0.5  # of the page covered by one picture


def doubt(page: Any, layer: Layer) -> str:
    """`no_text`, `garbled` or `scan` where OCR has to read the page; empty where its text is good."""
    text = "".join(line.text for group in (layer.lines, *layer.aside) for line in group)
    inked = [char for char in text if not char.isspace()]
    if not inked:
        return "no_text" if _has_ink(page) else ""
    if _is_garbled(inked):
        return "garbled"
    cover = _picture_cover(page)
    if cover > _SCAN and len(inked) < 80:
        return "scan"
    return ""


def _is_garbled(inked: list[str]) -> bool:
    bad = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in inked)
    return bad > 0.1 * len(inked)


def _has_ink(page: Any) -> bool:
    return bool(page.get_image_info()) or bool(page.get_cdrawings())


def _picture_cover(page: Any) -> float:
    total = abs(page.rect.width * page.rect.height) or 1.0
    largest = 0.0
    for info in page.get_image_info():
        x0, y0, x1, y1 = info["bbox"]
        largest = max(largest, (x1 - x0) * (y1 - y0) / total)
    return largest
