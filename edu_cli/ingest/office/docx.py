"""Word files -> blocks: everything a reader of the printed document would see, once, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from edu_cli.ingest.office.docx_looks import Set, with_headings
from edu_cli.ingest.office.docx_numbering import Label, read_numbering
from edu_cli.ingest.office.docx_runs import Hanging, Inline, RunReader, has_deleted_mark, is_prompt
from edu_cli.ingest.office.docx_styles import Style, outline_level, read_styles
from edu_cli.ingest.office.docx_tables import read_table
from edu_cli.ingest.office.graphics import chart_blocks, diagram_blocks
from edu_cli.ingest.office.ooxml import Element, Package, attribute, child, children, chosen, local, whole_number
from edu_cli.ingest.office.pictures import OfficePictures
from edu_cli.ingest.office.properties import office_metadata
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Block, BlockKind, Document

_MAX_HEADING_CHARS = 150  # body text that was given an outline level by mistake is longer
_MERGED: frozenset[BlockKind] = frozenset({"list", "code"})


def read_docx(path: Path, options: LoadOptions) -> Document:
    """Headings by outline level or style, automatic numbers as text, tables, boxes, notes, formulas and pictures."""
    with Package(path) as package:
        reader = _BodyReader(package, options)
        root = package.xml(reader.part)
        blocks = tuple(_merged(reader.read_body(child(root, "body"))))
        return Document(
            format="docx",
            title=reader.title or next((b.text for b in blocks if b.kind == "heading"), ""),
            blocks=blocks,
            warnings=tuple(reader.warnings()),
            metadata=office_metadata(package),
        )


class _BodyReader:
    """Walks the body; `title` is the text of the first paragraph in the style "Title"."""

    def __init__(self, package: Package, options: LoadOptions) -> None:
        self.part = package.main_part()
        self.title = ""
        self._package = package
        self._styles = read_styles(self._xml("styles"))
        self._numbering = read_numbering(self._xml("numbering"))
        self._pictures = OfficePictures(package, options.pictures)
        self._runs = RunReader(self._styles, lambda relation: self._pictures.inline_formula(self.part, relation))
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in ("footnote", "endnote")
            for note in children(self._xml(f"{kind}s"), kind)
        }
        self._paragraphs: list[Set] = []
        self._objects = 0
        self._foreign = 0
        self._carried: Inline | None = None  # a paragraph whose end was deleted, waiting for the next one

    def _xml(self, kind: str) -> Element | None:
        return self._package.side_xml(self._package.related(self.part, kind))

    def warnings(self) -> list[str]:
        """What could not be read, with how many."""
        told = [*self._package.warnings, *self._pictures.warnings()]
        if self._objects:
            told.append(f"{self._objects} embedded objects were not read")
        if self._foreign:
            told.append(f"{self._foreign} embedded documents were not read")
        return told

    def read_body(self, body: Element | None) -> list[Block]:
        """As `read`; in a document without headings of its own, those that can be told by their looks."""
        blocks = list(self.read(body))
        if any(block.kind == "heading" for block in blocks):
            return blocks
        origins = {id(block): (paragraph, style) for block, paragraph, style in self._paragraphs}
        default = (None, self._styles.default)
        return with_headings([Set(block, *origins.get(id(block), default)) for block in blocks], self._styles)

    def read(self, container: Element | None) -> Iterator[Block]:
        """The blocks of a body, cell, box or note."""
        for e in container if container is not None else ():
            name = local(e)
            if name == "p":
                yield from self._paragraph(e)
            elif name == "tbl":
                yield from read_table(e, self.read)
            elif name == "sdt":
                if not _is_contents(e) and not is_prompt(e):
                    yield from self.read(child(e, "sdtContent"))
            elif name in ("ins", "moveTo", "customXml", "smartTag"):
                yield from self.read(e)
            elif name == "AlternateContent":
                yield from self.read(chosen(e))
            elif name == "altChunk":
                self._foreign += 1

    def _paragraph(self, e: Element) -> Iterator[Block]:
        properties = child(e, "pPr")
        style_element = child(properties, "pStyle")
        style_id = attribute(style_element, "val") if style_element is not None else ""
        style = self._styles.of(style_id)
        inline = self._runs.read(e, is_hidden=style.is_hidden)
        if self._carried is not None:
            inline = Inline(self._carried.parts + inline.parts, self._carried.hanging + inline.hanging)
            self._carried = None
        if has_deleted_mark(e):
            self._carried = inline
            return
        if style.is_toc:
            return
        text = inline.text
        if text:
            block = self._block(text, style, self._label(properties, style_id, style), _own_level(properties, style))
            self._paragraphs.append(Set(block, e, style))
            yield block
        for hanging in inline.hanging:
            yield from self._hanging(hanging)

    def _block(self, text: str, style: Style, label: Label | None, level: int | None) -> Block:
        if level is not None and len(text) <= _MAX_HEADING_CHARS:
            if level == 0 and not self.title:
                self.title = text
            numbered = f"{label.text} {text}" if label and not label.is_bullet else text
            return Block("heading", " ".join(numbered.split()), level=max(level, 1))
        if style.is_code:
            return Block("code", text)
        if style.is_caption:
            return Block("caption", f"{label.text} {text}" if label else text)
        if label:
            return Block("list", f"{label.text} {text}")
        return Block("paragraph", text)

    def _label(self, properties: Element | None, style_id: str, style: Style) -> Label | None:
        numbered = child(properties, "numPr")
        num, level = child(numbered, "numId"), child(numbered, "ilvl")
        num_id = attribute(num, "val") if num is not None else style.num_id
        if not num_id or num_id == "0":
            return None
        tied = self._numbering.of_style(style_id)
        if level is not None:
            depth = whole_number(level, most=8)
        elif style.num_level is not None:
            depth = style.num_level
        else:
            depth = tied[1] if tied and tied[0] == num_id else 0
        return self._numbering.label(num_id, depth)

    def _hanging(self, hanging: Hanging) -> Iterator[Block]:
        if hanging.kind == "box":
            yield from self.read(hanging.what)
        elif hanging.kind == "lettering" and hanging.what.strip():
            yield Block("paragraph", hanging.what.strip())
        elif hanging.kind == "picture":
            yield from self._pictures.blocks(self.part, hanging.what)
        elif hanging.kind == "chart":
            yield from chart_blocks(self._package, self.part, hanging.what)
        elif hanging.kind == "diagram":
            yield from diagram_blocks(self._package, self.part, hanging.what)
        elif hanging.kind == "object":
            self._objects += 1
        elif hanging.kind in ("footnote", "endnote"):
            yield from self._note(hanging)

    def _note(self, hanging: Hanging) -> Iterator[Block]:
        note = self._notes.pop((hanging.kind, hanging.what), None)
        text = " ".join(" ".join(block.text.split()) for block in self.read(note))
        if text:
            yield Block("note", f"[^{self._runs.note_numbers[hanging.kind, hanging.what]}]: {text}")


def _own_level(properties: Element | None, style: Style) -> int | None:
    outline = child(properties, "outlineLvl")
    return outline_level(outline) if outline is not None else style.level


def _is_contents(sdt: Element) -> bool:
    """A generated table of contents: it repeats the headings."""
    gallery = child(sdt, "sdtPr", "docPartObj", "docPartGallery")
    return gallery is not None and attribute(gallery, "val") == "Table of Contents"


def _merged(blocks: Iterable[Block]) -> Iterator[Block]:
    """Items of a list, and lines of code, that follow one another as one block."""
    held: Block | None = None
    for block in blocks:
        if held is not None and held.kind == block.kind and block.kind in _MERGED:
            held = replace(held, text=f"{held.text}\n{block.text}")
            continue
        if held is not None:
            yield held
        held = block
    if held is not None:
        yield held
