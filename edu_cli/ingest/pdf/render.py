"""Pages of a PDF -> pictures for OCR, with caps on pixels."""

from __future__ import annotations

from typing import Any

from edu_cli.errors import LoadError

RENDER_DPI = 200  # more than OCR reads at first (READ_SIDE), so that small print can be read again, larger
_MAX_SIDE = 3000  # pixels; OCR scales larger pictures down anyway
_MAX_PIXELS = 4_400_000  # an A3 page at 150 dpi; detection takes a second per million
_MAX_UNPACKED = 250_000_000  # pixels, up to 1 GB in memory
_MIN_SIDE = 900  # small pages (slides, cards) are enlarged to this


def page_picture(page: Any, clip: Any = None, dpi: float = RENDER_DPI) -> bytes:
    """The page (or a part of it) as PNM, annotations and form fields included.

    Raises LoadError `too_large` where a picture on it would have to be unpacked to more than _MAX_UNPACKED pixels.
    """
    import pymupdf

    largest = max((info["width"] * info["height"] for info in page.get_image_info()), default=0)
    if largest > _MAX_UNPACKED:
        raise LoadError(f"a picture on it has {largest // 1_000_000} million pixels", code="too_large")
    area = pymupdf.Rect(clip) if clip is not None else page.rect
    longest = max(area.width, area.height, 1.0)
    zoom = max(dpi / 72, min(_MIN_SIDE / longest, 4.0))
    zoom = min(zoom, _MAX_SIDE / longest, (_MAX_PIXELS / max(area.width * area.height, 1.0)) ** 0.5)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=clip, alpha=False, colorspace=pymupdf.csRGB)
    return pixmap.tobytes("pnm")
