"""Recognised lines -> blocks; tiles and the cache; the engine replaced by one that is told what to see."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from edu_cli.errors import LoadError, OcrUnavailableError
from edu_cli.ingest.ocr.cache import FrameLines, OcrCache
from edu_cli.ingest.ocr.engine import _unavailable
from edu_cli.ingest.ocr.image import read_image
from edu_cli.ingest.ocr.layout import frame_blocks
from edu_cli.ingest.ocr.line_reader import LineReader, OcrText, Picture, Quad
from edu_cli.ingest.ocr.picture_reader import OcrPictureReader
from edu_cli.ingest.ocr.picture_tiles import tiles, untile
from edu_cli.ingest.ocr.upright import UprightOcr
from edu_cli.ingest.options import LoadOptions, PictureText


class BarReader:
    """A LineReader that takes each dark bar of a picture for a line and says how long it is."""

    name = "bars"

    def __init__(self) -> None:
        self.found = 0

    def find(self, image: Picture) -> list[Quad]:
        self.found += 1
        dark = image.min(axis=2) < 128
        rows = np.flatnonzero(dark.any(axis=1))
        quads = []
        for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if rows.size else []:
            cols = np.flatnonzero(dark[run[len(run) // 2]])
            x0, x1, y0, y1 = cols[0], cols[-1] + 1, run[0], run[-1] + 1
            quads.append(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32))
        return quads

    def are_flipped(self, crops: Sequence[Picture]) -> list[bool]:
        return [False] * len(crops)

    def recognise(self, crops: Sequence[Picture]) -> list[tuple[str, float]]:
        return [(f"bar{np.count_nonzero((crop.min(axis=2) < 128).any(axis=0))}", 0.9) for crop in crops]


def line(text: str, x: float, y: float, *, em: float = 20, angle: float = 0.0) -> OcrText:
    """A line of square characters, turned about the page's corner by `angle` degrees."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    width = em * len(text)
    corners = ((x, y), (x + width, y), (x + width, y + em), (x, y + em))
    return OcrText(text, 0.95, tuple((px * cos - py * sin, px * sin + py * cos) for px, py in corners))


def blocks_of(*lines: OcrText) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in frame_blocks(FrameLines(1000, 1400, lines))]


@pytest.mark.parametrize("angle", [0, 4, -5])
def test_cells_of_a_table_stand_in_one_row_whatever_the_skew(angle: float) -> None:
    rows = [
        ("课程", "教室", "周次"),
        ("编译原理", "博学楼三零五", "一到十二周"),
        ("密码学", "博学楼一一八", "三到十六周"),
    ]
    lines = [
        line(cell, 100 + 250 * col, 100 + 60 * row, angle=angle)
        for row, cells in enumerate(rows)
        for col, cell in enumerate(cells)
    ]
    (found,) = blocks_of(*lines)
    assert found[0] == "table"
    assert "| 密码学 | 博学楼一一八 | 三到十六周 |" in found[1].split("\n")


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [
        "左栏的文字从这里开始一直写到这",
        "里再接着往下写满第二行的位置到",
        "这里第三行也是满的继续写下去呀",
        "左栏结束。",
    ]
    right = [
        "右栏的文字从这里开始一直写到这",
        "里再接着往下写满第二行的位置到",
        "这里第三行也是满的继续写下去呀",
        "右栏结束。",
    ]
    lines = [
        line(text, x, 100 + 32 * row) for x, column in ((80, left), (520, right)) for row, text in enumerate(column)
    ]
    assert [text for _, text in blocks_of(*lines)] == ["".join(left), "".join(right)]


def test_short_lines_keep_their_breaks() -> None:
    lines = [
        line(text, 80, 100 + 34 * row)
        for row, text in enumerate(["青岚学院校庆海报", "时间十月十七日", "暗号银河铁道"])
    ]
    assert [text for _, text in blocks_of(*lines)] == ["青岚学院校庆海报\n时间十月十七日\n暗号银河铁道"]


def test_slanted_watermarks_come_last_and_once() -> None:
    body = [line("第一句话讲的是博弈论的均衡。", 80, 100), line("第二句话讲的是囚徒的困境。", 80, 140)]
    marks = [line("内部资料请勿外传", 300, y, angle=-20) for y in (120, 400, 700)]
    found = blocks_of(*body, *marks)
    assert found[-1] == ("note", "内部资料请勿外传")
    assert "内部" not in "".join(text for _, text in found[:-1])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(20, 60), min_size=20, max_size=90), st.integers(300, 900))
def test_tiles_of_a_long_picture_lose_and_repeat_no_line(gaps: list[int], width: int) -> None:
    height = sum(gap + 24 for gap in gaps) + 40
    picture = np.full((height, width, 3), 255, np.uint8)
    y, wanted = 20, []
    for index, gap in enumerate(gaps):
        length = 100 + 4 * (index % 40)
        picture[y : y + 24, 20 : 20 + length] = 0
        wanted.append(length)
        y += 24 + gap
    reader = BarReader()
    parts = []
    for tile in tiles(picture):
        assert max(tile.image.shape[:2]) <= 1600
        quads = reader.find(tile.image)
        parts.append((tile, [OcrText("bar", 0.9, tuple((float(a), float(b)) for a, b in quad)) for quad in quads]))
    found = sorted((item.box for item in untile(parts)), key=lambda box: box[1])
    assert [box[2] - box[0] for box in found] == pytest.approx(wanted, abs=3)  # scaled by less than a pixel each way


