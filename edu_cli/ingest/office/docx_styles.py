"""`word/styles.xml`: what a paragraph's style makes of it (heading level, list, code, caption, hidden)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edu_cli.ingest.office.ooxml import Element, attribute, child, children, is_on, whole_number

_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre|见出し|見出し)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"(?:title|文档标题|标题|標題)", re.IGNORECASE)
_TOC = re.compile(r"(?:toc\s*\d|toc heading|目录\s*\d*|table of figures)", re.IGNORECASE)
_CODE = re.compile(r"code|代码|程序|html preformatted|macro text", re.IGNORECASE)
_CAPTION = re.compile(r"caption|题注|图注|表注", re.IGNORECASE)
_MAX_DEPTH = 20  # of a chain of based-on styles; Word's own limit is 11


@dataclass(frozen=True, slots=True)
class Style:
    """A style with what it inherits. `level` is 1-9 for headings, 0 for the title, None for body text.

    `size` is in half points, 0 where no style says it.
    """

    name: str = ""
    level: int | None = None
    num_id: str = ""
    num_level: int | None = None
    is_hidden: bool = False
    is_toc: bool = False
    is_code: bool = False
    is_caption: bool = False
    size: int = 0
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Styles:
    """All styles by id, with the default paragraph style."""

    by_id: dict[str, Style]
    default: Style

    def of(self, style_id: str) -> Style:
        """The style of an id; the default for an unknown one."""
        return self.by_id.get(style_id, self.default)


def read_styles(root: Element | None) -> Styles:
    """An absent part gives a default style only."""
    raw = {attribute(e, "styleId"): e for e in children(root, "style")}
    by_id = {style_id: _resolved(style_id, raw) for style_id in raw}
    default = next(
        (
            by_id[style_id]
            for style_id, e in raw.items()
            if attribute(e, "type") == "paragraph" and attribute(e, "default") in ("1", "true", "on")
        ),
        Style(),
    )
    return Styles(by_id, default)


def _resolved(style_id: str, raw: dict[str, Element]) -> Style:
    chain: list[Element] = []
    while style_id in raw and len(chain) < _MAX_DEPTH:
        chain.append(raw[style_id])
        style_id = attribute(base, "val") if (base := child(raw[style_id], "basedOn")) is not None else ""
    names = [attribute(name, "val") if (name := child(e, "name")) is not None else "" for e in chain]
    num_id, num_level = _inherited_list(chain)
    return Style(
        name=names[0],
        level=_inherited_level(chain, names),
        num_id=num_id,
        num_level=num_level,
        is_hidden=any(is_on(child(e, "rPr", "vanish")) for e in chain),
        is_toc=any(_TOC.fullmatch(name) for name in names),
        is_code=any(_CODE.search(name) for name in names),
        is_caption=any(_CAPTION.search(name) for name in names),
        size=next((int(size) for e in chain if (size := _run_value(e, "sz")).isdecimal()), 0),
        is_bold=is_on(next((bold for e in chain if (bold := child(e, "rPr", "b")) is not None), None)),
    )


def _run_value(style: Element, name: str) -> str:
    found = child(style, "rPr", name)
    return attribute(found, "val") if found is not None else ""


def _inherited_level(chain: list[Element], names: list[str]) -> int | None:
    """The nearest style that says a level: by `w:outlineLvl` (9 is body text), or by being a built-in heading."""
    for element, name in zip(chain, names, strict=True):
        outline = child(element, "pPr", "outlineLvl")
        if outline is not None:
            return outline_level(outline)
        if found := _HEADING.fullmatch(name):
            return int(found[1])
        if _TITLE.fullmatch(name):
            return 0
    return None


def _inherited_list(chain: list[Element]) -> tuple[str, int | None]:
    for element in chain:
        numbered = child(element, "pPr", "numPr")
        if numbered is not None and (num := child(numbered, "numId")) is not None:
            level = child(numbered, "ilvl")
            return attribute(num, "val"), whole_number(level, most=8) if level is not None else None
    return "", None


def outline_level(element: Element) -> int | None:
    """`w:outlineLvl` -> 1-9; None for body text."""
    value = attribute(element, "val", "9")
    return int(value) + 1 if value in "012345678" and value else None
