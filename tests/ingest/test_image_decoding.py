"""Pictures of every mode become upright RGB frames; bombs and junk are refused."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from edu_cli.errors import LoadError
from edu_cli.ingest.ocr.picture import frames


def drawn(mode: str = "L") -> Image.Image:
    """White paper with a black bar in the upper left quarter."""
    image = Image.new("L", (200, 120), 255)
    image.paste(0, (10, 10, 90, 40))
    return image.convert(mode)


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def only(data: bytes) -> np.ndarray:
    (frame,) = frames(data)
    return frame


def is_bar_on_paper(frame: np.ndarray) -> bool:
    return frame.shape == (120, 200, 3) and frame[25, 50].max() < 60 and frame[100, 150].min() > 200


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lambda: encoded(drawn("CMYK"), "JPEG", quality=95), id="cmyk"),
        pytest.param(lambda: encoded(drawn("P"), "PNG"), id="palette"),
        pytest.param(lambda: encoded(drawn("1"), "PNG"), id="bilevel"),
        pytest.param(lambda: encoded(drawn("LA"), "PNG"), id="grey-alpha"),
        pytest.param(lambda: encoded(drawn("RGB"), "WEBP", lossless=True), id="webp"),
        pytest.param(lambda: encoded(drawn("RGB"), "BMP"), id="bmp"),
        pytest.param(lambda: encoded(drawn("P"), "GIF"), id="gif"),
        pytest.param(lambda: encoded(Image.fromarray(np.asarray(drawn(), np.uint16) * 257), "PNG"), id="sixteen-bit"),
        pytest.param(lambda: encoded(Image.fromarray(np.asarray(drawn(), np.float32) / 255), "TIFF"), id="float-tiff"),
    ],
)
def test_every_mode_and_format_shows_the_same_picture(data: Callable[[], bytes]) -> None:
    assert is_bar_on_paper(only(data()))


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_exif_orientation_is_followed(orientation: int) -> None:
    turned = {
        1: drawn(),
        3: drawn().rotate(180),
        6: drawn().rotate(90, expand=True),
        8: drawn().rotate(270, expand=True),
    }
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert is_bar_on_paper(only(encoded(turned[orientation], "JPEG", exif=exif, quality=95)))


@pytest.mark.parametrize(("ink", "ground"), [((0, 0, 0), 255), ((255, 255, 255), 0)])
def test_transparent_pictures_get_the_ground_that_shows_their_ink(ink: tuple[int, int, int], ground: int) -> None:
    image = Image.new("RGBA", (200, 120), (*ink, 0))
    image.paste((*ink, 255), (10, 10, 90, 40))
    frame = only(encoded(image, "PNG"))
    assert tuple(frame[25, 50]) == ink
    assert tuple(frame[100, 150]) == (ground,) * 3


def test_all_pages_of_a_tiff_and_the_first_frame_of_an_animation_are_read() -> None:
    pages = [drawn(), drawn().rotate(180), drawn()]
    assert len(list(frames(encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])))) == 3
    assert len(list(frames(encoded(pages[0].convert("P"), "GIF", save_all=True, append_images=pages[1:])))) == 1


def test_a_picture_bomb_is_refused_before_it_is_unpacked() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    data = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )
    with pytest.raises(LoadError) as caught:
        list(frames(data))
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("data", [b"no picture at all", encoded(drawn(), "PNG")[:60], b"\x89PNG\r\n\x1a\n"])
def test_what_cannot_be_decoded_is_corrupt(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        list(frames(data))
    assert caught.value.code == "corrupt"


def test_a_cut_jpeg_is_told() -> None:
    data = encoded(Image.effect_noise((400, 400), 80).convert("RGB"), "JPEG")
    with pytest.raises(LoadError) as caught:
        list(frames(data[: len(data) // 2]))
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize(("mode", "kind"), [("L", "PNG"), ("P", "PNG"), ("1", "PNG"), ("RGBA", "PNG"), ("RGB", "JPEG")])
def test_very_large_pictures_are_made_smaller_and_still_upright(
    monkeypatch: pytest.MonkeyPatch, mode: str, kind: str
) -> None:
    monkeypatch.setattr("edu_cli.ingest.ocr.picture._ENOUGH", 5_000)
    exif = Image.Exif()
    exif[0x0112] = 6
    image = drawn().rotate(90, expand=True).convert(mode)
    options = {} if mode == "1" else {"exif": exif}
    frame = only(encoded(image, kind, **options))
    assert frame.size < 24_000 * 3
    if mode != "1":
        assert frame.shape[1] > frame.shape[0]
        assert frame[: frame.shape[0] // 3, : frame.shape[1] // 3].min() < 100
