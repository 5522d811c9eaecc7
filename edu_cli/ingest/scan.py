"""Paths -> files worth loading, each with its stat, and what is left out, with the reason. Never waits on a pipe."""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from edu_cli.errors import UsageError
from edu_cli.ingest import SKIPPED_FOLDERS
from edu_cli.ingest.sniff import reason_to_skip
from edu_cli.ingest.suffixes import FORMAT_OF_SUFFIX, REASON_OF_SUFFIX, suffix_of

_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"})
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # nothing lies there; any other error may hide what does


class FoundFile(NamedTuple):
    """A file to load. `rel` is its path below the folder scanned, with `/`, always valid Unicode (see `shown`)."""

    location: str
    rel: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def path(self) -> Path:
        """Where it is read; bytes of its name that are no UTF-8 are kept as surrogates."""
        return Path(self.location)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is left out, and why."""

    rel: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The lists are in the order of `rel`, whatever order the file system gives.

    `unseen` are folders and files that could not be looked at (no permission, a broken disk).
    """

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]
    unseen: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class _Walk:
    """A folder to list: where it is, how it is shown, and where it really lies (other than `location` below a link)."""

    location: str
    rel: str
    real: str


@dataclass(frozen=True, slots=True)
class _Link:
    location: str
    rel: str


