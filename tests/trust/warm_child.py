"""The other side of warm_edu.py: imports the program once, then forks a child a run."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gc
import importlib
import io
import json
import os
import random
import select
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steps import wants_room
from warm_edu import OUTPUTS

from edu_cli.index import milvus_volumes

_HEAVY = (
    "numpy", "sqlite3", "bm25s", "rjieba", "opencc", "onnxruntime", "pymilvus", "milvus_lite.server_manager", "grpc",
    "rich.console", "rich.table", "markdown_it", "dotenv",
    "edu_cli.cli.app", "edu_cli.cli.render", "edu_cli.wiring.asking", "edu_cli.wiring.ingesting",
    "edu_cli.ask.pipeline",
    "edu_cli.index.milvus", "edu_cli.index.lexical", "edu_cli.index.records", "edu_cli.index.encoders.e5_small",
    "edu_cli.ingest.pipeline", "edu_cli.ingest.markup.markdown", "edu_cli.wiring.recording", "edu_cli.wiring.upkeep",
)  # fmt: skip
_VERBS = (
    "ingest",
    "index",
    "search",
    "ask",
    "faq",
    "pending",
    "docs",
    "status",
    "doctor",
    "trace",
    "sessions",
    "backup",
    "restore",
    "serve",
)


_VOLUME_ROWS = 5  # of Milvus Lite, so that the small course has several volumes


def _serve(work: Path) -> None:
    for name in _HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for verb in _VERBS:
        importlib.import_module(f"edu_cli.cli.{verb}")
    milvus_volumes.FIRST_ROWS = milvus_volumes.NEXT_ROWS = _VOLUME_ROWS
    gc.freeze()  # a child that collects garbage would else copy all of this
    _tell("ready")
    for line in sys.stdin:
        wish = json.loads(line)
        start = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _child(work, wish)
        with contextlib.suppress(OSError):  # whoever comes first, parent or child: it may be killed before it begins
            os.setpgid(pid, pid)
        code = _awaited(pid, start, wish)
        _tell(json.dumps({"code": code, "seconds": time.monotonic() - start}))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _awaited(pid: int, start: float, wish: Mapping[str, Any]) -> int:
    """The child's end, by its own doing or at its time."""
    is_murder = wish["die_after_s"] is not None
    until = start + (wish["die_after_s"] if is_murder else wish["limit_s"])
    watch = os.pidfd_open(pid)
    try:
        in_time = bool(select.select([watch], [], [], max(0.0, until - time.monotonic()))[0])
        if not in_time:
            os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not in_time and not is_murder:
            return 124
    finally:
        os.close(watch)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # its workers
    return os.waitstatus_to_exitcode(status)


def _child(work: Path, wish: Mapping[str, Any]) -> None:
    code = 70
    try:
        os.setpgid(0, 0)
        random.seed()
        for name, number in zip(OUTPUTS, (1, 2, 9), strict=True):
            file = os.open(work / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
            os.dup2(file, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = io.TextIOWrapper(io.FileIO(0), encoding="utf-8")
        os.environ.update(wish["env"])
        os.chdir(wish["cwd"])
        _limit(wish)
        _watch(wish)
        _end_room(wish)
        code = _main(list(wish["args"]))
    except BaseException:  # noqa: BLE001 - what escapes `main` is what a user would see as a traceback
        import traceback

        traceback.print_exc()
        code = 99
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        if wish["room_ends_at"] is not None:
            os.write(9, f"wanted {ctypes.CDLL(None).calls_that_want_room()}\n".encode())
        os._exit(code)


def _main(args: Sequence[str]) -> int:
    from edu_cli.cli import app

    sys.argv = ["edu", *args]
    try:
        app.main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def _limit(wish: Mapping[str, Any]) -> None:
    if wish["most_bytes"] is not None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (wish["most_bytes"], wish["most_bytes"]))
    if wish["uid"] is not None:
        os.setgroups([])
        os.setgid(wish["uid"])
        os.setuid(wish["uid"])


def _end_room(wish: Mapping[str, Any]) -> None:
    """full_disk.c stands before the C library: it counts, and refuses from a call on."""
    if wish["room_ends_at"] is not None:
        root, nth = os.fsencode(wish["cwd"]), wish["room_ends_at"] or -1
        ctypes.CDLL(None).room_ends_at(root, ctypes.c_long(nth), wish["refusal"])


def _watch(wish: Mapping[str, Any]) -> None:
    """Counts changes to files below `.edu` and the cache, and ends the process, or refuses, at the one asked for."""
    count = 0
    root = str(wish["cwd"])

    def happened(what: str) -> None:
        nonlocal count
        count += 1
        os.write(9, f"{what}\n".encode("utf-8", "replace"))
        if wish["die_at"] == count:
            os.kill(os.getpid(), wish["die_by"])
        if wish["fails_at"] is not None and count >= wish["fails_at"] and wants_room(what):
            raise _full(what, wish["refusal"])

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], (str, bytes)):
            flags = args[2] if isinstance(args[2], int) else 0
            if flags & (os.O_WRONLY | os.O_RDWR) and _below(args[0], root):
                happened(f"open {_named(args[0], root)}")
        elif event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree"):
            if _below(args[0], root):
                happened(f"{event} {_named(args[0], root)}")
        elif event == "sqlite3.connect" and _below(args[0], root):
            happened(f"{event} {_named(args[0], root)}")

    sys.addaudithook(hook)
    _steps(happened)


def _full(what: str, refusal: int) -> Exception:
    """As the system says it, or SQLite, which has words of its own."""
    if what.startswith(("sqlite3.", "before commit")):
        return sqlite3.OperationalError("database or disk is full" if refusal == errno.ENOSPC else "disk I/O error")
    return OSError(refusal, os.strerror(refusal))


def _below(path: object, root: str) -> bool:
    text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    return _absolute(text).startswith(root + os.sep)


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links must not be followed


def _named(path: Any, root: str) -> str:
    return os.path.relpath(_absolute(os.fsdecode(path)), root)


def _steps(happened: Any) -> None:
    """Names the steps that no file operation of Python's shows: commits of SQLite, what Milvus does."""
    from edu_cli.index.database import Database
    from edu_cli.index.milvus import MilvusStore

    plain = Database.transaction

    @contextmanager
    def transaction(self: Database) -> Iterator[Any]:
        nested = self._connection.in_transaction
        with plain(self) as connection:
            yield connection
            if not nested:
                happened(f"before commit {self.path.name}")
        if not nested:
            happened(f"after commit {self.path.name}")

    Database.transaction = transaction  # type: ignore[method-assign]
    for name in ("upsert", "delete", "flush"):
        setattr(MilvusStore, name, _announced(getattr(MilvusStore, name), name, happened))


def _announced(method: Any, name: str, happened: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        happened(f"before milvus {name}")
        result = method(*args, **kwargs)
        happened(f"after milvus {name}")
        return result

    return call


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
