"""The real engine on pages drawn here: error rates, orientation, long screenshots, seals. Needs a Chinese font."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import ocr as bench  # the pages and the error rate are those of bench/ocr.py

from edu_cli.ingest.ocr.layout import frame_blocks
from edu_cli.ingest.ocr.picture_reader import OcrPictureReader
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.pdf.reader import read_pdf

FONT = next((font for font in bench.FONTS if Path(font).exists()), None)
pytestmark = [pytest.mark.ocr, pytest.mark.skipif(FONT is None, reason="no Chinese font (fonts-wqy-zenhei)")]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> OcrPictureReader:
    return OcrPictureReader(tmp_path_factory.mktemp("ocr"), threads=2)


def png(picture: np.ndarray | Image.Image) -> bytes:
    out = io.BytesIO()
    (picture if isinstance(picture, Image.Image) else Image.fromarray(picture)).save(out, "PNG")
    return out.getvalue()


def text_of(reader: OcrPictureReader, data: bytes) -> str:
    return "\n".join(block.text for block in reader.read(data).blocks)


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("clean", 0.02),
        ("skewed", 0.05),
        ("noisy", 0.1),
        ("small", 0.1),
        ("turned90", 0.05),
        ("turned180", 0.05),
        ("turned270", 0.05),
    ],
)
def test_pages_are_read_with_few_errors(reader: OcrPictureReader, kind: str, most: float) -> None:
    picture = bench.KINDS[kind](bench.rendered(bench.PAGES[1]), np.random.default_rng(0))
    truth = bench.folded("".join(bench.PAGES[1]))
    assert bench.edits(truth, bench.folded(text_of(reader, png(picture)))) <= most * len(truth)


def test_a_long_screenshot_loses_and_repeats_no_line(reader: OcrPictureReader) -> None:
    lines = [f"第{n:02d}条消息：今天讲了第{n}个知识点" for n in range(1, 61)]
    picture = Image.new("RGB", (720, 80 * len(lines) + 80), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.truetype(str(FONT), 30)
    for row, line in enumerate(lines):
        draw.text((40, 40 + 80 * row), line, font=font, fill="black")
    read = bench.folded(text_of(reader, png(picture)))
    assert [read.count(f"第{n:02d}条") for n in range(1, 61)] == [1] * 60


def test_text_under_a_seal_is_read(reader: OcrPictureReader) -> None:
    picture = Image.new("RGB", (1000, 420), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.truetype(str(FONT), 34)
    lines = [
        "关于期末考试安排的通知",
        "考试时间为六月十八日上午九点",
        "考试地点在博学楼三零五教室",
        "请带好学生证按时参加考试",
    ]
    for row, line in enumerate(lines):
        draw.text((80, 60 + 80 * row), line, font=font, fill="black")
    draw.ellipse((330, 90, 600, 360), outline=(210, 30, 30), width=9)
    draw.text((370, 205), "教务处专用", font=font, fill=(210, 30, 30))
    read = bench.folded(text_of(reader, png(picture)))
    truth = bench.folded("".join(lines))
    missing = [char for char in truth if truth.count(char) > read.count(char)]
    assert len(missing) <= 0.1 * len(truth)


def test_a_scanned_page_of_a_pdf_is_read_on_its_page(reader: OcrPictureReader, tmp_path: Path) -> None:
    doc = pymupdf.open()
    doc.new_page(width=595, height=842).insert_text((60, 100), "电子版的第一页。", fontname="china-s")
    page = doc.new_page(width=595, height=421)
    page.insert_image(page.rect, stream=png(bench.rendered(bench.PAGES[0]).rotate(180)))
    path = tmp_path / "mixed.pdf"
    doc.save(path)
    document = read_pdf(path, LoadOptions(pictures=reader))
    assert [(found.page, found.reason) for found in document.pages_ocr] == [(2, "no_text")]
    second = "".join(block.text for block in document.blocks if block.page == 2)
    assert "装入内存" in second
    assert second.index("分页") < second.index("抖动")


def test_a_blank_picture_has_no_text(reader: OcrPictureReader) -> None:
    assert reader.read(png(Image.new("RGB", (400, 300), "white"))).blocks == ()
    (frame,) = reader.read_frames(png(Image.new("L", (3, 900), 0)))
    assert frame_blocks(frame) == []
