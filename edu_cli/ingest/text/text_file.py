"""Plain text file -> Document: paragraphs between blank lines, headings where numbers speak for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.text.decode import decode
from edu_cli.ingest.text.numbered_headings import heading_levels
from edu_cli.types import Block, Document

_TITLE_CHARS = 40


def read_text_file(path: Path, _options: LoadOptions) -> Document:
    """The file's paragraphs, their lines as they stand. Raises LoadError."""
    decoded = decode(path.read_bytes(), name=shown(path.name))
    return Document(
        format="txt",
        title=_title(decoded.text) or shown(path.stem),
        blocks=tuple(text_blocks(decoded.text)),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def text_blocks(text: str) -> Iterator[Block]:
    """Paragraphs and recognised headings of plain text, in order; where there are some, the title leads them all."""
    lines = text.split("\n")
    levels = dict(heading_levels(lines))
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if levels and first not in levels and _title(text):
        levels = {first: 1, **{at: level + 1 for at, level in levels.items()}}
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
    """The first line where it reads like a title; empty where it does not."""
    first = text.lstrip().split("\n", 1)[0].strip(" \t　=#*-")
    return first if 2 <= len(first) <= _TITLE_CHARS and first[-1] not in "。！？；，：.!?;,:" else ""
