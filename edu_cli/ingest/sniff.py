"""What a file really is: by its content first, by its name where the content does not tell."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from pathlib import Path

from edu_cli.ingest.suffixes import FORMAT_OF_SUFFIX, TEXTUAL, Format, suffix_of

HEAD_BYTES = 4096

# What zipfile raises for an archive or a part of it that is damaged, encrypted or packed in an unknown way.
ZIP_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)

_MAGIC: tuple[tuple[bytes, Format], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"II+\x00", "image"),
    (b"{\\rtf", "rtf"),
    (b"Rar!\x1a\x07", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"\x1f\x8b\x08", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ\x00", "archive"),
    (b"\x28\xb5\x2f\xfd", "archive"),
)
_SELF_JUDGED: frozenset[Format | None] = frozenset({*TEXTUAL, "pdf", "image"})
_ZIPPED: frozenset[Format] = frozenset({"docx", "pptx", "xlsx", "odt", "odp", "ods"})
_OLE: frozenset[Format | None] = frozenset({"doc", "ppt", "xls"})
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_HTML_START = re.compile(
    rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_HTML_TAG = re.compile(rb"<(html|head|body|table|meta|div|title)[\s>]", re.IGNORECASE)
_MHT_START = re.compile(rb"\s*(from|mime-version|subject|date|content-type):", re.IGNORECASE)
_C0 = bytes(set(range(32)) - {9, 10, 12, 13, 27}) + b"\x7f"


def named_format(path: Path) -> Format | None:
    """What the extension promises; None for an unknown one."""
    return FORMAT_OF_SUFFIX.get(suffix_of(path.name))


def format_of(path: Path, head: bytes) -> Format | None:
    """The format of a file whose first `HEAD_BYTES` bytes are `head`; None for an unknown binary one.

    Zip and OLE containers are opened, since only what is inside tells a Word from a PowerPoint file.
    """
    named = named_format(path)
    container = _by_magic(path, head, named)
    if container:
        return container
    if not _looks_textual(head):
        # Odd first bytes are left to those that judge the whole file: the decoder, the PDF and picture libraries.
        return named if named in _SELF_JUDGED else None
    return _textual(head, named)


def reason_to_skip(path: Path) -> str:
    """Why a file of an unknown extension is no document, by its first bytes; "" when it is one."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return ""  # load() tells what is wrong with it
    kind = format_of(path, head)
    if kind == "archive":
        return "an archive: unpack it first"
    return "" if kind else "a binary file of an unknown kind"


def _by_magic(path: Path, head: bytes, named: Format | None) -> Format | None:
    if b"%PDF-" in head[:1024]:
        return "pdf" if head.lstrip().startswith(b"%PDF-") or named not in TEXTUAL else None
    if head.startswith(_ZIP_MAGICS):
        return _in_zip(path)
    if head.startswith(_OLE_MAGIC):
        return _in_ole(path)
    if _is_picture(head):
        return "image"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def _is_picture(head: bytes) -> bool:
    """Pictures whose mark is more than their first bytes: BMP (by the size of its second header), WebP, HEIF."""
    if head.startswith(b"BM"):
        return len(head) > 30 and head[14] in (12, 40, 52, 56, 64, 108, 124) and head[15] == 0
    if head.startswith(b"RIFF"):
        return head[8:12] == b"WEBP"
    return head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"hevc", b"avif")


def _in_zip(path: Path) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names:
                kinds: dict[bytes, Format] = {b"text": "odt", b"presentation": "odp", b"spreadsheet": "ods"}
                found = re.match(rb"application/vnd\.oasis\.opendocument\.(\w+)", archive.read("mimetype")[:200])
                return kinds.get(found[1], "archive") if found else "archive"
    except ZIP_DAMAGE:
        # A cut-off package: what its first local entries say is the best evidence left.
        named = named_format(path)
        return named if named and named in _ZIPPED else "archive"
    if not any(name.lower() == "[content_types].xml" for name in names):
        return "archive"
    folders: tuple[tuple[str, Format], ...] = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
    for folder, kind in folders:
        if any(name.lower().startswith(folder) for name in names):
            return kind
    return "archive"


def _in_ole(path: Path) -> Format | None:
    import olefile

    named = named_format(path)
    try:
        with olefile.OleFileIO(os.fspath(path)) as ole:
            streams = {entry[0].casefold() for entry in ole.listdir() if len(entry) == 1}
    except (OSError, ValueError, IndexError, TypeError):
        return named if named in _OLE else None
    inside: tuple[tuple[str, Format], ...] = (
        ("encryptedpackage", "encrypted-office"),
        ("worddocument", "doc"),
        ("powerpoint document", "ppt"),
        ("workbook", "xls"),
        ("book", "xls"),
    )
    return next((kind for stream, kind in inside if stream in streams), None)


def _looks_textual(head: bytes) -> bool:
    """No control bytes, or the even spread of zero bytes that UTF-16 and UTF-32 have."""
    if head.startswith(_BOMS):
        return True
    controls = len(head) - len(head.translate(None, _C0))
    if controls == 0:
        return True
    zeros = [head[i::2].count(0) for i in (0, 1)]
    every_fourth = max(head[3::4].count(0), head[::4].count(0)) >= len(head) // 5
    wide = max(zeros) > 0.2 * len(head) / 2 and controls - sum(zeros) <= len(head) // 100
    return wide and (min(zeros) <= len(head) // 50 or every_fourth)


def _textual(head: bytes, named: Format | None) -> Format:
    flat = head.replace(b"\x00", b"").removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    if named in ("markdown", "code", "notebook", "csv"):
        return named
    if _MHT_START.match(flat) and b"multipart/related" in flat.lower():
        return "mht"
    if _HTML_START.match(flat):
        return "html"
    if b'progid="Word.Document"' in flat or b"<pkg:package" in flat:
        return "wordml"
    if named in TEXTUAL:
        return named
    return "html" if _HTML_TAG.search(flat) else "text"
