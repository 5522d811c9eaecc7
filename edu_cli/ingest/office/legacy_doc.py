"""The plain text of a binary .doc (Word 97 to 2003), where neither LibreOffice nor antiword is at hand."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from edu_cli.types import Block

# Offsets in the file information block of [MS-DOC].
_FIB_VERSION, _FIB_FLAGS, _FIB_TEXT_CHARS, _FIB_CLX = 2, 10, 0x4C, 0x01A2
_WORD_97 = 0x00C1
_FIELD = re.compile(r"\x13[^\x13\x14\x15]*(?:\x14([^\x13\x15]*))?\x15")  # begin, code, separator, result, end
_DROPPED = dict.fromkeys([*range(0x07), 0x08, 0x0E, *range(0x0F, 0x1E), 0x1F])


def doc_blocks(path: Path) -> list[Block]:
    """Paragraphs, and rows of tables as lines; [] for what is older than Word 97 or damaged."""
    import olefile

    try:
        with olefile.OleFileIO(os.fspath(path)) as ole:
            document = ole.openstream("WordDocument").read()
            flags = struct.unpack_from("<H", document, _FIB_FLAGS)[0]
            table = ole.openstream("1Table" if flags & 0x0200 else "0Table").read()
        return text_blocks("".join(_pieces(document, table)))
    except (OSError, struct.error, IndexError):
        return []


def text_blocks(text: str) -> list[Block]:
    r"""Word's stream of characters: fields as their results, `\r` after a paragraph, `\a` after a cell and a row."""
    previous = ""
    while previous != text:  # inner fields first
        previous, text = text, _FIELD.sub(lambda field: field[1] or "", text)
    blocks: list[Block] = []
    # A row ends where a cell's mark is followed by the row's own; a paragraph inside a cell ends like any other.
    for line in re.split(r"\r|\f|(?<=\a)\a", text.replace("\x1e", "-").translate(_DROPPED)):
        cells = [" ".join(cell.split()) for cell in line.rstrip("\a").split("\a")]
        if not any(cells):
            continue
        if "\a" not in line:
            blocks.append(Block("paragraph", line.replace("\v", "\n").strip()))
        elif blocks and blocks[-1].kind == "table":
            blocks[-1] = Block("table", f"{blocks[-1].text}\n| {' | '.join(cells)} |")
        else:
            blocks.append(Block("table", f"| {' | '.join(cells)} |"))
    return blocks


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    """The pieces of the main text: Word keeps edits as pieces, in one byte or two a character."""
    if struct.unpack_from("<H", document, _FIB_VERSION)[0] < _WORD_97:
        return
    wanted = struct.unpack_from("<I", document, _FIB_TEXT_CHARS)[0]
    at, size = struct.unpack_from("<II", document, _FIB_CLX)
    end = at + size
    while table[at] == 1:  # property lists before the piece table
        at += 3 + struct.unpack_from("<H", table, at + 1)[0]
    n_pieces = (end - at - 5 - 4) // 12
    starts = struct.unpack_from(f"<{n_pieces + 1}I", table, at + 5)
    for i in range(n_pieces):
        place = struct.unpack_from("<I", table, at + 5 + 4 * (n_pieces + 1) + 8 * i + 2)[0]
        length = min(starts[i + 1], wanted) - starts[i]
        if length <= 0:
            return
        if place & 0x4000_0000:
            offset = (place & 0x3FFF_FFFF) // 2
            yield document[offset : offset + length].decode("cp1252", "replace")
        else:
            yield document[place : place + 2 * length].decode("utf-16-le", "replace")
