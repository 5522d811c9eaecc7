"""Pages of a PDF -> pictures for OCR, with caps on pixels."""

from __future__ import annotations

from typing import Any

RENDER_DPI = 200  # more than OCR reads at first (READ_SIDE), so that small print can be read again, larger
_MAX_SIDE = 3000  # pixels; OCR scales larger pictures down anyway
_MAX_PIXELS = 4_400_000  # an A3 page at 150 dpi; detection takes a second per million
_MIN_SIDE = 900  # small pages (slides, cards) are enlarged to this


def page_picture(page: Any, clip: Any = None, dpi: float = RENDER_DPI) -> bytes:
    """The page (or a part of it) as PNM, annotations and form fields included."""
    import pymupdf

    area = pymupdf.Rect(clip) if clip is not None else page.rect
    longest = max(area.width, area.height, 1.0)
    zoom = max(dpi / 72, min(_MIN_SIDE / longest, 4.0))
    zoom = min(zoom, _MAX_SIDE / longest, (_MAX_PIXELS / max(area.width * area.height, 1.0)) ** 0.5)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=clip, alpha=False, colorspace=pymupdf.csRGB)
    return pixmap.tobytes("pnm")
