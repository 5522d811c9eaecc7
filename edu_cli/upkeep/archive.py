"""The file of a backup: a zip whose first entry, `backup.json`, names the others with their sizes and SHA-256.

A file from elsewhere is not trusted: only the names below are ever written, nothing outside the folder that is asked
for, and never more than was announced.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from edu_cli.errors import StoreError, UsageError
from edu_cli.protocols import Progress

FORMAT = 1
CATALOG, VECTORS, SETTINGS = "catalog.sqlite", "vectors.sqlite", "edu.toml"
_ABOUT = "backup.json"
_MOST_ABOUT_BYTES = 2**20
_PIECE = 2**20
_STAGE = "pack, MB"
# what zipfile raises for bytes that are no zip, or no longer the one that was written
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,
    OverflowError,
    RecursionError,
)
_PROMPT = re.compile(r"prompts/[A-Za-z0-9_-]{1,64}\.md")
_DICTIONARY = re.compile(r"(?:\w[\w .-]{0,100}/){0,8}\w[\w .-]{0,100}\.(?:txt|dict)")


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What a backup says of itself: when it was made, facts of the project, and its entries by size and SHA-256."""

    created: str
    facts: Mapping[str, Any]
    files: Mapping[str, tuple[int, str]]


def may_be_kept(name: str) -> bool:
    """Whether a file of the project may go into a backup, and come out of one, under this name.

    Nothing hidden, absolute or above the project, and nothing that a program would run or read its settings from but
    `edu.toml`: prompts, and a user dictionary (.txt, .dict).
    """
    if name in (CATALOG, VECTORS, SETTINGS) or _PROMPT.fullmatch(name):
        return True
    plain = all(part.strip(". ") == part for part in name.split("/"))
    return plain and _DICTIONARY.fullmatch(name) is not None


def write_archive(
    target: Path, files: Mapping[str, Path], facts: Mapping[str, Any], created: str, progress: Progress | None = None
) -> int:
    """Writes the backup beside `target` and renames it, so that there is a whole one or none; its size in bytes.

    Only its owner may read it, since it holds conversations. Raises StoreError.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        about = {
            "format": FORMAT,
            "created": created,
            "facts": dict(facts),
            "files": {name: {"bytes": path.stat().st_size, "sha256": _sha256(path)} for name, path in files.items()},
        }
        with draft.open("xb") as raw:
            draft.chmod(0o600)
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                archive.writestr(_ABOUT, json.dumps(about, ensure_ascii=False, indent=1))
                _pack(archive, files, progress)
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(target)
        return target.stat().st_size
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written: {error.strerror or error}.", hint="choose another place, or make room there"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _pack(archive: zipfile.ZipFile, files: Mapping[str, Path], progress: Progress | None) -> None:
    """Adds the files a piece at a time, of which each is shown as done."""
    if progress:
        progress.start(_STAGE, sum(-(-path.stat().st_size // _PIECE) for path in files.values()))
    for name, path in files.items():
        with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as packed:
            while piece := source.read(_PIECE):
                packed.write(piece)
                if progress:
                    progress.advance(_STAGE)


def read_contents(path: Path) -> BackupContents:
    """What the backup holds, its names checked. Raises UsageError for what is none, StoreError for a damaged one."""
    with _opened(path) as archive:
        return _contents(path, archive)


def extract(path: Path, folder: Path) -> BackupContents:
    """Unpacks the backup into the empty `folder`. Raises as `read_contents`, and StoreError where the room is short.

    Each file must have the size and the SHA-256 that the backup announces.
    """
    with _opened(path) as archive:
        contents = _contents(path, archive)
        needed = sum(size for size, _ in contents.files.values())
        if needed > shutil.disk_usage(folder).free:
            what = f"{path} needs {needed / 2**20:,.0f} MB, which {folder.parent} has not free."
            raise StoreError(what, hint="make room there, or choose another place with --project DIR")
        for name, (size, sha256) in contents.files.items():
            target = folder / name
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, target.open("xb") as out:
                    found = _copy(source, out, size)
            except _DAMAGE as error:
                raise _damaged(path, name) from error
            except OSError as error:
                what = f"{target} cannot be written: {error.strerror or error}."
                raise StoreError(what, hint="make room on the disk; nothing was restored") from error
            if found != (size, sha256):
                raise _damaged(path, name)
        return contents


def _opened(path: Path) -> zipfile.ZipFile:
    if not path.is_file():
        raise UsageError(f"{path} is no file.", hint="name a file that `edu backup` made")
    try:
        return zipfile.ZipFile(path)
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror or error}."
        raise StoreError(what, hint="check that you may read it") from error
    except _DAMAGE as error:
        raise UsageError(
            f"{path} is no backup of edu, or is cut off.", hint="name a file that `edu backup` made"
        ) from error


def _contents(path: Path, archive: zipfile.ZipFile) -> BackupContents:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if _ABOUT not in names or archive.getinfo(_ABOUT).file_size > _MOST_ABOUT_BYTES:
        raise UsageError(f"{path} is no backup of edu.", hint="name a file that `edu backup` made")
    try:
        about = json.loads(archive.read(_ABOUT))
        version = int(about["format"])
        files = {str(name): (int(f["bytes"]), str(f["sha256"])) for name, f in about["files"].items()}
        created, facts = str(about["created"]), dict(about["facts"])
    except (*_DAMAGE, KeyError, TypeError, AttributeError, OSError) as error:
        raise _damaged(path, _ABOUT) from error
    if version > FORMAT:
        raise UsageError(
            f"{path} has format {version}, and this edu knows formats up to {FORMAT}.",
            hint="update edu: pip install -U edu-cli",
        )
    refused = [name for name in {*names, *files} if name != _ABOUT and not may_be_kept(name)]
    if refused:
        what = f"{path} holds {min(refused)!r}, which no backup of edu holds: nothing was restored."
        raise StoreError(what, hint="use another backup")
    methods = {entry.compress_type for entry in entries}
    if (
        sorted(names) != sorted([_ABOUT, *files])
        or CATALOG not in files
        or methods - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    ):
        raise _damaged(path, "its list of files")
    return BackupContents(created, facts, files)


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"{path} is damaged: {what} is not as it was written.", hint="use another backup")


def _copy(source: IO[bytes], out: IO[bytes], most: int) -> tuple[int, str]:
    """Size and SHA-256 of what was copied, which ends one piece past `most`."""
    digest, size = hashlib.sha256(), 0
    while size <= most and (piece := source.read(_PIECE)):
        out.write(piece)
        digest.update(piece)
        size += len(piece)
    return size, digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