def test_a_strip_without_a_blank_row_is_cut_with_an_overlap() -> None:
    picture = np.full((5000, 400, 3), 255, np.uint8)
    picture[:, 10:14] = 0  # a rule along the whole margin
    cut = tiles(picture)
    assert all(a.y + a.image.shape[0] > b.y for a, b in itertools.pairwise(cut))
    assert cut[-1].y + cut[-1].image.shape[0] == 5000


def bars(path: Path) -> Path:
    picture = np.full((300, 400, 3), 255, np.uint8)
    picture[50:70, 40:200] = 0
    Image.fromarray(picture).save(path)
    return path


def test_a_picture_seen_before_costs_no_reading(tmp_path: Path) -> None:
    engine: LineReader = BarReader()
    assert isinstance(engine, BarReader)
    data = bars(tmp_path / "a.png").read_bytes()
    first = OcrPictureReader(tmp_path / "cache", engine=engine).read(data)
    again = OcrPictureReader(tmp_path / "cache", engine=engine).read(data)
    assert engine.found == 1
    assert first == again
    assert first.blocks[0].text == "bar160"


def test_a_broken_cache_entry_is_read_again_and_mended(tmp_path: Path) -> None:
    engine = BarReader()
    data = bars(tmp_path / "a.png").read_bytes()
    reader = OcrPictureReader(tmp_path / "cache", engine=engine)
    wanted = reader.read(data)
    (entry,) = (tmp_path / "cache").rglob("*.json")
    entry.write_text('{"frames": [{"wid', encoding="utf-8")
    assert reader.read(data) == wanted
    assert OcrCache(tmp_path / "cache", "bars").get(entry.stem) is not None
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_another_engine_has_its_own_entries(tmp_path: Path) -> None:
    cache, other = OcrCache(tmp_path, "one"), OcrCache(tmp_path, "two")
    cache.put(cache.key(b"x"), [FrameLines(1, 1, ())])
    assert cache.get(cache.key(b"x")) == [FrameLines(1, 1, ())]
    assert other.get(other.key(b"x")) is None


def test_a_picture_document_tells_what_was_read_and_a_blank_one_warns(tmp_path: Path) -> None:
    options = LoadOptions(pictures=OcrPictureReader(None, engine=BarReader()))
    document = read_image(bars(tmp_path / "a.png"), options)
    assert [block.text for block in document.blocks] == ["bar160"]
    assert document.pages_ocr[0].confidence == pytest.approx(0.9)
    Image.new("RGB", (300, 300), "white").save(tmp_path / "b.png")
    blank = read_image(tmp_path / "b.png", options)
    assert blank.blocks == ()
    assert blank.warnings == ("OCR found nothing that it could read",)


def test_pages_of_a_tiff_are_numbered(tmp_path: Path) -> None:
    with Image.open(bars(tmp_path / "a.png")) as page:
        page.save(tmp_path / "a.tiff", save_all=True, append_images=[page.copy(), page.copy()])
    document = read_image(tmp_path / "a.tiff", LoadOptions(pictures=OcrPictureReader(None, engine=BarReader())))
    assert [block.page for block in document.blocks] == [1, 2, 3]
    assert document.pages == 3


class Unavailable:
    def read(self, data: bytes) -> PictureText:
        raise OcrUnavailableError("OCR cannot load.", hint="apt-get install libgl1")


@pytest.mark.parametrize("pictures", [None, Unavailable()])
def test_a_picture_without_ocr_fails_by_name(tmp_path: Path, pictures: Unavailable | None) -> None:
    with pytest.raises(LoadError, match=r"a\.png") as caught:
        read_image(bars(tmp_path / "a.png"), LoadOptions(pictures=pictures))
    assert caught.value.code == "no_text"


def test_a_missing_system_library_is_told_apart_from_a_missing_package() -> None:
    broken = _unavailable([ImportError("libGL.so.1: cannot open shared object file"), ModuleNotFoundError("rapidocr")])
    assert "libgl1" in broken.hint
    assert "opencv-python-headless" in broken.hint
    assert "pip install rapidocr" in _unavailable([ModuleNotFoundError("a"), ModuleNotFoundError("b")]).hint


def test_lines_are_read_a_little_beyond_their_ends() -> None:
    """Detection stops short of a full stop: what is cut out must hold it."""
    image = np.full((100, 400, 3), 255, dtype=np.uint8)
    image[40:60, 50:250] = 0
    image[55:60, 251:253] = 0  # the full stop
    crops: list[Picture] = []

    class Keeping(BarReader):
        def find(self, image: Picture) -> list[Quad]:
            return [np.array([[50, 40], [250, 40], [250, 60], [50, 60]], dtype=np.float32)]

        def recognise(self, crops_: Sequence[Picture]) -> list[tuple[str, float]]:
            crops.extend(crops_)
            return super().recognise(crops_)

    UprightOcr(Keeping()).read(image)
    assert (crops[0][-3:, 200:] < 128).any()
