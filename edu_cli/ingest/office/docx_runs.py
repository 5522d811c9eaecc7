"""The inside of a Word paragraph -> its text as a reader sees it, and what hangs on it (boxes, pictures, notes)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from edu_cli.ingest.office.docx_fields import FieldStack
from edu_cli.ingest.office.docx_styles import Styles
from edu_cli.ingest.office.omml import latex
from edu_cli.ingest.office.ooxml import Element, attribute, child, chosen, is_on, local, relation_id
from edu_cli.ingest.office.symbol_fonts import symbol_of

_PLAIN = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}


class Hanging(NamedTuple):
    """Something anchored in a paragraph: `what` is the box's content element, or a relationship id."""

    kind: Literal["box", "lettering", "picture", "chart", "diagram", "object", "footnote", "endnote"]
    what: Any


@dataclass(slots=True)
class Inline:
    """A paragraph's text with everything anchored in it, in order."""

    parts: list[str] = field(default_factory=list)
    hanging: list[Hanging] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, lines stripped at their ends."""
        return "\n".join(line.rstrip() for line in "".join(self.parts).strip("\n").split("\n")).strip()


class RunReader:
    """Reads paragraphs in document order: a field may begin in one and end in another."""

    def __init__(self, styles: Styles, read_formula: Callable[[str], str]) -> None:
        """`read_formula` gives the text of an old formula object by its picture's relationship id, "" if none."""
        self._styles = styles
        self._read_formula = read_formula
        self._is_hidden_by_style = False
        self.note_numbers: dict[tuple[str, str], int] = {}  # (kind, id) -> the number it is shown by
        self._fields = FieldStack()
        self._handlers: dict[str, Callable[[Element, Inline], None]] = {
            "r": self._run,
            "AlternateContent": self._alternate,
            "oMath": lambda e, out: out.parts.append(_dollars(latex(e), "$")),
            "oMathPara": lambda e, out: out.parts.append(_dollars(latex(e), "$$")),
            "sdt": lambda e, out: None if is_prompt(e) else self._walk(child(e, "sdtContent"), out),
            "ruby": self._ruby,
            **dict.fromkeys(
                ("ins", "moveTo", "hyperlink", "smartTag", "customXml", "fldSimple", "dir", "bdo"), self._walk
            ),
        }

    def read(self, paragraph: Element, *, is_hidden: bool = False) -> Inline:
        """Tracked changes as accepted; hidden text, field codes, comments and deleted text left out.

        `is_hidden` is what the paragraph's style says, which a run may overrule.
        """
        inline = Inline()
        self._is_hidden_by_style = is_hidden
        self._fields.begin_paragraph()
        self._walk(paragraph, inline)
        return inline

    def _walk(self, element: Element | None, out: Inline) -> None:
        for e in element if element is not None else ():
            handler = self._handlers.get(local(e))
            if handler:
                handler(e, out)

    def _alternate(self, element: Element, out: Inline) -> None:
        branch = chosen(element)
        if branch is None:
            return
        if any(local(e) == "r" for e in branch):
            self._walk(branch, out)
        else:
            self._contents(branch, out)

    def _run(self, run: Element, out: Inline) -> None:
        if not self._is_hidden(child(run, "rPr")):
            self._contents(run, out)

    def _is_hidden(self, properties: Element | None) -> bool:
        own = child(properties, "vanish")
        if own is not None:
            return is_on(own)
        style = child(properties, "rStyle")
        return self._is_hidden_by_style or (style is not None and self._styles.of(attribute(style, "val")).is_hidden)

    def _contents(self, run: Element, out: Inline) -> None:
        for e in run:
            name = local(e)
            if name == "fldChar":
                out.parts.append(self._fields.mark(e))
            elif name == "instrText":
                self._fields.take_code(e.text or "")
            elif not self._fields.is_code:
                self._content(e, name, out)

    def _content(self, e: Element, name: str, out: Inline) -> None:
        if name == "t":
            out.parts.append(e.text or "")
        elif name in _PLAIN:
            out.parts.append(_PLAIN[name])
        elif name == "br":
            out.parts.append("\n" if attribute(e, "type", "textWrapping") == "textWrapping" else "")
        elif name == "sym":
            out.parts.append(_symbol(e))
        elif name in ("footnoteReference", "endnoteReference"):
            kind: Literal["footnote", "endnote"] = "footnote" if name == "footnoteReference" else "endnote"
            note = Hanging(kind, attribute(e, "id"))
            number = self.note_numbers.setdefault((kind, note.what), len(self.note_numbers) + 1)
            out.hanging.append(note)
            out.parts.append(f"[^{number}]")
        elif name in ("drawing", "pict"):
            out.hanging.extend(drawn(e))
        elif name == "object":
            self._object(e, out)
        elif name == "AlternateContent":
            self._alternate(e, out)
        elif name == "ruby":
            self._ruby(e, out)

    def _object(self, e: Element, out: Inline) -> None:
        """A formula in its line; anything else as the picture that stands for it."""
        anchored = list(drawn(e))
        pictures = [hanging for hanging in anchored if hanging.kind == "picture"]
        formula = self._read_formula(pictures[0].what) if len(pictures) == 1 else ""
        if formula:
            out.parts.append(f" {formula} ")
        else:
            out.hanging.extend(pictures or anchored)

    def _ruby(self, element: Element, out: Inline) -> None:
        """`汉字(hànzì)`: the base, then its reading."""
        base, reading = Inline(), Inline()
        self._walk(child(element, "rubyBase"), base)
        self._walk(child(element, "rt"), reading)
        out.parts.append(f"{base.text}({reading.text})" if reading.text else base.text)


def drawn(element: Element) -> Iterator[Hanging]:
    """What a drawing holds, in order: text boxes, lettering, pictures, charts, diagrams, embedded objects."""
    for e in element:
        name = local(e)
        anchor = _ANCHORS.get(name)
        if anchor:
            yield anchor(e)
        elif name == "AlternateContent":
            branch = chosen(e)
            yield from drawn(branch) if branch is not None else ()
        else:
            yield from drawn(e)


_ANCHORS: dict[str, Callable[[Element], Hanging]] = {
    "txbxContent": lambda e: Hanging("box", e),
    "blip": lambda e: Hanging("picture", relation_id(e, "embed")),
    "imagedata": lambda e: Hanging("picture", relation_id(e, "id")),
    "chart": lambda e: Hanging("chart", relation_id(e)),
    "relIds": lambda e: Hanging("diagram", relation_id(e, "dm")),
    "textpath": lambda e: Hanging("lettering", e.get("string", "")),
    "OLEObject": lambda e: Hanging("object", e.get("ProgID", "")),
}


def _dollars(formula: str, mark: str) -> str:
    return f"{mark}{formula}{mark}" if formula else ""


def _symbol(e: Element) -> str:
    digits = attribute(e, "char")
    code = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,5}", digits) else 0
    known = symbol_of(attribute(e, "font"), code)
    return known or (chr(code) if not 0xE000 <= code <= 0xF8FF and code >= 0x20 else "")


def is_prompt(control: Element) -> bool:
    """A content control that nobody filled in shows a prompt ("单击此处输入文字"), which is no text."""
    return is_on(child(control, "sdtPr", "showingPlcHdr"))


def has_deleted_mark(paragraph: Element) -> bool:
    """True where the paragraph's end is deleted (or moved away): accepted, it runs on into the next one."""
    properties = child(paragraph, "pPr", "rPr")
    return child(properties, "del") is not None or child(properties, "moveFrom") is not None
