"""Whole copies of a catalog: out of a project that is in use, and back into one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from edu_cli.errors import StoreError
from edu_cli.index.catalog import Catalog
from edu_cli.index.database import BUSY_S, damaged_path
from edu_cli.index.read_only import cannot_write, connect_read_only
from edu_cli.protocols import Progress, VectorCache
from edu_cli.upkeep.catalog_checks import check_catalog

_PIECE = 500
_RECORDS = ("faq", "pending", "sessions", "turns", "traces")


def take(catalog: Path, target: Path) -> None:
    """Copies the catalog as it is at one moment, whoever reads or writes it meanwhile. Raises StoreError."""
    with _told(catalog), closing(_connect(target)) as copy:
        try:
            with closing(_connect(catalog)) as source:
                source.backup(copy)
        except sqlite3.OperationalError as error:
            if not cannot_write(error) or not catalog.is_file():
                raise
            source, is_unchanged = connect_read_only(catalog)
            with closing(source):
                source.backup(copy)
            if not is_unchanged():
                raise StoreError(f"{catalog} was changed while it was read.", hint="run it again") from error


def put(source: Path, catalog: Path) -> Path | None:
    """Puts a whole catalog in the place of `catalog`: others that have it open see the old one, then the new one.

    A file there that SQLite cannot read is put aside; where it went comes back. Raises StoreError.
    """
    aside = None
    if catalog.exists():
        try:
            take(source, catalog)
            return None
        except StoreError as error:
            if error.code != "damaged":
                raise
            aside = damaged_path(catalog)
            catalog.replace(aside)
    for end in ("-wal", "-shm"):  # of a file that is no more; SQLite would take them for the new one's
        catalog.with_name(catalog.name + end).unlink(missing_ok=True)
    source.replace(catalog)
    return aside


def examine(catalog: Catalog) -> None:
    """Refuses a catalog from a backup that is damaged, or that would do things by itself. Raises StoreError."""
    found = check_catalog(catalog)
    if found.status == "fail":
        raise StoreError(found.message, hint=found.fix)
    if catalog.database.one("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"):
        what = "The catalog in the backup holds triggers, which edu never makes: nothing was restored."
        raise StoreError(what, hint="use another backup")


def record_counts(catalog: Catalog) -> dict[str, int]:
    """How many records of each kind there are."""
    return {table: catalog.database.one(f"SELECT count(*) FROM {table}") for table in _RECORDS}  # noqa: S608


def copy_vectors(
    source: VectorCache, target: VectorCache, text_keys: Sequence[str], progress: Progress | None = None
) -> int:
    """Copies the vectors of these texts from cache to cache; how many there were."""
    n_copied = 0
    if progress:
        progress.start("vectors", len(text_keys))
    for start in range(0, len(text_keys), _PIECE):
        piece = text_keys[start : start + _PIECE]
        found = source.find(piece)
        target.put(found)
        n_copied += len(found)
        if progress:
            progress.advance("vectors", len(piece))
    return n_copied


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_S)


@contextmanager
def _told(catalog: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise StoreError(f"{catalog} is busy: another edu is writing to it.", hint="wait for it to end") from error
        if "full" in text:
            raise StoreError(f"There is no room for a copy of {catalog}.", hint="make room on the disk") from error
        raise StoreError(f"{catalog} cannot be copied: {text}.", hint="edu doctor", code="damaged") from error
