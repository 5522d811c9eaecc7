"""PDF -> Document: page by page, each by its text layer or by OCR, then the whole made one text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edu_cli.errors import LoadError, OcrUnavailableError
from edu_cli.ingest.ocr_layout import printed_lines
from edu_cli.ingest.options import LoadOptions, PictureText
from edu_cli.ingest.page_furniture import without_furniture
from edu_cli.ingest.page_grid import with_tables
from edu_cli.ingest.page_headings import to_blocks
from edu_cli.ingest.page_join import Paragraph, carry_over, paragraphs
from edu_cli.ingest.page_line import Line
from edu_cli.ingest.page_order import columns
from edu_cli.ingest.pdf_lines import Layer, read_layer
from edu_cli.ingest.pdf_render import page_picture
from edu_cli.ingest.pdf_tables import ruled_tables
from edu_cli.ingest.pdf_trust import doubt
from edu_cli.types import Document, OcrPage


@dataclass(frozen=True, slots=True)
class _Page:
    """What one page gave."""

    number: int
    layer: Layer
    ocr: OcrPage | None = None
    warning: str = ""


def read_pdf(path: Path, options: LoadOptions) -> Document:
    """The text of a PDF; pages whose text layer cannot be trusted are read by OCR, each told in `pages_ocr`.

    Raises LoadError: `empty`, `encrypted`, `corrupt`, `no_text`.
    """
    with _opened(path, options.pdf_password) as doc:
        pages = [_read_page(doc, index, options) for index in range(len(doc))]
        outline = [(entry[0], entry[1], entry[2]) for entry in doc.get_toc()]
        title = str(doc.metadata.get("title") or "") if doc.metadata else ""
        repaired = bool(doc.is_repaired)
    bodies = without_furniture([(page.layer.height, page.layer.lines) for page in pages])
    parts: list[Paragraph] = []
    for page, lines in zip(pages, bodies, strict=True):
        parts += _page_parts(replace(page, layer=replace(page.layer, lines=tuple(lines))))
    blocks = to_blocks(carry_over(parts), outline)
    warnings = [page.warning for page in pages if page.warning]
    if repaired:
        warnings.insert(0, f"{path.name} is damaged; what could be read of it is in.")
    if not blocks and repaired:
        raise LoadError(f"{path.name} is damaged, and no page of it can be read.", code="corrupt")
    headings = [block.text for block in blocks if block.kind == "heading"]
    return Document(
        "pdf",
        title or (headings[0] if headings else path.stem),
        tuple(blocks),
        pages=len(pages),
        pages_ocr=tuple(page.ocr for page in pages if page.ocr),
        warnings=tuple(dict.fromkeys(warnings)),
    )


@contextmanager
def _opened(path: Path, password: str) -> Iterator[Any]:
    import pymupdf

    pymupdf.no_recommend_layout()  # find_tables() prints an advertisement to stdout
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        doc = pymupdf.open(path, filetype="pdf")
    except pymupdf.EmptyFileError as error:
        raise LoadError(f"{path.name} is empty.", code="empty") from error
    except (RuntimeError, ValueError) as error:
        raise LoadError(f"{path.name} is no readable PDF: {error}.", code="corrupt") from error
    with doc:
        if doc.needs_pass and not doc.authenticate(password):
            tried = "the password given does not open it" if password else "it asks for a password"
            raise LoadError(
                f"{path.name} is encrypted, and {tried}.", hint="--password or EDU_PDF_PASSWORD", code="encrypted"
            )
        yield doc


def _read_page(doc: Any, index: int, options: LoadOptions) -> _Page:
    number = index + 1
    try:
        page = doc[index]
        layer = read_layer(page)
        reason = "forced" if options.ocr == "always" else doubt(page, layer)
        if reason and options.ocr != "never":
            read = _ocr_page(page, number, reason, options, layer)
            if read is not None:
                return read
        lines = ruled_tables(page, layer.lines, number) if layer.turn == 0 else layer.lines
        warning = f"page {number} has no text that can be trusted ({reason}), and OCR is off." if reason else ""
        return _Page(number, replace(layer, lines=tuple(lines)), warning=warning)
    except OcrUnavailableError as error:
        return _Page(number, Layer(1, 1, ()), warning=f"pages without digital text were left out: {error.message}")
    except (RuntimeError, ValueError, IndexError, LoadError) as error:
        return _Page(number, Layer(1, 1, ()), warning=f"page {number} cannot be read: {error}")


def _ocr_page(page: Any, number: int, reason: str, options: LoadOptions, layer: Layer) -> _Page | None:
    if options.pictures is None:
        return None
    found = options.pictures.read(page_picture(page))
    if not found.blocks and layer.lines:
        return None
    ocr = OcrPage(number, reason, found.confidence)
    return _Page(number, _ocr_layer(found, float(page.rect.width)), ocr if found.blocks else None)


def _ocr_layer(found: PictureText, width: float) -> Layer:
    """What OCR read as a text layer in points."""
    if not found.frames:
        lines = [Line("", (0, 10.0 * i, 100, 10.0 * i + 9), 9.0, block=block) for i, block in enumerate(found.blocks)]
        return Layer(100, 10.0 * len(lines) + 1, tuple(lines))
    frame = found.frames[0]
    straight, slanted = printed_lines(frame)
    scale = width / frame.width if frame.width else 1.0
    lines = [
        replace(line, box=tuple(edge * scale for edge in line.box), size=line.size * scale)  # type: ignore[arg-type]
        for line in straight
    ]
    return Layer(frame.width * scale, frame.height * scale, tuple(lines), slanted=tuple(line.text for line in slanted))


def _page_parts(page: _Page) -> list[Paragraph]:
    parts: list[Paragraph] = []
    for group in (page.layer.lines, *page.layer.aside):
        for region in columns(group):
            parts += paragraphs(with_tables(region, page.number), page.number)
    return carry_over(parts)
