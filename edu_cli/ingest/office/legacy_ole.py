"""What can be read of old binary office files without LibreOffice: whether they are encrypted, and a deck's text."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

from edu_cli.ingest.office.pptx_shapes import SlideContent
from edu_cli.ingest.office.pptx_titles import titled
from edu_cli.types import Block

# Record types of [MS-PPT]; containers are told by version 0xF in the record's header.
_SLIDE_LIST, _SLIDE_PERSIST = 0x0FF0, 0x03F3
_SLIDE, _NOTES = 0x03EE, 0x03F0
_TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 0x0F9F, 0x0FA0, 0x0FA8
_TITLE_KINDS = (0, 6)  # TextHeaderAtom: a title, a centred title
_HEADER = struct.Struct("<HHI")
_ENCRYPTED_DECK = 0xF3D1C4DF  # headerToken of the "Current User" stream
_FILE_PASS = 0x002F  # BIFF record


def is_encrypted(path: Path, kind: str) -> bool:
    """True for a .doc, .ppt or .xls that needs a password; False for anything else or what cannot be told."""
    import olefile

    if kind not in ("doc", "ppt", "xls"):
        return False
    try:
        with olefile.OleFileIO(os.fspath(path)) as ole:
            if kind == "doc":
                flags = ole.openstream("WordDocument").read(12)
                return len(flags) == 12 and bool(struct.unpack_from("<H", flags, 10)[0] & 0x0100)
            if kind == "ppt":
                user = ole.openstream("Current User").read(16)
                return len(user) == 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED_DECK
            book = ole.openstream("Workbook" if ole.exists("Workbook") else "Book").read(4096)
            return _has_file_pass(book)
    except (OSError, ValueError, IndexError, TypeError, struct.error):
        return False


def _has_file_pass(book: bytes) -> bool:
    at = 0
    while at + 4 <= len(book):
        record, size = struct.unpack_from("<HH", book, at)
        if record == _FILE_PASS:
            return True
        at += 4 + size
    return False


def ppt_blocks(path: Path) -> list[Block]:
    """The blocks of a .ppt file."""
    import olefile

    with olefile.OleFileIO(os.fspath(path)) as ole:
        return deck_blocks(ole.openstream("PowerPoint Document").read())


def deck_blocks(data: bytes) -> list[Block]:
    """The texts of a "PowerPoint Document" stream, by slide: what its outline holds, then its own text boxes."""
    slides: list[list[tuple[int, str]]] = []
    boxes: list[list[tuple[int, str]]] = []
    _collect(data, slides, boxes)
    blocks: list[Block] = []
    last_title = ""
    for page, texts in enumerate(slides, 1):
        drawn = boxes[page - 1] if len(boxes) == len(slides) else []
        slide = _slide_blocks([*texts, *drawn], page, last_title)
        last_title = slide[0].text if slide else last_title
        blocks += slide
    return blocks


def _collect(data: bytes, slides: list[list[tuple[int, str]]], boxes: list[list[tuple[int, str]]]) -> None:
    """Fills `slides` from the list of slides with text, and `boxes` from the slides' own drawings."""
    for kind, instance, body in _records(data):
        if kind == _SLIDE_LIST and instance == 0:  # 1 is the masters, 2 the notes
            slides.clear()  # a later save appends a newer list
            for inner, _, text in _records(body):
                if inner == _SLIDE_PERSIST:
                    slides.append([])
                elif slides:
                    _take(slides[-1], inner, text)
        elif kind == _SLIDE:
            boxes.append(list(_texts(body)))
        elif kind == 0x03E8:  # the document container holds the list of slides
            _collect(body, slides, boxes)


def _records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Type, instance and body of the records at one level; a cut-off record ends them."""
    at = 0
    while at + _HEADER.size <= len(data):
        head, kind, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if size > len(data) - at:
            return
        yield kind, head >> 4, data[at : at + size]
        at += size


def _texts(data: bytes) -> Iterator[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    at = 0
    while at + _HEADER.size <= len(data):
        head, kind, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if head & 0xF == 0xF:
            continue  # a container: its records follow
        if size > len(data) - at:
            break
        _take(found, kind, data[at : at + size])
        at += size
    return (entry for entry in found if entry[1])


def _take(texts: list[tuple[int, str]], kind: int, body: bytes) -> None:
    """Adds a text under the kind that the header before it announced."""
    if kind == _TEXT_HEADER and len(body) >= 4:
        texts.append((struct.unpack_from("<I", body)[0], ""))
    elif kind in (_TEXT_CHARS, _TEXT_BYTES):
        text = body.decode("utf-16-le", "replace") if kind == _TEXT_CHARS else body.decode("latin-1")
        announced = texts.pop()[0] if texts and not texts[-1][1] else 4
        texts.append((announced, text.replace("\r", "\n").replace("\v", "\n").strip()))


def _slide_blocks(texts: list[tuple[int, str]], page: int, last_title: str) -> list[Block]:
    title = next((" ".join(text.split()) for kind, text in texts if kind in _TITLE_KINDS and text), "")
    bodies = dict.fromkeys(text for _, text in texts if text not in ("", "*") and " ".join(text.split()) != title)
    if not title and not bodies:
        return []
    blocks = [Block("paragraph", text, page=page) for text in bodies]
    content = titled(SlideContent(title, blocks, has_text=True), page, last_title)
    return [Block("heading", content.title, level=1, page=page), *content.blocks]
