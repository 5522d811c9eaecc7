"""Bytes -> text: the encoding is what the whole file speaks for, since most decoders never fail."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from edu_cli.errors import LoadError
from edu_cli.ingest.text.encoding_evidence import CODECS, Reading, best_reading, misread
from edu_cli.text import clean

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_DOUBTFUL = re.compile("[\x00-\x7f]*(?:[\u0400-\u07ff][\x00-\x7f]*){1,12}")  # a few GBK characters are that, too
_MOST_NULS = 0.25  # of the bytes: more are no stray zeros, but the upper halves of UTF-16 or UTF-32
_MOST_LOST = 0.02  # of the characters beyond ASCII: more lost ones, and the text is not what was written


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text with LF line ends, the Python codec it was read by, and what a reader should be told."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str = "", *, name: str = "the file") -> Decoded:
    """The text of `data`, cleaned of control characters; `declared` is the encoding that the file itself names.

    Raises LoadError: `empty` where there is nothing but white space, `encoding` where no reading is plausible text.
    """
    if not data.strip(b"\0 \t\r\n\f\v"):
        raise LoadError(f"{_capital(name)} holds no text.", code="empty")
    reading = _by_mark(data) or _as_utf8(data) or best_reading(data, declared)
    if reading is None:
        raise LoadError(
            f"{_capital(name)} is plausible text in none of UTF-8, UTF-16, GB18030, Big5, Shift-JIS and Windows-1252.",
            hint="save it as UTF-8",
            code="encoding",
        )
    return _finished(reading, name)


def _by_mark(data: bytes) -> Reading | None:
    for mark, codec in _BOMS:
        if data.startswith(mark):
            text = data.decode(codec, "replace")
            return Reading(text.removeprefix("\ufeff"), codec)
    return None


def _as_utf8(data: bytes) -> Reading | None:
    if data.rstrip(b"\0").count(0) > _MOST_NULS * len(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _DOUBTFUL.fullmatch(text):
        return None
    # Valid UTF-8 may still be GBK or UTF-8 that some program took for Latin-1 and saved again.
    return misread(text) or Reading(text, "utf-8")


def _finished(reading: Reading, name: str) -> Decoded:
    warnings = [reading.warning] if reading.warning else []
    text = reading.text
    lost = text.count("\ufffd")
    if lost:
        beyond_ascii = sum(1 for char in text if char > "\x7f")
        if lost > max(2, _MOST_LOST * beyond_ascii):
            raise LoadError(
                f"{_capital(name)} has {lost} characters that {reading.codec} cannot read.",
                hint="save it again as UTF-8 from a program that shows it right",
                code="encoding",
            )
        text = text.replace("\ufffd", "")
        warnings.append(f"{lost} unreadable character{'s were' if lost > 1 else ' was'} dropped")
    text, n_removed = clean(text)
    if n_removed:
        warnings.append(f"{n_removed} control or invisible character{'s were' if n_removed > 1 else ' was'} dropped")
    if not text.strip():
        raise LoadError(f"{_capital(name)} holds no text.", code="empty")
    return Decoded(text, CODECS.get(reading.codec, reading.codec), tuple(warnings))


def _capital(name: str) -> str:
    return "The" + name[3:] if name.startswith("the ") else name
