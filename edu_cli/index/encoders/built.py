"""Files that are made once from the weights and kept in the cache folder, each ending with the checksum of the rest."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

_TAIL = 8  # bytes: CRC-32 of what stands before, then a mark
_MARK = b"EDU1"


def load_built(path: Path, build: Callable[[], bytes]) -> tuple[memoryview, str]:
    """The file's content, memory-mapped; built and written first where it is absent or damaged.

    The second value says why the file could not be kept ("" where it was): the content is good in either case.
    """
    content = _read(path)
    if content is not None:
        return content, ""
    made = build()
    try:
        _write(path, made)
    except OSError as error:
        return memoryview(made), f"{path} cannot be written ({error.strerror}); it is built anew in every run"
    return _read(path) or memoryview(made), ""


def _read(path: Path) -> memoryview | None:
    try:
        with path.open("rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # ValueError: an empty file cannot be mapped
        return None
    content, tail = whole[:-_TAIL], whole[-_TAIL:]
    return content if tail == _tail(content) else None


def _write(path: Path, content: bytes) -> None:
    """All or nothing: another process sees the old file or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.write(_tail(content))
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _tail(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little") + _MARK
