"""Where the two ends meet: a Unix socket in `.edu/` that only its owner may use."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edu_cli.errors import EduError

HAVE_SOCKETS = hasattr(socket, "AF_UNIX")
FDS = Path("/proc/self/fd")  # where a folder that is open has a short name
_LONGEST = 100  # bytes of a socket's name: Linux takes 107, macOS 103
_WAITING = 512  # connections that the kernel holds until they are taken


class NoSocketsError(EduError):
    """The system has no Unix sockets."""

    code = "no_sockets"


def connect(path: Path, timeout_s: float) -> socket.socket:
    """A connection to whoever listens at `path`. Raises OSError where nobody does."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        with _short_name(path) as name:
            connection.connect(name)
    except BaseException:
        connection.close()
        raise
    return connection


def listen(path: Path) -> socket.socket:
    """Listens at `path` in the place of whatever stands there: the caller holds the lock, so nobody uses that.

    Nobody can connect before the mode is set, since that takes `listen`. Raises OSError, NoSocketsError.
    """
    if not HAVE_SOCKETS:
        raise NoSocketsError("`edu serve` needs Unix sockets, which this system lacks.", hint="edu works without it")
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _short_name(path) as name:
            listener.bind(name)
        path.chmod(0o600)
        listener.listen(_WAITING)
    except BaseException:
        listener.close()
        raise
    return listener


def is_mine(connection: socket.socket) -> bool:
    """Whether the other end runs as this user; who plants a socket must not be sent a key."""
    return _peer_uid(connection) == os.geteuid()


def _peer_uid(connection: socket.socket) -> int:
    if hasattr(socket, "SO_PEERCRED"):
        return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    # BSD and macOS: LOCAL_PEERCRED (1) of SOL_LOCAL (0) gives a struct xucred: version, uid, groups
    return struct.unpack_from("=II", connection.getsockopt(0, 1, 76))[1]


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name for `path` that a socket's address has room for, however deep the project lies."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if (FDS / str(folder)).exists():
            yield f"{FDS}/{folder}/{path.name}"
            return
        here = os.open(".", os.O_RDONLY)
        try:
            os.fchdir(folder)
            yield path.name
        finally:
            os.fchdir(here)
            os.close(here)
    finally:
        os.close(folder)
