"""Source code and notebooks -> documents whose blocks are code (and the prose between the cells)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.suffixes import suffix_of
from edu_cli.ingest.text.decode import decode
from edu_cli.types import Block, Document


def read_code(path: Path, _options: LoadOptions) -> Document:
    """One code block, verbatim."""
    decoded = decode(path.read_bytes())
    text = decoded.text.rstrip("\n")
    return Document(
        format=suffix_of(path.name),
        title=shown(path.name),
        blocks=(Block("code", text),) if text.strip() else (),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
        metadata={"language": suffix_of(path.name)},
    )


def read_notebook(path: Path, _options: LoadOptions) -> Document:
    """A Jupyter notebook: Markdown cells as Markdown, code cells as code; outputs, which the code makes, left out."""
    decoded = decode(path.read_bytes())
    try:
        tree = json.loads(decoded.text)
        cells = tree.get("cells") or [cell for sheet in tree.get("worksheets", ()) for cell in sheet.get("cells", ())]
    except (ValueError, AttributeError) as error:
        raise LoadError(f"{shown(path.name)} is no notebook: {error}.", hint="save it again in Jupyter") from error
    blocks = tuple(block for cell in cells for block in _cell_blocks(cell))
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return Document("ipynb", title, blocks, encoding=decoded.encoding, warnings=decoded.warnings)


def _cell_blocks(cell: dict[str, Any]) -> Iterator[Block]:
    source = cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(source)
    if not text.strip():
        return
    if cell.get("cell_type") == "markdown":
        from edu_cli.ingest.markup.markdown import to_blocks

        yield from to_blocks(text)
    else:
        yield Block("code", text.rstrip("\n"))
