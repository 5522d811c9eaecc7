"""PowerPoint files -> blocks: a slide is a page, its title a heading, shapes in reading order, notes labelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.office.ooxml import Element, Package, attribute, child, children, descendants, relation_id
from edu_cli.ingest.office.pictures import OfficePictures
from edu_cli.ingest.office.pptx_shapes import ShapeReader, visible_shapes
from edu_cli.ingest.office.pptx_text import shape_text
from edu_cli.ingest.office.pptx_titles import titled
from edu_cli.ingest.office.properties import office_metadata
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Block, Document, OcrPage

_UNNAMED_SECTIONS = frozenset({"默认节", "默認節", "无标题节", "無標題節", "default section", "untitled section", ""})


def read_pptx(path: Path, options: LoadOptions) -> Document:
    """Slides in the order of the show; hidden ones are marked; text of layouts, footers and slide numbers left out."""
    with Package(path) as package:
        deck = _Deck(package, options)
        blocks = tuple(deck.blocks())
        return Document(
            format="pptx",
            title=deck.title,
            blocks=blocks,
            pages=deck.n_slides,
            metadata=office_metadata(package),
            pages_ocr=tuple(deck.pages_ocr),
            warnings=(*deck.warnings, *package.warnings, *deck.pictures.warnings()),
        )


@dataclass(slots=True)
class _Deck:
    package: Package
    options: LoadOptions
    title: str = ""
    last_title: str = ""
    n_slides: int = 0
    pages_ocr: list[OcrPage] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pictures: OfficePictures = field(init=False)

    def __post_init__(self) -> None:
        self.pictures = OfficePictures(self.package, self.options.pictures)

    def blocks(self) -> Iterator[Block]:
        main = self.package.main_part()
        root = self.package.xml(main)
        relations = self.package.relationships(main)
        slides = [*children(child(root, "sldIdLst"), "sldId")]
        sections = _sections(root)
        self.n_slides = len(slides)
        shapes = ShapeReader(self.package, self.pictures)
        told = ""
        for page, slide in enumerate(slides, 1):
            found = relations.get(relation_id(slide))
            if found is None or found.target not in self.package:
                self.warnings.append(f"slide {page} is missing from the file")
                continue
            section = sections.get(slide.get("id", ""), "")
            if section and section != told:
                yield Block("heading", section, level=1, page=page)
            told = section
            try:
                yield from self._slide(shapes, found.target, page, level=2 if section else 1)
            except LoadError as error:
                self.warnings.append(f"slide {page} was not read: {error.message}")

    def _slide(self, shapes: ShapeReader, part: str, page: int, level: int) -> Iterator[Block]:
        root = self.package.xml(part)
        n_before = len(self.pictures.confidences)
        content = titled(shapes.read(part, root, page), page, self.last_title)
        notes = self._notes(part, page)
        body = [*content.blocks, *notes]
        if content.title and not self.title:
            self.title = content.title
        if not body and not content.has_text:
            return
        self.last_title = content.title
        yield Block("heading", content.title, level=level, page=page)
        if root is not None and attribute(root, "show", "1") in ("0", "false"):
            yield Block("note", "（本页为隐藏幻灯片）", page=page)
        yield from body
        confidences = self.pictures.confidences[n_before:]
        if confidences:
            reason = "picture" if content.has_text else "no_text"
            self.pages_ocr.append(OcrPage(page, reason, sum(confidences) / len(confidences)))

    def _notes(self, part: str, page: int) -> list[Block]:
        """The speaker's notes, without the number and the header that the notes page carries."""
        notes = self.package.related(part, "notesSlide")
        root = self.package.side_xml(notes)
        texts = [
            shape_text(child(shape, "txBody"), has_bullets=False).text
            for shape in visible_shapes(child(root, "cSld", "spTree"))
            if (holder := child(shape, "nvSpPr", "nvPr", "ph")) is not None
            and attribute(holder, "type", "obj") == "body"
        ]
        text = "\n".join(filter(None, texts))
        return [Block("note", f"备注：{text}", page=page)] if text else []


def _sections(root: Element | None) -> dict[str, str]:
    """Slide id -> name of its section, for decks with named sections."""
    names: dict[str, str] = {}
    for section in descendants(child(root, "extLst"), "section"):
        name = " ".join(section.get("name", "").split())
        if name.casefold() not in _UNNAMED_SECTIONS:
            names |= {slide.get("id", ""): name for slide in descendants(section, "sldId")}
    return names
