"""One file -> its Document: what it is, whether it may be read, and the reader that does it."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from edu_cli.errors import EduError, LoadError
from edu_cli.ingest.office.ooxml import refuse_bomb
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sniff import HEAD_BYTES, format_of, named_format
from edu_cli.ingest.suffixes import REASON_OF_SUFFIX, TEXTUAL, Format, suffix_of
from edu_cli.text import clean
from edu_cli.types import Block, Document

Reader = Callable[[Path, LoadOptions], Document]

_ZIPPED: frozenset[Format] = frozenset({"xlsx", "odt", "odp", "ods"})  # docx and pptx are checked as they are opened
_READERS: dict[Format, str] = {
    "text": "text.text_file:read_text_file",
    "markdown": "markup.markdown:read_markdown",
    "html": "markup.html:read_html",
    "csv": "sheet.faq_table:read_faq_table",
    "xlsx": "sheet.faq_table:read_faq_table",
    "pdf": "pdf.reader:read_pdf",
    "image": "ocr.image:read_image",
    "docx": "office.docx:read_docx",
    "pptx": "office.pptx:read_pptx",
    "code": "text.code_file:read_code",
    "notebook": "text.code_file:read_notebook",
    "mht": "markup.mht:read_mht",
    **dict.fromkeys(("doc", "ppt", "xls", "rtf", "odt", "odp", "ods", "wordml"), "office.legacy:read_legacy"),
}

# Office programs do save web pages as .doc and .xls; nothing saves one under these names.
_NEVER_PAGES: frozenset[Format | None] = frozenset({"pdf", "docx", "pptx", "xlsx", "image"})


def load(path: Path, options: LoadOptions) -> Document:
    """The document at `path`, read by what it is rather than by how it is named.

    Raises LoadError, and nothing else, for whatever is wrong with the file or goes wrong inside a reader.
    """
    name = shown(path.name)
    head = _read_head(path, name, options)
    kind, named = format_of(path, head), named_format(path)
    if kind is None and named is not None:
        raise LoadError(f"{name} is no {named} file: its first bytes are of no known format.", hint="save it again")
    if kind is None or kind == "archive":
        known = REASON_OF_SUFFIX.get(suffix_of(name), "").partition(":")[0]
        what = known or ("an archive" if kind else "a binary file of an unknown kind")
        raise LoadError(f"{name} is {what}.", hint="unpack or convert it", code="unsupported")
    if kind == "encrypted-office":
        return _load_decrypted(path, name, options)
    if kind == "html" and named in _NEVER_PAGES:
        raise LoadError(
            f"{name} is a web page under the name of a {named} file, as a failed download leaves behind.",
            hint="download it again; rename it to .html if the page itself is wanted",
        )
    document = _read(path, name, kind, options)
    if not any(block.text.strip() for block in document.blocks):
        code = "empty" if kind in TEXTUAL else "no_text"
        raise LoadError(f"{name} holds no text.", hint="; ".join(document.warnings[:3]), code=code)
    return _finished(document, path, kind)


def _load_decrypted(path: Path, name: str, options: LoadOptions) -> Document:
    from edu_cli.ingest.office.encrypted import decrypted

    with decrypted(path, options.pdf_password) as plain:
        if format_of(plain, _read_head(plain, name, options)) == "encrypted-office":
            raise LoadError(f"{name} is encrypted twice.", hint="save it without a password", code="encrypted")
        return load(plain, options)


def is_light(path: Path) -> bool:
    """True where the name promises a format that is read in milliseconds and cannot crash its reader."""
    return named_format(path) in TEXTUAL


def _read_head(path: Path, name: str, options: LoadOptions) -> bytes:
    try:
        size = path.stat().st_size
        if size == 0:
            raise LoadError(f"{name} is empty (0 bytes).", code="empty")
        if size > options.max_bytes:
            raise LoadError(
                f"{name} has {size / 2**20:.0f} MB, more than the {options.max_bytes / 2**20:.0f} MB allowed.",
                hint="raise ingest.max_file_mb, or split the file",
                code="too_large",
            )
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except PermissionError as error:
        raise LoadError(f"{name} may not be read.", hint="check its permissions", code="permission") from error
    except OSError as error:
        raise LoadError(f"{name} cannot be read: {error.strerror}.", code="corrupt") from error


def _read(path: Path, name: str, kind: Format, options: LoadOptions) -> Document:
    module, function = _READERS[kind].split(":")
    try:
        if kind in _ZIPPED:
            with zipfile.ZipFile(path) as package:
                refuse_bomb(package, name)
        reader: Reader = getattr(importlib.import_module(f"edu_cli.ingest.{module}"), function)
        return reader(path, options)
    except LoadError as error:
        if name in error.message:
            raise
        raise LoadError(f"{name}: {error.message}", hint=error.hint, code=error.code) from error
    except EduError as error:
        raise LoadError(f"{name}: {error.message}", hint=error.hint, code="unsupported") from error
    except MemoryError as error:
        raise LoadError(f"{name} needs more memory than it may use.", code="too_large") from error
    except PermissionError as error:
        raise LoadError(f"{name} may not be read.", hint="check its permissions", code="permission") from error
    except zipfile.BadZipFile as error:
        raise LoadError(f"{name} is a damaged {kind} file: {error}.", hint="save it again", code="corrupt") from error
    except Exception as error:  # a reader's library may raise anything; one file must not end the run
        what = f"{type(error).__name__}: {error}".rstrip(": .")[:200]
        raise LoadError(f"{name} cannot be read as {kind} ({what}).", hint="save it again", code="corrupt") from error


def _finished(document: Document, path: Path, kind: Format) -> Document:
    """A title for every document, and a warning where the extension says something else than the content."""
    title = " ".join(clean(document.title)[0].split()) or shown(path.stem)
    warnings = document.warnings
    if named_format(path) not in (kind, None) and kind != "wordml":
        warnings = (f"read as {document.format}, though its name ends in .{suffix_of(path.name)}", *warnings)
    blocks = document.blocks if document.encoding else tuple(map(_clean_block, document.blocks))
    return replace(document, title=title, warnings=warnings, blocks=blocks)


def _clean_block(block: Block) -> Block:
    """Without what no reader may pass on; text files were cleaned when they were decoded."""
    text, header = clean(block.text)[0], clean(block.header)[0]
    return block if (text, header) == (block.text, block.header) else replace(block, text=text, header=header)
