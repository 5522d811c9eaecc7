"""A SQLite file of ours: opened with its format checked and brought up to date, written in whole transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edu_cli.errors import EduError, IndexMismatchError, StoreError
from edu_cli.index.read_only import cannot_write, connect_read_only, has_no_room
from edu_cli.index.row_sums import blob_sum, row_sum

BUSY_S = 30.0  # a transaction of ours is far shorter; who waits longer than this waits for something stuck


def damaged_path(path: Path) -> Path:
    """Where a damaged database goes that is put aside."""
    return path.with_name(path.name + ".damaged")


class Database:
    """One connection, used by one thread at a time (the lock sees to it).

    `steps` are SQL scripts; `user_version` counts those that the file has had. A file from before gets the missing
    ones in one transaction, after a copy of it was put beside it. What is not `durable` may lose its last transactions
    when the power fails, never when the process is killed. A file that cannot be written is read; writing to it is a
    StoreError with the code `read_only`.
    """

    def __init__(self, path: Path, steps: Sequence[str], application_id: int, *, durable: bool = True) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._is_unchanged = lambda: True
        with _told(path):
            try:
                self._connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
                self._prepared(steps, application_id, durable)
            except sqlite3.OperationalError as error:
                if not (cannot_write(error) or has_no_room(error)) or not path.is_file():
                    raise
                self._connection, self._is_unchanged = connect_read_only(path)
                self._prepared(steps, application_id, durable=None)

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. Raises StoreError."""
        with self._lock, _told(self.path):
            found = self._connection.execute(sql, parameters).fetchall()
            if not self._is_unchanged():
                raise StoreError(f"{self.path} was changed while it was read.", hint="run it again")
            return found

    def one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, None without one. Raises StoreError."""
        found = self.rows(sql + " LIMIT 1", parameters)
        return found[0][0] if found else None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; on disk when it returns. Transactions may nest: the outermost one decides."""
        with self._lock, _told(self.path):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def write(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement over many rows, in a transaction."""
        with self.transaction() as connection:
            connection.executemany(sql, rows)

    def close(self) -> None:
        """Closes the file; calling it again is harmless."""
        with self._lock:
            self._connection.close()

    def _prepared(self, steps: Sequence[str], application_id: int, durable: bool | None) -> None:
        try:
            self._prepare(steps, application_id, durable)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, steps: Sequence[str], application_id: int, durable: bool | None) -> None:
        """Checks the format, and brings the file up to date; `durable` None: it is only read."""
        run = self._connection.execute
        for function in (row_sum, blob_sum):
            self._connection.create_function(function.__name__, -1, function, deterministic=True)
        version = run("PRAGMA user_version").fetchone()[0]
        owner = run("PRAGMA application_id").fetchone()[0]
        if version and owner != application_id:
            raise StoreError(f"{self.path} is not a file of edu.", hint=f"move {self.path} away")
        if version > len(steps):
            raise IndexMismatchError(
                f"{self.path} has format {version}, and this edu knows formats up to {len(steps)}.",
                hint="update edu: pip install -U edu-cli",
            )
        if durable is None:
            if version < len(steps):
                raise StoreError(
                    f"{self.path} has format {version}, and cannot be written to be brought to format {len(steps)}.",
                    hint="run `edu status` once where it can be written",
                )
            return
        run("PRAGMA journal_mode = WAL")
        run(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        run("PRAGMA foreign_keys = ON")
        if version < len(steps):
            self._migrate(steps, application_id)

    def _migrate(self, steps: Sequence[str], application_id: int) -> None:
        with self.transaction() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
            if version:
                self._copy_to(self.path.with_name(f"{self.path.name}.format-{version}"))
            for step in steps[version:]:
                for statement in _statements(step):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {int(application_id)}")
            connection.execute(f"PRAGMA user_version = {len(steps)}")

    def _copy_to(self, target: Path) -> None:
        reader = sqlite3.connect(self.path)
        copy = sqlite3.connect(target)
        try:
            reader.backup(copy)
        finally:
            copy.close()
            reader.close()


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into one sentence that names the file."""
    try:
        yield
    except EduError:
        raise
    except sqlite3.OperationalError as error:
        text = str(error)
        if cannot_write(error) and path.is_file():
            what = "written" if os.access(path, os.R_OK) else "read"
            hint = f"check the permissions of {path} and of its folder, and that the disk has room"
            raise StoreError(f"{path} cannot be {what}.", hint=hint, code="read_only") from error
        if "locked" in text or "busy" in text:
            raise StoreError(f"{path} is busy: another edu is writing to it.", hint="wait for it to finish") from error
        code = "damaged" if path.is_dir() else ""
        raise StoreError(f"{path} cannot be read or written: {text}.", hint=_remedy(text, path), code=code) from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # a constraint that does not hold, or a statement that is wrong
            raise StoreError(f"{path} refused a change: {error}.", hint="report this") from error
        raise StoreError(f"{path} is damaged: {error}.", hint=_remedy("damaged", path), code="damaged") from error


def _remedy(text: str, path: Path) -> str:
    if path.is_dir():
        return f"remove the folder that stands in its place: {path}"
    if "readonly" in text or "unable to open" in text:
        return f"check that {path.parent} exists and that you may write to it"
    if "damaged" in text or "malformed" in text:
        return f"move {path} away and run `edu ingest` again"
    return "check that the disk has room and can be written, then run it again; nothing that was stored is lost"
