"""Who holds a Milvus Lite database: its lock is an flock, which names nobody."""

from __future__ import annotations

import os
from pathlib import Path


def holder_of(database: Path) -> str | None:
    """Of another process that holds the lock: ` (PID 12, edu ingest docs)`, "" where it has no name; None if free."""
    lock = database / "LOCK"
    if not lock.is_file() or not _is_held(lock):
        return None
    pid = _pid_in_proc(lock.stat().st_ino)
    if pid == os.getpid():
        return None
    return f" (PID {pid}{_command_of(pid)})" if pid else ""


def _is_held(lock: Path) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    with lock.open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _pid_in_proc(inode: int) -> int | None:
    """The PID that Linux lists for an flock on this inode."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        fields = line.split()
        if "FLOCK" in fields and "->" not in fields and fields[5].rsplit(":", 1)[-1] == str(inode):
            return int(fields[4]) if int(fields[4]) > 0 else None
    return None


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return ", " + " ".join(word.decode("utf-8", "replace") for word in words if word)[:120]