class _Scanner:
    def __init__(self) -> None:
        self.files: list[FoundFile] = []
        self.skipped: list[Skipped] = []
        self.unseen: list[Skipped] = []
        self.links: deque[_Link] = deque()
        self.folders: set[str] = set()  # real paths of the folders listed
        self.real_files: dict[str, str] = {}  # real path -> rel, of all files met

    def walk(self, start: _Walk) -> None:
        """Lists `start` and the folders below it; links are put off until every real file is known."""
        todo = [start]
        while todo:
            folder = todo.pop()
            if folder.real in self.folders:
                self.skip(folder.rel, "a folder that is read already")
                continue
            self.folders.add(folder.real)
            todo.extend(self._list(folder))

    def _list(self, folder: _Walk) -> Iterator[_Walk]:
        try:
            with os.scandir(folder.location) as entries:
                listed = list(entries)
        except OSError as error:
            self.miss(folder.rel, error, "the folder cannot be listed")
            return
        for entry in listed:
            rel = f"{folder.rel}/{entry.name}" if folder.rel else entry.name
            try:
                if entry.is_symlink():
                    self.links.append(_Link(entry.path, rel))
                elif entry.is_dir(follow_symlinks=False):
                    if reason := _folder_reason(entry.name):
                        self.skip(rel, reason)
                    else:
                        yield _Walk(entry.path, rel, f"{folder.real}/{entry.name}")
                else:
                    self.add(entry.path, entry.name, rel, entry.stat(follow_symlinks=False), folder.real)
            except OSError as error:
                self.miss(rel, error, "it cannot be read")

    def add(
        self, location: str, name: str, rel: str, info: os.stat_result, real_folder: str, *, is_named: bool = False
    ) -> None:
        """A file that was `is_named` by the user is only left out where it cannot be read at all."""
        reason = _kind_reason(info.st_mode)
        if not reason and not is_named:
            reason = _name_reason(name) or _content_reason(location, name, info.st_size)
        if reason:
            self.skip(rel, reason)
            return
        self.real_files[f"{real_folder}/{name}"] = rel
        self.files.append(
            FoundFile(location, shown(rel), info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
        )

    def skip(self, rel: str, reason: str) -> None:
        self.skipped.append(Skipped(shown(rel), reason))

    def miss(self, rel: str, error: OSError, reason: str) -> None:
        """What `error` kept from being looked at; what went away meanwhile is only skipped."""
        listed = self.skipped if error.errno in _GONE else self.unseen
        listed.append(Skipped(shown(rel), f"{reason} ({error.strerror})"))

    def follow_links(self) -> None:
        """Links in order of their names: a file or folder that is met anyhow, or was met before, is not read twice."""
        while self.links:
            batch = sorted(self.links, key=lambda link: link.rel)
            self.links.clear()
            for link in batch:
                self._follow(link)

    def _follow(self, link: _Link) -> None:
        name = link.rel.rsplit("/", 1)[-1]
        try:
            real = os.path.realpath(link.location, strict=True)
            info = os.stat(real)  # noqa: PTH116 - names here may be no UTF-8 and stay plain strings
        except OSError as error:
            if error.errno not in _GONE:
                self.miss(link.rel, error, "the symbolic link cannot be followed")
                return
            self.skip(link.rel, "a symbolic link to itself" if error.errno == errno.ELOOP else "a broken symbolic link")
            return
        if not stat.S_ISDIR(info.st_mode):
            if real in self.real_files:
                self.skip(link.rel, f"a symbolic link to {shown(self.real_files[real])}, which is read there")
            else:
                self.add(link.location, name, link.rel, info, os.path.dirname(real))  # noqa: PTH120 - see above
                self.real_files.setdefault(real, link.rel)
        elif reason := _folder_reason(name):
            self.skip(link.rel, reason)
        elif real in self.folders or any(folder.startswith(real.rstrip("/") + "/") for folder in self.folders):
            self.skip(link.rel, "a symbolic link to a folder that is read already")
        else:
            self.walk(_Walk(link.location, link.rel, real))


def scan(path: Path) -> ScanResult:
    """The files at or below `path`; only stats are read, besides the first bytes of files whose name tells nothing.

    Hidden files and folders, system files, locks, archives, programs, media, pipes, devices and links that lead nowhere
    or to what is read anyhow are skipped and told. Raises UsageError where `path` does not exist.
    """
    location = os.fspath(path)
    try:
        info = path.stat()
    except OSError as error:
        raise UsageError(
            f"{shown(location)} cannot be read: {(error.strerror or 'unknown error').lower()}.",
            hint="name an existing file or folder",
        ) from error
    scanner = _Scanner()
    if stat.S_ISDIR(info.st_mode):
        scanner.walk(_Walk(location, "", os.path.realpath(location)))
        scanner.follow_links()
    else:
        scanner.add(location, path.name, path.name, info, "", is_named=True)
    return ScanResult(
        tuple(sorted(scanner.files, key=lambda found: found.rel)), _sorted(scanner.skipped), _sorted(scanner.unseen)
    )


def _sorted(skipped: list[Skipped]) -> tuple[Skipped, ...]:
    return tuple(sorted(skipped, key=lambda one: (one.rel, one.reason)))


def shown(name: str) -> str:
    r"""`name` as valid Unicode: bytes that are no UTF-8 as `\xNN`, the rest verbatim."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return name


def _folder_reason(name: str) -> str:
    if name.startswith("."):
        return "a hidden folder"
    return "a folder of tools, not of documents" if name.casefold() in SKIPPED_FOLDERS else ""


def _name_reason(name: str) -> str:
    if name[0] not in "~.TtDdEeIi":  # none of the names below: the rule for almost every file
        return ""
    if name.startswith(("~$", ".~lock.", "._")):
        return "a lock or shadow file of an office program"
    if name.startswith("."):
        return "a hidden file"
    return "a file of the operating system" if name.casefold() in _SYSTEM_NAMES else ""


def _kind_reason(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    kinds = ((stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((kind for test, kind in kinds if test(mode)), "a device")


def _content_reason(location: str, name: str, size: int) -> str:
    """Why a file is no document, judged by its name, and by its first bytes where the name tells nothing."""
    suffix = suffix_of(name)
    kind = FORMAT_OF_SUFFIX.get(suffix)
    if kind:
        return "an empty file" if size == 0 and kind == "code" else ""
    if suffix in REASON_OF_SUFFIX:
        return REASON_OF_SUFFIX[suffix]
    return "an empty file of an unknown kind" if size == 0 else reason_to_skip(Path(location))
