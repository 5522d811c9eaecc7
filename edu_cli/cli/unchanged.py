"""`edu ingest` where nothing has changed since it last ran: told before Typer, settings or catalog are loaded.

An ingest that left nothing undone notes two digests: of all that decided what it found (arguments, environment,
settings files, and the stamp of every file below its PATHs, taken before it looked at them), and of the project's own
files as it left them. While both are the same, the same command would find nothing to do, and its answer is known.
Whatever cannot be told by stamps alone (links, files written in this very moment) is never noted.
"""

# pathlib takes longer to load than all the rest here:
# ruff: noqa: PTH100, PTH105, PTH109, PTH111, PTH112, PTH116, PTH118, PTH120, PTH123
from __future__ import annotations

import os
import stat
import sys
import time

from edu_cli import __version__
from edu_cli.ingest import FORMAT, SKIPPED_FOLDERS

_NOTE = "unchanged"
_IGNORED = frozenset({_NOTE, "lock", "serve.lock", "serve.sock"})


class CannotTellError(Exception):
    """Stamps do not show whether this tree has changed."""


def replay(args: list[str]) -> str | None:
    """What `edu ARGS` prints where it is an ingest with nothing to do; None where it has to run to know."""
    start = time.perf_counter()
    if args[:1] != ["ingest"]:
        return None
    try:
        state = _state_folder(args)
        with open(os.path.join(state, _NOTE), encoding="utf-8", errors="surrogateescape") as file:
            world, left, head, tail, n_given, *paths = file.read().split("\0")
        given, watched = paths[: int(n_given)], paths[int(n_given) :]
        if world != world_digest(args, given, watched) or left != _state_digest(state):
            return None
    except (OSError, ValueError, CannotTellError):
        return None
    seconds = time.perf_counter() - start
    return f"{head}{seconds:.3f}{tail}" if head.startswith("{") else f"{head}{seconds:.1f}{tail}"


def world_digest(args: list[str], given: list[str], watched: list[str], *, settled_by_ns: int = 0) -> str:
    """A digest of the command, the settings files `watched` and every file below the paths `given`.

    Raises CannotTellError for links, and for files changed after `settled_by_ns` where that is given; OSError for what
    cannot be read.
    """
    env = [f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith(("EDU_", "HOME", "XDG_"))]
    lines = [__version__, FORMAT, sys.version, os.getcwd(), *args, *env]
    lines += [_stamp_at(path, 0) for path in (*watched, *sys.path)]  # a package installed since may change the index
    for path in given:
        _add_tree(os.path.realpath(path), lines, settled_by_ns)
    return _digest(lines)


def note_unchanged(state: str, world: str, given: list[str], watched: list[str], answer: tuple[str, str]) -> None:
    """Notes what the next ingest may answer: `answer` is its output before and after the seconds that it took.

    The caller holds the project's lock and has closed everything. A note that cannot be written is left out.
    """
    fields = [world, _state_digest(state), *answer, str(len(given)), *given, *watched]
    path = os.path.join(state, _NOTE)
    try:
        with open(f"{path}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\0".join(fields))
        os.replace(f"{path}.new", path)
    except OSError:
        return


def _state_folder(args: list[str]) -> str:
    """`.edu/` of the project that these arguments name, by the rules of edu_cli/project.py; "" where there is none."""
    named = os.environ.get("EDU_PROJECT", "")
    for flag, value in zip(args, [*args[1:], ""], strict=True):
        named = value if flag == "--project" else flag.removeprefix("--project=") if "--project=" in flag else named
    folder = os.path.abspath(os.path.expanduser(named))
    while not named and not os.path.isdir(os.path.join(folder, ".edu")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return os.path.join(folder, ".edu")


def _state_digest(state: str) -> str:
    """A digest of the stamps of all files in `.edu/`, those aside that say nothing about what is in it."""
    lines: list[str] = []
    todo = [state]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                elif entry.name not in _IGNORED and not entry.name.endswith(("-shm", ".new")):
                    lines.append(_stamp(entry.path, entry.stat(follow_symlinks=False), 0))
    return _digest(lines)


def _add_tree(path: str, lines: list[str], settled_by_ns: int) -> None:
    if not os.path.isdir(path):
        lines.append(_stamp_at(path, settled_by_ns))
        return
    todo = [path]
    while todo:
        folder = todo.pop()
        lines.append(folder)
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_symlink():
                    raise CannotTellError
                if name[0] == ".":
                    lines.append(name)
                elif not entry.is_dir():
                    lines.append(_stamp(name, entry.stat(), settled_by_ns))
                elif name.casefold() in SKIPPED_FOLDERS:
                    lines.append(name)
                else:
                    todo.append(entry.path)


def _stamp_at(path: str, settled_by_ns: int) -> str:
    try:
        return _stamp(path, os.stat(path), settled_by_ns)
    except FileNotFoundError:
        return path


def _stamp(name: str, info: os.stat_result, settled_by_ns: int) -> str:
    if settled_by_ns and max(info.st_mtime_ns, info.st_ctime_ns) > settled_by_ns:
        raise CannotTellError
    return f"{name}\0{info.st_size} {info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino} {stat.S_IFMT(info.st_mode)}"


def _digest(lines: list[str]) -> str:
    from hashlib import blake2b

    return blake2b("\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
