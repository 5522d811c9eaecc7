"""A folder whose content is replaced as a whole: readers see the old one or the new one, never a mixture.

`current.json` names the folder of the generation in force, its files with sizes, checksums and stamps, and what its
builder says of it. A file whose stamp is the one noted is as it was written; any other one is read and compared, so
that what was changed since is never searched.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from edu_cli.errors import StoreError

FORMAT = 2  # of what the builders write: raise it when older files can no longer be read; they count as absent then
UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError)  # what reading files that are no longer ours raises
T = TypeVar("T")
_CURRENT = "current.json"


@dataclass(frozen=True, slots=True)
class Generation:
    """The files in force (size and checksum of each) and what their builder said of them."""

    path: Path
    facts: Mapping[str, Any]
    files: Mapping[str, tuple[int, int]]

    def hand_on(self, name: str, folder: Path) -> None:
        """The file as one of the next generation's too: another name of it, a copy where that cannot be had."""
        try:
            os.link(self.path / name, folder / name)
        except OSError:
            import shutil

            shutil.copyfile(self.path / name, folder / name)


def publish(folder: Path, write: Callable[[Path], Mapping[str, Any]], before: Generation | None = None) -> None:
    """Lets `write` fill a new folder and say what it is, puts it in force and removes the ones before it.

    Files that were handed on from `before` keep the checksum that they have there, so that damage done to them since
    still shows. Raises StoreError, and what `write` raises; the one in force stays then.
    """
    import shutil

    fresh = folder / f"g-{os.urandom(6).hex()}"
    try:
        fresh.mkdir(parents=True)
        facts = dict(write(fresh))
        entries = sorted(fresh.iterdir())
        files = {entry.name: _measured(entry, before) for entry in entries}
        stamps = {entry.name: _stamp(entry) for entry in entries}
        draft = folder / f"{_CURRENT}.{fresh.name}"
        named = {"format": FORMAT, "generation": fresh.name, "files": files, "stamps": stamps, "facts": facts}
        draft.write_text(json.dumps(named), encoding="utf-8")
        if (folder / _CURRENT).is_dir():  # what stands there is no work of ours
            shutil.rmtree(folder / _CURRENT)
        draft.replace(folder / _CURRENT)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise StoreError(
            f"{folder} cannot be written: {error.strerror or error}.", hint="free some space or mend its permissions"
        ) from error
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _sweep(folder, fresh.name)


def current(folder: Path) -> Generation | None:
    """The generation in force, None where there is none. Raises StoreError where it is damaged."""
    tried = ""
    while (named := _read(folder)) is not None:
        path = folder / named["generation"]
        if _is_whole(path, named["files"], named["stamps"]):
            return Generation(path, named["facts"], named["files"])
        if path.name == tried:  # else a writer may have put the next one in force between our two looks
            raise StoreError(f"{folder} is damaged.", hint="run `edu index --force`")
        tried = path.name
    return None


def open_current(folder: Path, read: Callable[[Generation], T], what: str) -> T | None:
    """What `read` makes of the generation in force, None where there is none; the next one's where it was swept away
    in the middle.

    Raises StoreError, which calls it `what`, where `read` raises one of UNREADABLE.
    """
    while (found := current(folder)) is not None:
        try:
            return read(found)
        except UNREADABLE as error:
            named = _read(folder)
            if named is not None and named["generation"] == found.path.name:
                raise StoreError(f"The {what} {folder} is damaged: {error}.", hint="run `edu index --force`") from error
    return None


def damaged_files(folder: Path) -> list[str]:
    """The files of the generation in force whose content is not what was written; reads all of them."""
    named = _read(folder)
    return [] if named is None else damaged_among(folder / named["generation"], named["files"])


def damaged_among(path: Path, files: Mapping[str, tuple[int, int]]) -> list[str]:
    """Those of the files (size and checksum by name) in the folder whose content is another."""
    return [
        name
        for name, (size, checksum) in files.items()
        if _size(path / name) != size or _checksum(path / name) != checksum
    ]


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Damage that only shows in use (an index out of range, bytes that are no text) as a StoreError."""
    try:
        yield
    except (IndexError, UnicodeDecodeError) as error:
        raise StoreError(f"The {what} is damaged: {error}.", hint="run `edu index --force`") from error


def facts_of(folder: Path) -> Mapping[str, Any]:
    """What the builder said of the generation in force; empty where there is none or it cannot be read."""
    try:
        found = current(folder)
    except StoreError:
        return {}
    return found.facts if found else {}


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        named = json.loads((folder / _CURRENT).read_text(encoding="utf-8"))
        if named.get("format") != FORMAT:
            return None
        files = {name: (int(size), int(checksum)) for name, (size, checksum) in named["files"].items()}
        stamps = {str(name): str(stamp) for name, stamp in named.get("stamps", {}).items()}
        return {
            "generation": str(named["generation"]),
            "files": files,
            "stamps": stamps,
            "facts": dict(named["facts"]),
        }
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{folder / _CURRENT} is damaged.", hint="run `edu index --force`") from error


def _measured(file: Path, before: Generation | None) -> tuple[int, int]:
    """Size and checksum."""
    if before and file.name in before.files and file.samefile(before.path / file.name):
        return before.files[file.name]
    return file.stat().st_size, _checksum(file)


def _is_whole(path: Path, files: Mapping[str, tuple[int, int]], stamps: Mapping[str, str]) -> bool:
    """Whether the files are those that were written; in a project that was copied all are read to know it."""
    try:
        if any(_size(path / name) != size for name, (size, _) in files.items()):
            return False
        doubtful = {name: files[name] for name in files if stamps.get(name) != _stamp(path / name)}
        return not damaged_among(path, doubtful)
    except OSError:  # swept by a writer meanwhile, or unreadable
        return False


def _stamp(path: Path) -> str:
    """Changes with every writing to the file; not with another name of it, as handing on makes."""
    stat = path.stat()
    return f"{stat.st_mtime_ns} {stat.st_ino}"


def _checksum(path: Path) -> int:
    """CRC-32: it tells damage, not forgery."""
    checksum = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            checksum = zlib.crc32(piece, checksum)
    return checksum


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _sweep(folder: Path, keep: str) -> None:
    """Removes other generations. Where one is still mapped (Windows), the next publish gets it."""
    for entry in folder.iterdir():
        if entry.name in (keep, _CURRENT):
            continue
        if entry.is_dir() and not entry.is_symlink():
            import shutil

            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
