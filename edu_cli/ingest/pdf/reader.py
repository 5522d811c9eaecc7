"""PDF -> Document: page by page, each by its text layer or by OCR, then the whole made one text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from edu_cli.errors import LoadError
from edu_cli.ingest.layout.flow import carry_over, continue_tables
from edu_cli.ingest.layout.furniture import without_furniture
from edu_cli.ingest.layout.grid import with_tables
from edu_cli.ingest.layout.headings import to_blocks
from edu_cli.ingest.layout.join import OCR_NOISE, PRINT_NOISE, Paragraph, paragraphs, title_key
from edu_cli.ingest.layout.order import regions
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.pdf.page import FAULTS, Page, read_page
from edu_cli.ingest.pdf.pictures import repeated_pictures
from edu_cli.ingest.text.plausible import is_nonsense
from edu_cli.types import Block, Document

_WATERMARK_PAGES = 3  # on which the same slanted text is told only once
_MACHINE_TITLE = re.compile(
    r"^(?:untitled|document\d*|microsoft (?:word|powerpoint) -.*"
    r"|.*\.(?:docx?|pptx?|pdf|tex|dvi|indd|wps|xlsx?|png|jpe?g|tiff?)"
    r"|(?:screen ?shot|scan|image)[\W\d_].*|未命名.*|幻灯片\s*\d*|powerpoint.*|新建.*|无标题.*|[\W\d_]*)$",
    re.IGNORECASE,
)


def read_pdf(path: Path, options: LoadOptions) -> Document:
    """The text of a PDF; pages whose text layer cannot be trusted are read by OCR, each told in `pages_ocr`.

    Raises LoadError: `empty`, `encrypted`, `corrupt`.
    """
    with _opened(path, options.pdf_password) as doc:
        repeated = repeated_pictures(doc)
        pages = [read_page(doc, index, options, repeated) for index in range(len(doc))]
        outline = _outline(doc)
        metadata = _metadata(doc)
        repaired = bool(doc.is_repaired)
    bodies = without_furniture([(page.layer.height, page.layer.lines) for page in pages])
    parts: list[Paragraph] = []
    for page, lines in zip(pages, bodies, strict=True):
        titles = frozenset(title_key(title) for _, title, at in outline if abs(at - page.number) <= 1) - {""}
        parts += _parts(replace(page, layer=replace(page.layer, lines=tuple(lines))), titles)
    blocks = _with_slanted(to_blocks(continue_tables(carry_over(parts)), outline), pages)
    if not blocks and (repaired or any(page.failed for page in pages)):
        raise LoadError(
            f"{path.name} is damaged, and no page of it can be read.",
            hint="download or export it again",
            code="corrupt",
        )
    return Document(
        "pdf",
        _title(metadata.get("title", ""), blocks, path),
        tuple(blocks),
        pages=len(pages),
        pages_ocr=tuple(page.ocr for page in pages if page.ocr),
        warnings=_warnings(path.name, pages, repaired),
        metadata=metadata,
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
        raise LoadError(
            f"{path.name} is no PDF that can be read: its structure is broken.", hint="download or export it again"
        ) from error
    with doc:
        if not doc.is_pdf:
            raise LoadError(f"{path.name} is no PDF, in spite of its name.", code="corrupt")
        if doc.needs_pass and not doc.authenticate(password):
            found = "the password given does not open it" if password else "it asks for a password"
            raise LoadError(
                f"{path.name} is encrypted: {found}.", hint="--password P, or EDU_PDF_PASSWORD", code="encrypted"
            )
        yield doc


def _outline(doc: Any) -> list[tuple[int, str, int]]:
    try:
        return [(int(entry[0]), str(entry[1]), int(entry[2])) for entry in doc.get_toc()]
    except FAULTS:
        return []


def _metadata(doc: Any) -> dict[str, str]:
    """Title, author, subject and keywords where they say something, and the page labels where they are no numbers."""
    info = doc.metadata or {}
    found = {key: str(info.get(key) or "").strip() for key in ("title", "author", "subject", "keywords")}
    if _MACHINE_TITLE.match(found["title"]) or "\ufffd" in found["title"]:
        found["title"] = ""
    try:
        labels = [str(doc[index].get_label()) for index in range(len(doc))] if doc.get_page_labels() else []
    except FAULTS:
        labels = []
    if any(label != str(number) for number, label in enumerate(labels, 1)):
        found["page_labels"] = ",".join(labels)
    return {key: value for key, value in found.items() if value}


def _parts(page: Page, titles: frozenset[str]) -> list[Paragraph]:
    """The paragraphs of a page in reading order, its comments last."""
    noise = OCR_NOISE if page.by_ocr else PRINT_NOISE
    parts: list[Paragraph] = []
    for group in (page.layer.lines, *page.layer.aside):
        for region in regions(group):
            found = with_tables(region.lines, page.number)
            parts += paragraphs(found, page.number, noise=noise, margin=region.margin, titles=titles)
    box = (0.0, page.layer.height, page.layer.width, page.layer.height)
    parts += [Paragraph("note", note, box, 0.0, False, page.number, 1, True, False) for note in page.notes]
    return carry_over(parts)


def _with_slanted(blocks: list[Block], pages: Sequence[Page]) -> list[Block]:
    """Slanted text (watermarks) as notes at the end of its first page, once where many pages repeat it."""
    counts = Counter(text for page in pages for text in page.layer.slanted)
    told: set[str] = set()
    for page in pages:
        fresh = [text for text in page.layer.slanted if counts[text] < _WATERMARK_PAGES or text not in told]
        told.update(fresh)
        if fresh:
            at = max((i + 1 for i, block in enumerate(blocks) if (block.page or 0) <= page.number), default=0)
            blocks.insert(at, Block("note", "\n".join(fresh), page=page.number))
    return blocks


def _title(stored: str, blocks: Sequence[Block], path: Path) -> str:
    if stored and not is_nonsense(stored):
        return stored
    first = [block for block in blocks if block.kind == "heading" and (block.page or 1) <= 2]
    return min(first, key=lambda block: block.level).text if first else path.stem


def _warnings(name: str, pages: Sequence[Page], repaired: bool) -> tuple[str, ...]:
    found = [f"{name} is damaged (its index had to be rebuilt); what could be read of it is in."] if repaired else []
    found += [warning for page in pages for warning in page.warnings]
    return tuple(dict.fromkeys(found))
