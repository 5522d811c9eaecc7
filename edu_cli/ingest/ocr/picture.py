"""Encoded pictures -> upright RGB frames: every common format and colour mode, bombs refused."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from edu_cli.errors import LoadError
from edu_cli.ingest.ocr.line_reader import Picture

MAX_PIXELS = 120_000_000  # 360 MB as RGB; an A3 page at 600 dpi has 70 million
MAX_FRAMES = 500
_ENOUGH = 24_000_000  # pixels, beyond which OCR sees no more
_MIN_SIDE = 8  # a picture this thin holds no text

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        from pillow_heif import register_heif_opener  # type: ignore[import-not-found]  # optional
    except ImportError:
        register_heif_opener = None


def frames(data: bytes) -> Iterator[Picture]:
    """The frames of a picture as (height, width, 3) RGB, upright by EXIF: all pages of a TIFF, else the first frame.

    Raises LoadError: `corrupt` for what cannot be decoded, `too_large` for more than MAX_PIXELS, `unsupported` for
    HEIC where no library reads it.
    """
    if register_heif_opener is not None:
        register_heif_opener()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns below its own limit, and of damaged EXIF
            with Image.open(io.BytesIO(data)) as image:
                _check_size(image)
                for index, frame in enumerate(ImageSequence.Iterator(image)):
                    if index >= (MAX_FRAMES if image.format == "TIFF" else 1):
                        break
                    _check_size(frame)
                    yield _rgb(ImageOps.exif_transpose(_smaller(frame)))
    except LoadError:
        raise
    except Image.DecompressionBombError as error:
        raise LoadError(f"The picture has too many pixels: {error}.", code="too_large") from error
    except UnidentifiedImageError as error:
        raise _unknown(data) from error
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, OverflowError) as error:
        raise LoadError(f"The picture cannot be decoded: {error}.", hint="save it again as PNG or JPEG") from error


def _check_size(image: Image.Image) -> None:
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise LoadError(
            f"The picture has {width} x {height} pixels, more than {MAX_PIXELS // 1_000_000} million.",
            hint="scale it down",
            code="too_large",
        )


def _smaller(image: Image.Image) -> Image.Image:
    """A very large picture at half, a third, ... of its size, before anything is unpacked where its format allows."""
    factor = int((image.width * image.height / _ENOUGH) ** 0.5)
    if factor < 2:
        return image
    if image.format == "JPEG":
        image.draft(None, (image.width // factor, image.height // factor))
        return image
    exif = image.getexif()
    if image.mode in ("P", "PA"):
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    small = (image.convert("L") if image.mode == "1" else image).reduce(factor)
    small.info["exif"] = exif.tobytes()
    return small


def _unknown(data: bytes) -> LoadError:
    if data[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftyphevc"):
        return LoadError("HEIC pictures need a library.", hint="pip install pillow-heif", code="unsupported")
    return LoadError("The picture is in no format that is known here.", hint="save it as PNG or JPEG")


def _rgb(image: Image.Image) -> Picture:
    """The picture on an opaque ground, 8 bits a channel."""
    if image.mode.startswith(("I", "F")):
        image = _eight_bit(image)
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        return _on_ground(np.asarray(image.convert("RGBA")))
    return np.asarray(image.convert("RGB"))


def _eight_bit(image: Image.Image) -> Image.Image:
    """16- and 32-bit grey scaled by what the picture uses: its depth is not recorded reliably."""
    values = np.asarray(image, dtype=np.float64)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and (high <= 1 or 2 < high <= 255):  # one of the usual ranges, perhaps not all of it used
        low, high = 0.0, 1.0 if high <= 1 else 255.0
    scaled = (np.nan_to_num(values, nan=low) - low) * (255.0 / max(high - low, 1e-9))
    return Image.fromarray(scaled.astype(np.uint8))


def _on_ground(rgba: Picture) -> Picture:
    """The picture on white, or on black where what is painted is mostly light."""
    alpha = rgba[:, :, 3:].astype(np.float32) / 255.0
    colours = rgba[:, :, :3].astype(np.float32)
    weight = float(alpha.sum())
    light = float((colours.mean(axis=2, keepdims=True) * alpha).sum()) / weight if weight else 0.0
    transparent = float((alpha < 0.5).mean())
    ground = 0.0 if light > 170.0 and transparent > 0.2 else 255.0
    return (colours * alpha + ground * (1.0 - alpha)).astype(np.uint8)


def is_thin(frame: Picture) -> bool:
    """Whether a frame is too small to hold a character."""
    return min(frame.shape[:2]) < _MIN_SIDE
