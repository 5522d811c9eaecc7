"""Plain text file -> Document."""

from __future__ import annotations

import re
from pathlib import Path

from edu_cli.ingest.decode import decode
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Block, Document


def read_text_file(path: Path, _options: LoadOptions) -> Document:
    """Paragraphs of a plain text file, one a run of lines between blank ones. Raises LoadError."""
    decoded = decode(path.read_bytes())
    parts = re.split(r"\n(?:[ \t　]*\n)+", decoded.text)
    blocks = tuple(Block(kind="paragraph", text=part.strip("\n").rstrip()) for part in parts if part.strip())
    return Document(format="txt", title=path.stem, blocks=blocks, encoding=decoded.encoding, warnings=decoded.warnings)
