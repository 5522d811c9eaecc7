"""Plain text file -> Document: paragraphs between blank lines, headings where numbers speak for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edu_cli.ingest.decode import decode
from edu_cli.ingest.numbered_headings import heading_levels
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Block, Document

_TITLE_CHARS = 40


def read_text_file(path: Path, _options: LoadOptions) -> Document:
    """The file's paragraphs, their lines as they stand. Raises LoadError."""
    decoded = decode(path.read_bytes(), name=path.name)
    return Document(
        format="txt",
        title=_title(decoded.text) or path.stem,
        blocks=tuple(text_blocks(decoded.text)),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def text_blocks(text: str) -> Iterator[Block]:
    """Paragraphs and recognised headings of plain text, in order."""
    lines = text.split("\n")
    levels = heading_levels(lines)
    run: list[str] = []
    for at, line in enumerate(lines):
        if at not in levels and line.strip():
            run.append(line.rstrip())
            continue
        if run:
            yield Block("paragraph", "\n".join(run))
            run = []
        if at in levels:
            yield Block("heading", " ".join(line.split()), level=levels[at])
    if run:
        yield Block("paragraph", "\n".join(run))


def _title(text: str) -> str:
    """The first line where it reads like a title; the text keeps it too."""
    first = text.lstrip().split("\n", 1)[0].strip(" \t　=#*-")
    return first if 2 <= len(first) <= _TITLE_CHARS and first[-1] not in "。！？；，：.!?;,:" else ""
