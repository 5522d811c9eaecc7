"""Checksums of the catalog's rows: SQLite finds damage to its structure, not to what is stored in it.

A row's sum is written with the row and compared wherever its content is shown or searched, so that a text that was
changed behind SQLite's back is told and never cited.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from edu_cli.errors import StoreError

T = TypeVar("T", bound=Sequence[Any])

# the columns that a table's sum covers, but for documents its first ones; what changes while the row stays is left out
SUMMED: Mapping[str, tuple[str, ...]] = {
    "documents": ("doc_id", "path", "tenant", "subject", "title"),
    "parents": ("parent_id", "doc_id", "ordinal", "section", "page", "page_end", "text"),
    "children": ("parent_id", "ordinal", "child_id", "start", '"end"', "page", "page_end", "lead", "text_key"),
    "document_faq": ("doc_id", "ordinal", "question", "answer", "subject", "line"),
    "faq": ("faq_id", "tenant", "subject", "question", "answer", "source"),
    "answers": ("key", "tenant", "corpus", "value"),
}
ADD_SUMS = "".join(
    f"ALTER TABLE {table} ADD COLUMN sum INTEGER; UPDATE {table} SET sum = row_sum({', '.join(columns)});\n"  # noqa: S608
    for table, columns in SUMMED.items()
)


def row_sum(*values: object) -> int:
    """CRC-32 of a row's values and of where one ends; registered with every connection as an SQL function."""
    raws = [b"\xff" if value is None else str(value).encode("utf-8", "surrogatepass") for value in values]
    return zlib.crc32(b"".join([b"%d:%b" % (len(raw), raw) for raw in raws]))


def blob_sum(*values: bytes) -> int:
    """CRC-32 of blobs, one after the other."""
    return zlib.crc32(b"".join(values))


def insert(table: str, n_columns: int, *, verb: str = "INSERT", n_after: int = 0) -> str:
    """The statement that stores a row of so many values with its sum, and `n_after` more behind it."""
    values = ", ".join(f"?{i}" for i in range(1, n_columns + 1))
    summed = ", ".join(f"?{i}" for i in range(1, len(SUMMED[table]) + 1))
    rest = "".join(f", ?{i}" for i in range(n_columns + 1, n_columns + n_after + 1))
    return f"{verb} INTO {table} VALUES ({values}, row_sum({summed}){rest})"


def sound(table: str, alias: str) -> str:
    """The SQL expression that is 1 for a row that is as it was stored."""
    columns = ", ".join(f"{alias}.{column}" for column in SUMMED[table])
    return f"{alias}.sum IS row_sum({columns})"


def checked(rows: Iterable[T], path: Path) -> list[T]:
    """The rows, whose last column is `sound`. Raises StoreError for one that is not."""
    found = list(rows)
    for row in found:
        if not row[-1]:
            raise damaged(path, f"what belongs to {row[0]!r} is not as it was stored")
    return found


def damaged(path: Path, what: str) -> StoreError:
    """The error of a catalog whose content has changed."""
    return StoreError(
        f"{path} is damaged: {what}.",
        hint="`edu ingest PATH --force` reads the files again; `edu restore FILE --force` brings a backup back",
        code="damaged",
    )
