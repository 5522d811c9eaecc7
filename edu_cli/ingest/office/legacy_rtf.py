"""The plain text of an RTF file, where LibreOffice is not at hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from edu_cli.ingest.office.legacy_doc import text_blocks
from edu_cli.types import Block

_TOKEN = re.compile(rb"\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.IGNORECASE)
# Groups that hold no text of the document; any group that begins with \* is skipped as well.
_ASIDE = frozenset(
    {b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"headerl", b"headerr", b"headerf",
     b"footer", b"footerl", b"footerr", b"footerf", b"listtable", b"themedata", b"fldinst", b"xe", b"tc"}
)  # fmt: skip
# In the marks of a Word stream: \r ends a paragraph, \a a cell or row, \v a line.
_SIGNS = {
    b"par": "\r", b"sect": "\r", b"page": "\r", b"line": "\v", b"tab": "\t", b"cell": "\a", b"row": "\a",
    b"emdash": "—", b"endash": "–", b"bullet": "•",
    b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
}  # fmt: skip
_ESCAPED = {b"~": " ", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\r", b"\r": "\r"}
_CHARSETS = {128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5"}
_CODEPAGES = {936: "gb18030", 950: "big5", 932: "cp932", 949: "cp949"}


@dataclass(frozen=True, slots=True)
class _Group:
    is_aside: bool = False
    skipped_after_unicode: int = 1  # \\uc: how many fallback characters follow each \\u
    codec: str = ""


@dataclass(slots=True)
class _Reader:
    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    codec: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    n_skipped: int = 0

    def put(self, text: str) -> None:
        self.flush()
        if not self.group.is_aside:
            self.text.append(text)

    def put_bytes(self, data: bytes) -> None:
        taken = min(self.n_skipped, len(data))
        self.n_skipped -= taken
        if not self.group.is_aside:
            self.raw += data[taken:]

    def flush(self) -> None:
        if self.raw:
            self.text.append(self.raw.decode(self.group.codec or self.codec, "replace"))
            self.raw.clear()

    def control(self, word: bytes, number: int | None) -> None:
        if word in _SIGNS:
            self.put(_SIGNS[word])
        elif word in _ASIDE:
            if word == b"fonttbl":
                self.font = 0
            self.group = replace(self.group, is_aside=True)
        elif number is None:
            return
        elif word == b"u":
            self.put(chr(number % 65536))
            self.n_skipped = self.group.skipped_after_unicode
        elif word == b"uc":
            self.group = replace(self.group, skipped_after_unicode=number)
        elif word == b"ansicpg":
            self.codec = _CODEPAGES.get(number, self.codec)
        elif word == b"f":
            self.flush()
            self.font = number
            self.group = replace(self.group, codec=self.fonts.get(number, ""))
        elif word == b"fcharset" and number in _CHARSETS:
            self.fonts[self.font] = _CHARSETS[number]


def rtf_blocks(path: Path) -> list[Block]:
    """Paragraphs and rows of tables."""
    return text_blocks(rtf_text(path.read_bytes()))


def rtf_text(data: bytes) -> str:
    """The text in the marks of a Word stream, see `legacy_doc.text_blocks`."""
    reader = _Reader()
    for token in _TOKEN.finditer(data):
        word, number, code, sign, brace, plain = token.groups()
        if word:
            reader.control(word, int(number) if number else None)
        elif code:
            reader.put_bytes(bytes.fromhex(code.decode()))
        elif plain:
            reader.put_bytes(plain)
        elif brace == b"{":
            reader.flush()
            reader.outer.append(reader.group)
        elif brace and reader.outer:
            reader.flush()
            reader.group = reader.outer.pop()
        elif sign == b"*":
            reader.group = replace(reader.group, is_aside=True)
        elif sign in _ESCAPED:
            reader.put(_ESCAPED[sign])
    reader.flush()
    return "".join(reader.text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
