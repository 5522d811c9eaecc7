"""SQLite files that stand where nothing can be written: a read-only mount, another user's folder, a full disk.

SQLite keeps a log and an index of it beside a file in WAL mode, and refuses the file where it cannot make them, unless
it is promised that nobody changes the file meanwhile. The promise is checked: see `FileMark`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_CANNOT_WRITE = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_NO_ROOM = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_IOERR_WRITE,
    }
)
_PRIMARY = 0xFF  # an error's extended code holds the primary one in its low byte


@dataclass(frozen=True, slots=True)
class FileMark:
    """How a file looks from outside: size, time of its last change, and which file it is."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> FileMark | None:
        """The file's mark now, None where it is gone."""
        try:
            stat = path.stat()
        except OSError:
            return None
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ino)


def cannot_write(error: sqlite3.Error) -> bool:
    """Whether SQLite says that it may not write, rather than that something is wrong with the file."""
    return (getattr(error, "sqlite_errorcode", 0) & _PRIMARY) in _CANNOT_WRITE


def has_no_room(error: sqlite3.Error) -> bool:
    """Whether SQLite could not make its files beside the one opened, since the disk is full."""
    return getattr(error, "sqlite_errorcode", 0) in _NO_ROOM


def connect_read_only(path: Path) -> tuple[sqlite3.Connection, Callable[[], bool]]:
    """A connection to a file in a place that cannot be written, and whether the file is still the one opened.

    What a run that was cut off left in the log beside it is read as well. Raises sqlite3.Error and OSError.
    """
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        return _copied(path, log), lambda: True
    mark = FileMark.of(path)
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    return connection, lambda: FileMark.of(path) == mark


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    """The file with its log, in memory: only a place where SQLite may write lets it join the two."""
    import shutil
    import tempfile  # loads `random`, which nothing else here needs

    whole = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with tempfile.TemporaryDirectory(prefix="edu-") as folder:
        copy = Path(folder, path.name)
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        joined = sqlite3.connect(copy)
        try:
            joined.backup(whole)
        finally:
            joined.close()
    whole.execute("PRAGMA query_only = ON")
    return whole
