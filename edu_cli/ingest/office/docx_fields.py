"""Word's complex fields: what is code and what is result, form fields, and the EQ fields that draw their result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from edu_cli.ingest.office.docx_numbering import circled
from edu_cli.ingest.office.ooxml import Element, attribute, child, children, is_on

_EQ = re.compile(r"\s*EQ\s+(.*)", re.IGNORECASE | re.DOTALL)
_OVERSTRIKE = re.compile(r"\\o\s*(?:\\a[cldr]\s*)*\(([^()]*?)[,，]([^()]*)\)", re.IGNORECASE)
_FRACTION = re.compile(r"\\f\s*\(([^()]*?)[,，]([^()]*)\)", re.IGNORECASE)
_ROOT = re.compile(r"\\r\s*\((?:[^(),，]*[,，])?([^()]*)\)", re.IGNORECASE)
_GROUP = re.compile(r"\\[a-z]+\s*(?:\\[a-z]+\d*\s*)*\(([^()]*)\)", re.IGNORECASE)
_SWITCH = re.compile(r"\\\*\s*\w+|\\[a-z]+\d*\s*|\bhps\d+\b|\"[^\"]*\"", re.IGNORECASE)
_RINGS = ("○", "◯", "〇", "O")


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    is_code: bool = True


@dataclass(slots=True)
class FieldStack:
    """The fields that are open, outermost first."""

    _open: list[_Field] = field(default_factory=list)

    @property
    def is_code(self) -> bool:
        """True while what passes is the code of some field, not text."""
        return any(entry.is_code for entry in self._open)

    def begin_paragraph(self) -> None:
        """Only results run over paragraphs; a code that does is of a broken field, which must not swallow the rest."""
        self._open = [entry for entry in self._open if not entry.is_code]

    def take_code(self, text: str) -> None:
        """A piece of `w:instrText`."""
        if self._open and self._open[-1].is_code:
            self._open[-1].code.append(text)

    def mark(self, element: Element) -> str:
        """`w:fldChar` -> the text that it shows itself: a form field's state, or an equation without a result."""
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            shown = "" if self.is_code else _form_field(element)
            self._open.append(_Field())
            return shown
        if kind == "separate" and self._open:
            self._open[-1].is_code = False
        if kind == "end" and self._open:
            ended = self._open.pop()
            return equation("".join(ended.code)) if ended.is_code and not self.is_code else ""
        return ""


def equation(code: str) -> str:
    r"""The text of an EQ field: `①` of `\o\ac(○,1)`, `a/b` of `\f(a,b)`; "" for other fields."""
    found = _EQ.match(code)
    if found is None:
        return ""
    text = found[1]
    while (simpler := _simplified(text)) != text:  # from the inside out
        text = simpler
    return _SWITCH.sub("", text).strip()


def _simplified(text: str) -> str:
    """`text` with its innermost commands of the first kind that it has written out."""
    for pattern, write in _COMMANDS:
        simpler = pattern.sub(write, text)
        if simpler != text:
            return simpler
    return text


def _over(under: str, upper: str) -> str:
    if under in _RINGS:
        return circled(int(upper)) if upper.isdecimal() and upper != "0" else upper
    return f"{under}{upper}"


_COMMANDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_OVERSTRIKE, lambda m: _over(m[1].strip(), m[2].strip())),
    (_FRACTION, lambda m: f"{m[1]}/{m[2]}"),
    (_ROOT, lambda m: f"√{m[1]}"),
    (_GROUP, lambda m: m[1]),
)


def _form_field(begin: Element) -> str:
    box = child(begin, "ffData", "checkBox")
    if box is not None:
        state = child(box, "checked")
        return "☑" if is_on(state if state is not None else child(box, "default")) else "☐"
    choices = child(begin, "ffData", "ddList")
    entries = [attribute(entry, "val") for entry in children(choices, "listEntry")]
    result = child(choices, "result")
    place = attribute(result, "val", "0") if result is not None else "0"
    return entries[int(place)] if place.isdecimal() and int(place) < len(entries) else ""
