"""One page of a PDF -> its lines, by the text layer or by OCR, with what was found wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from edu_cli.errors import LoadError, OcrUnavailableError
from edu_cli.ingest.layout.line import Line, median_size
from edu_cli.ingest.ocr.layout import printed_lines
from edu_cli.ingest.options import LoadOptions, PictureReader, PictureText
from edu_cli.ingest.pdf.figures import with_figures
from edu_cli.ingest.pdf.lines import Layer, is_unreadable, read_layer
from edu_cli.ingest.pdf.notes import comments, unpainted_fields
from edu_cli.ingest.pdf.pictures import picture_lines
from edu_cli.ingest.pdf.render import page_picture
from edu_cli.ingest.pdf.tables import ruled_tables
from edu_cli.ingest.pdf.trust import Doubt, doubt, is_better
from edu_cli.ingest.text.plausible import is_ocr_script
from edu_cli.types import OcrPage

FAULTS = (RuntimeError, ValueError, LookupError, TypeError, AttributeError, AssertionError)  # what PyMuPDF raises
_EMPTY = Layer(1.0, 1.0, ())


@dataclass(frozen=True, slots=True)
class Page:
    """What one page gave. `by_ocr` tells that its lines were measured by OCR."""

    number: int
    layer: Layer
    ocr: OcrPage | None = None
    by_ocr: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


def read_page(doc: Any, index: int, options: LoadOptions, repeated: frozenset[int]) -> Page:
    """The page with this index; whatever is wrong with it becomes a warning, so that it costs no other page."""
    import pymupdf

    number = index + 1
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        page = doc[index]
        layer = read_layer(page)
        suspicion = Doubt("forced") if options.ocr == "always" else doubt(page, layer)
        if suspicion.reason:
            return _doubted(page, number, layer, suspicion, options, repeated)
        found = _digital(page, number, layer, options, repeated)
        if not found.layer.lines and pymupdf.TOOLS.mupdf_warnings():
            return replace(found, failed=True, warnings=(f"page {number} is damaged: nothing on it can be read.",))
        return found
    except FAULTS as error:
        return Page(number, _EMPTY, warnings=(f"page {number} cannot be read: {error}",), failed=True)


def _doubted(
    page: Any, number: int, layer: Layer, suspicion: Doubt, options: LoadOptions, repeated: frozenset[int]
) -> Page:
    """The page by OCR; by its own text layer where OCR is off or reads less of it."""
    reader = options.pictures if options.ocr != "never" else None
    warning = ""
    try:
        found = reader.read(page_picture(page)) if reader else None
    except OcrUnavailableError as error:
        found, warning = (
            None,
            f"pages without trustworthy text were not read: {error.message.removesuffix('.')} ({error.hint})",
        )
    except LoadError as error:
        found, warning = None, f"page {number} cannot be read by OCR: {error.message}"
    known = "".join(char for char in layer.text if not is_unreadable(char))
    foreign = len(known) > 0.5 * len(layer.text) and not is_ocr_script(known)
    if found is not None and not foreign and _is_preferred(found, layer, suspicion):
        ocr = OcrPage(number, suspicion.reason, found.confidence) if found.blocks else None
        notes = tuple(comments(page, _text(found)))
        return Page(number, _ocr_layer(found, number, float(page.rect.width)), ocr, by_ocr=True, notes=notes)
    if found is None and not warning and (suspicion.sure or options.ocr == "never"):
        warning = f"page {number} needs OCR ({suspicion.reason}), which is off."
    if foreign and suspicion.sure:
        warning = f"page {number} has characters whose meaning the PDF does not tell, in a script that OCR cannot read."
    kept = _EMPTY if suspicion.reason == "garbled" and suspicion.sure and not foreign else layer
    digital = _digital(page, number, kept, replace(options, pictures=None), repeated)
    return replace(digital, warnings=(warning,) if warning else ())


def _is_preferred(found: PictureText, layer: Layer, suspicion: Doubt) -> bool:
    if suspicion.reason == "scan" and suspicion.sure:
        return len(_text(found)) > 0.8 * len(layer.text)
    return is_better(_text(found), layer.text) if not suspicion.sure else bool(found.blocks) or not layer.lines


def _digital(page: Any, number: int, layer: Layer, options: LoadOptions, repeated: frozenset[int]) -> Page:
    lines: Sequence[Line] = [_readable(line) for line in layer.lines]
    notes = tuple(comments(page, layer.text))
    if layer.turn == 0:
        lines = [*lines, *unpainted_fields(page, lines, median_size(lines) if lines else 10.0)]
        paths = page.get_cdrawings() if lines else []
        lines = with_figures(paths, [line for line in lines if line.text], number)
        lines = ruled_tables(page, paths, lines, number)
    pictures, ocr, warning = _pictures(page, number, lines, options, repeated) if layer.turn == 0 else ([], None, "")
    whole = replace(layer, lines=(*lines, *pictures))
    return Page(number, whole, ocr, warnings=(warning,) if warning else (), notes=notes)


def _readable(line: Line) -> Line:
    """The line without glyphs that stand for nothing known, such as the parts of a large bracket."""
    if not any(map(is_unreadable, line.text)):
        return line
    return replace(line, text="".join(char for char in line.text if not is_unreadable(char)).strip())


def _pictures(
    page: Any, number: int, lines: Sequence[Line], options: LoadOptions, repeated: frozenset[int]
) -> tuple[list[Line], OcrPage | None, str]:
    reader: PictureReader | None = options.pictures if options.ocr != "never" else None
    if reader is None:
        return [], None, ""
    try:
        return *picture_lines(page, number, lines, reader, repeated), ""
    except OcrUnavailableError as error:
        return [], None, f"pictures were not read: {error.message.removesuffix('.')} ({error.hint})"


def _text(found: PictureText) -> str:
    return "\n".join(block.text for block in found.blocks)


def _ocr_layer(found: PictureText, number: int, width: float) -> Layer:
    """What OCR read, as a layer in points; a reader that tells no lines gives its blocks one below the other."""
    if not found.frames:
        boxes = [(0.0, 10.0 * at, 100.0, 10.0 * at + 9) for at in range(len(found.blocks))]
        paged = [replace(block, page=number) for block in found.blocks]
        lines = tuple(Line("", box, 9.0, block=block) for box, block in zip(boxes, paged, strict=True))
        return Layer(100.0, 10.0 * len(lines) + 1, lines)
    frame = found.frames[0]
    straight, slanted = printed_lines(frame)
    scale = width / frame.width if frame.width else 1.0
    lines = tuple(_scaled(line, scale) for line in straight)
    return Layer(frame.width * scale, frame.height * scale, lines, slanted=tuple(line.text for line in slanted))


def _scaled(line: Line, scale: float) -> Line:
    x0, y0, x1, y1 = line.box
    return replace(line, box=(x0 * scale, y0 * scale, x1 * scale, y1 * scale), size=line.size * scale)
