"""Small PDFs for the tests, written with PyMuPDF's built-in fonts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from edu_cli.errors import OcrUnavailableError
from edu_cli.ingest.options import LoadOptions, PictureText
from edu_cli.ingest.pdf.reader import read_pdf
from edu_cli.types import Block, Document


@dataclass
class ScriptedPictures:
    """A PictureReader that gives the same text for every picture, and counts them."""

    text: str = "识别出的文字"
    fails: bool = False
    read_pictures: list[bytes] = field(default_factory=list)

    def read(self, data: bytes) -> PictureText:
        if self.fails:
            raise OcrUnavailableError("OCR cannot load.", hint="apt-get install libgl1")
        self.read_pictures.append(data)
        return PictureText((Block("paragraph", self.text),), 0.9)


def write_lines(
    page: Any,
    lines: Iterable[str],
    x: float = 60,
    y: float = 100,
    size: float = 11,
    font: str = "china-s",
    pitch: float = 1.5,
) -> float:
    """Lines below each other; gives the y after the last."""
    for line in lines:
        page.insert_text((x, y), line, fontname=font, fontsize=size)
        y += pitch * size
    return y


def read(doc: Any, path: Path, **options: Any) -> Document:
    """The document as the reader under test sees it."""
    doc.save(path)
    doc.close()
    return read_pdf(path, LoadOptions(**options))


def texts(document: Document, *kinds: str) -> list[str]:
    return [block.text for block in document.blocks if not kinds or block.kind in kinds]


def draw_table(
    page: Any, cells: list[list[str]], top: float, *, left: float = 60, width: float = 120, height: float = 24
) -> None:
    """A ruled table."""
    rows, cols = len(cells), len(cells[0])
    for row in range(rows + 1):
        page.draw_line((left, top + row * height), (left + cols * width, top + row * height))
    for col in range(cols + 1):
        page.draw_line((left + col * width, top), (left + col * width, top + rows * height))
    for row, line in enumerate(cells):
        for col, cell in enumerate(line):
            page.insert_text((left + 6 + col * width, top + 16 + row * height), cell, fontname="china-s", fontsize=11)


def new_doc(pages: int = 1, width: float = 595, height: float = 842) -> Any:
    doc = pymupdf.open()
    for _ in range(pages):
        doc.new_page(width=width, height=height)
    return doc
