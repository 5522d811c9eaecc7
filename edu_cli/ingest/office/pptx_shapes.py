"""The shapes of one slide -> its title and its blocks in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from edu_cli.ingest.office.graphics import chart_blocks, diagram_blocks
from edu_cli.ingest.office.ooxml import (
    Element,
    Package,
    attribute,
    child,
    children,
    chosen,
    descendants,
    local,
    relation_id,
    whole_number,
)
from edu_cli.ingest.office.pictures import OfficePictures
from edu_cli.ingest.office.pptx_order import Box, reading_order
from edu_cli.ingest.office.pptx_text import shape_text
from edu_cli.ingest.office.table_rows import Cell, table_blocks
from edu_cli.types import Block

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr")
_BULLETED = ("body", "obj", "")
_ICON_EMU = 0.5 * 914_400  # pictures smaller than half an inch both ways are icons
_COLUMNS = 75  # PowerPoint's own limit
_NOWHERE = Box(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SlideContent:
    """`has_text` tells whether anything was read other than by OCR, `is_lead_read` whether the first block was."""

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    has_text: bool = False
    is_lead_read: bool = False


class _Placeholder(NamedTuple):
    kind: str
    place: str


class ShapeReader:
    """Reads slides of one deck; the boxes of layouts and masters are looked up once."""

    def __init__(self, package: Package, pictures: OfficePictures) -> None:
        self._package = package
        self._pictures = pictures
        self._layouts: dict[str, dict[_Placeholder, Box]] = {}
        self._part = ""
        self._page = 0
        self._read_blocks: set[int] = set()  # ids of the slide's blocks that came out of pictures
        self._inherited: list[dict[_Placeholder, Box]] = []

    def read(self, part: str, root: Element | None, page: int) -> SlideContent:
        """Title first, then everything else as a reader takes it; a picture behind the slide comes last."""
        self._part, self._page = part, page
        self._read_blocks.clear()
        self._inherited = self._boxes_above(part)
        tree = child(root, "cSld", "spTree")
        title, shapes = self._take_title([*visible_shapes(tree)])
        blocks = [block for shape in self._ordered(shapes) for block in self._shape(shape)]
        has_text = bool(title) or any((t.text or "").strip() for shape in shapes for t in descendants(shape, "t"))
        background = next(descendants(child(root, "cSld", "bg"), "blip"), None)
        if background is not None:
            blocks += self._read_picture(background)
        is_lead_read = bool(blocks) and id(blocks[0]) in self._read_blocks
        return SlideContent(title, blocks, has_text, is_lead_read)

    def _read_picture(self, blip: Element) -> list[Block]:
        blocks = self._pictures.blocks(self._part, relation_id(blip, "embed"), self._page)
        self._read_blocks.update(map(id, blocks))
        return blocks

    def _take_title(self, shapes: list[Element]) -> tuple[str, list[Element]]:
        for shape in shapes:
            holder = _placeholder(shape)
            if holder is not None and holder.kind in _TITLES:
                text = " ".join(shape_text(child(shape, "txBody"), has_bullets=False).text.split())
                if text:
                    return text, [other for other in shapes if other is not shape]
        return "", shapes

    def _ordered(self, shapes: list[Element]) -> list[Element]:
        return reading_order([(self._box(shape), shape) for shape in shapes])

    def _box(self, shape: Element) -> Box:
        own = _own_box(shape)
        if own is not None:
            return own
        holder = _placeholder(shape)
        for boxes in self._inherited if holder is not None else ():
            for known, box in boxes.items():
                if holder is not None and (known.place == holder.place or (known.kind == holder.kind != "")):
                    return box
        return _NOWHERE

    def _boxes_above(self, part: str) -> list[dict[_Placeholder, Box]]:
        layout = self._package.related(part, "slideLayout")
        master = self._package.related(layout, "slideMaster") if layout else None
        return [self._boxes_of(known) for known in (layout, master) if known]

    def _boxes_of(self, part: str) -> dict[_Placeholder, Box]:
        if part not in self._layouts:
            tree = child(self._package.side_xml(part), "cSld", "spTree")
            found = ((_placeholder(shape), _own_box(shape)) for shape in visible_shapes(tree))
            self._layouts[part] = {holder: box for holder, box in found if holder is not None and box is not None}
        return self._layouts[part]

    def _shape(self, shape: Element) -> Iterator[Block]:
        kind = local(shape)
        if kind == "grpSp":
            for inner in self._ordered([*visible_shapes(shape)]):
                yield from self._shape(inner)
        elif kind == "pic":
            yield from self._picture(shape)
        elif kind == "graphicFrame":
            yield from self._frame(shape)
        else:
            yield from self._text(shape)

    def _text(self, shape: Element) -> Iterator[Block]:
        holder = _placeholder(shape)
        has_bullets = holder is not None and holder.kind in _BULLETED
        text, is_list = shape_text(child(shape, "txBody"), has_bullets=has_bullets)
        if text:
            yield Block("list" if is_list else "paragraph", text, page=self._page)
        filled = child(shape, "spPr", "blipFill", "blip")
        if filled is not None:
            yield from self._read_picture(filled)

    def _picture(self, shape: Element) -> Iterator[Block]:
        own = child(shape, "nvPicPr", "nvPr")
        is_film = any(local(e) in ("videoFile", "audioFile", "wavAudioFile") for e in (own if own is not None else ()))
        box = self._box(shape)
        is_icon = 0 < box.x1 - box.x0 < _ICON_EMU and 0 < box.y1 - box.y0 < _ICON_EMU
        blip = child(shape, "blipFill", "blip")
        if blip is not None and not is_film and not is_icon:
            yield from self._read_picture(blip)

    def _frame(self, frame: Element) -> Iterator[Block]:
        data = child(frame, "graphic", "graphicData")
        for e in data if data is not None else ():
            kind = local(e)
            if kind == "tbl":
                yield from self._table(e)
            elif kind == "chart":
                yield from chart_blocks(self._package, self._part, relation_id(e), self._page)
            elif kind == "relIds":
                yield from diagram_blocks(self._package, self._part, relation_id(e, "dm"), self._page)
            else:  # an embedded object shows a picture of itself
                shown = chosen(e) if kind == "AlternateContent" else e
                for blip in descendants(shown, "blip"):
                    yield from self._read_picture(blip)

    def _table(self, table: Element) -> list[Block]:
        rows: list[list[Cell]] = []
        for row in children(table, "tr"):
            cells: list[Cell] = []
            for column, cell in enumerate(children(row, "tc")):
                if _is_set(cell, "hMerge"):
                    continue
                text = " ".join(shape_text(child(cell, "txBody"), has_bullets=False).text.split())
                columns = max(1, whole_number(cell, "gridSpan", default=1, most=_COLUMNS))
                is_lower = _is_set(cell, "vMerge")
                cells.append(Cell("" if is_lower else text, column, columns, is_lower))
            rows.append(cells)
        properties = child(table, "tblPr")
        marked = 1 if properties is not None and _is_set(properties, "firstRow") else 0
        return table_blocks(rows, marked, self._page)


def visible_shapes(tree: Element | None) -> Iterator[Element]:
    """The visible shapes right below a tree or group, without slide numbers, dates and footers."""
    for e in tree if tree is not None else ():
        kind = local(e)
        if kind == "AlternateContent":
            branch = chosen(e)
            yield from visible_shapes(branch)
        elif kind in ("sp", "pic", "graphicFrame", "grpSp"):
            properties = next((p for p in e[0] if local(p) == "cNvPr"), None) if len(e) else None
            holder = _placeholder(e)
            is_furniture = holder is not None and holder.kind in _FURNITURE
            if not is_furniture and not (properties is not None and _is_set(properties, "hidden")):
                yield e


def _placeholder(shape: Element) -> _Placeholder | None:
    head = shape[0] if len(shape) else None
    holder = child(head, "nvPr", "ph")
    return None if holder is None else _Placeholder(attribute(holder, "type"), attribute(holder, "idx", "0"))


def _own_box(shape: Element) -> Box | None:
    kind = local(shape)
    place = (
        child(shape, "xfrm")
        if kind == "graphicFrame"
        else child(shape, "grpSpPr" if kind == "grpSp" else "spPr", "xfrm")
    )
    offset, extent = child(place, "off"), child(place, "ext")
    if offset is None or extent is None:
        return None
    try:
        x, y = float(attribute(offset, "x", "0")), float(attribute(offset, "y", "0"))
        return Box(x, y, x + float(attribute(extent, "cx", "0")), y + float(attribute(extent, "cy", "0")))
    except ValueError:
        return None


def _is_set(element: Element, name: str) -> bool:
    return attribute(element, name, "0") in ("1", "true", "on")
