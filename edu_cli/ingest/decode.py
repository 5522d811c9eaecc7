"""Bytes -> text, by evidence over the whole file."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from edu_cli.errors import LoadError
from edu_cli.text import clean

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, what it was encoded in, and what a reader should be told."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str = "") -> Decoded:
    """The text of `data`, cleaned. Raises LoadError (`empty`, `encoding`)."""
    if not data.strip(b"\0 \t\r\n"):
        raise LoadError("The file is empty.", code="empty")
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _finish(data.decode(name, "replace"), name)
    for name in ("utf-8", declared or "gb18030", "gb18030", "big5"):
        try:
            return _finish(data.decode(name), name)
        except (UnicodeDecodeError, LookupError):
            continue
    raise LoadError("The file is in no known encoding.", code="encoding", hint="save it as UTF-8")


def _finish(text: str, encoding: str) -> Decoded:
    text, n_removed = clean(text)
    warnings = (f"{n_removed} control or invisible characters were taken out",) if n_removed else ()
    return Decoded(text, encoding, warnings)
