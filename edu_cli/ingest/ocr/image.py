"""Picture files -> Document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from edu_cli.errors import LoadError, OcrUnavailableError
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Block, Document, OcrPage

_DOUBTFUL = 0.8  # mean confidence below which the text is worth a look


def read_image(path: Path, options: LoadOptions) -> Document:
    """The text that OCR reads in a picture; a picture without text gives no blocks and a warning.

    Raises LoadError: `empty`, `corrupt`, `too_large`; `no_text` where OCR is off or cannot load.
    """
    data = path.read_bytes()
    if not data:
        raise LoadError(f"{path.name} is empty.", code="empty")
    if options.pictures is None:
        raise LoadError(f"{path.name} is a picture, and OCR is off.", hint="--ocr auto", code="no_text")
    try:
        found = options.pictures.read(data)
    except OcrUnavailableError as error:
        raise LoadError(f"{path.name} cannot be read: {error.message}", hint=error.hint, code="no_text") from error
    except LoadError as error:
        raise LoadError(f"{path.name}: {error.message}", hint=error.hint, code=error.code) from error
    pages = max(1, len(found.frames))
    warnings = _warnings(path.name, bool(found.blocks), found.confidence)
    headings = [block.text for block in found.blocks if block.kind == "heading"]
    blocks = found.blocks if len(headings) > 1 else tuple(map(_as_text, found.blocks))
    pages_ocr = tuple(OcrPage(number, "no_text", found.confidence) for number in range(1, pages + 1) if found.blocks)
    return Document(
        path.suffix.lower().lstrip(".") or "image",
        headings[0] if headings else path.stem,
        blocks,
        pages=pages,
        pages_ocr=pages_ocr,
        warnings=warnings,
    )


def _as_text(block: Block) -> Block:
    """A picture's only heading as a line of its text: it is the title, and parts nothing from anything."""
    return replace(block, kind="paragraph", level=0) if block.kind == "heading" else block


def _warnings(name: str, has_text: bool, confidence: float) -> tuple[str, ...]:
    if not has_text:
        return ("OCR found nothing that it could read",)
    if confidence < _DOUBTFUL:
        return (f"{name} was hard to read: OCR's mean confidence is {confidence:.2f}.",)
    return ()
