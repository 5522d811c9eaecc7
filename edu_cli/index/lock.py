"""The project's writer lock: `.edu/lock` is held by the one process that writes, and says which that is.

It is the kernel's lock on the open file, so a process that dies, however, gives it up; nothing is ever stale. What the
file says is only for people.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from edu_cli.errors import LockedError, StoreError

_POLL_S = 0.1
T = TypeVar("T")


@contextmanager
def writer_lock(path: Path, timeout_s: float, waiting: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock at `path`; `waiting` is called once, with a sentence, where another process has it.

    Raises LockedError, naming the holder's PID and command, when it is not free within `timeout_s`.
    """
    try:
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}.",
            hint=f"remove the folder {path}" if path.is_dir() else f"check that you may write to {path.parent}",
        ) from error
    with file:
        _wait(file, path, timeout_s, waiting)
        try:
            file.seek(0)
            file.truncate()
            file.write(f"{os.getpid()}\n{_command()}\n")
            file.flush()
            yield
        finally:
            file.seek(0)
            file.truncate()
            _unlock(file)


def patiently(open_it: Callable[[], T], timeout_s: float, waiting: Callable[[str], None]) -> T:
    """What `open_it` opens, tried again while it raises LockedError, for at most `timeout_s`."""
    start = time.monotonic()
    told = False
    while True:
        try:
            return open_it()
        except LockedError as error:
            if time.monotonic() - start >= timeout_s:
                raise
            if not told:
                waiting(f"waiting: {error.message}")
                told = True
            time.sleep(_POLL_S)


def holder(path: Path) -> str | None:
    """Who holds the lock (`PID 4711, edu ingest …`), None where it is free."""
    try:
        with path.open("r+", encoding="utf-8") as file:
            if _try_lock(file):
                _unlock(file)
                return None
            return _named(file)
    except OSError:
        return None


def _wait(file: IO[str], path: Path, timeout_s: float, waiting: Callable[[str], None]) -> None:
    start = time.monotonic()
    told = False
    while not _try_lock(file):
        who = _named(file)
        if time.monotonic() - start >= timeout_s:
            raise LockedError(
                f"{path.parent.parent} is being written by another edu ({who}).",
                hint="wait for it to finish; verbs that write take --lock-timeout SECONDS",
            )
        if not told:
            waiting(f"waiting for another edu to finish ({who})")
            told = True
        time.sleep(_POLL_S)


def _command() -> str:
    """`edu` and its verb only: the rest of a command line may hold a password."""
    return " ".join(["edu", *sys.argv[1:2]])


def _named(file: IO[str]) -> str:
    file.seek(0)
    pid, _, command = file.read().strip().partition("\n")
    return f"PID {pid or 'unknown'}" + (f", {command}" if command else "")


if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 30  # far behind the text, which others must be able to read

    def _try_lock(file: IO[str]) -> bool:
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[str]) -> None:
        file.seek(_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
