"""Messages on the socket: four bytes of length, then that many bytes of JSON."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

from edu_cli.errors import EduError

PROTOCOL = 1  # of the messages: raise it when an older end would misread them
MOST_ASKED = 16 * 2**20  # bytes of a request: a scope of 100,000 documents has 4 MB
MOST_ANSWERED = 64 * 2**20
_LENGTH = struct.Struct(">I")


class WireError(EduError):
    """What came is no message: too long, cut off, or no JSON object."""

    code = "wire"


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Sends one message. Raises OSError where nobody listens any more."""
    body = json.dumps(message, default=_plain_number).encode("ascii")
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket, most_bytes: int) -> dict[str, Any] | None:
    """The next message, None where the other end has closed. Raises WireError, and OSError (also on a timeout)."""
    head = _exactly(connection, _LENGTH.size)
    if not head:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > most_bytes:
        raise WireError(f"A message of {length} bytes came; at most {most_bytes} are taken.")
    body = _exactly(connection, length)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WireError("A message came that is no JSON.") from error
    if not isinstance(message, dict):
        raise WireError("A message came that is no JSON object.")
    return message


def _exactly(connection: socket.socket, length: int) -> bytes:
    """So many bytes; none at all where the other end closed before the first. Raises WireError in the middle."""
    pieces, missing = [], length
    while missing:
        piece = connection.recv(min(missing, 1 << 20))
        if not piece:
            if missing == length:
                return b""
            raise WireError("A message was cut off.")
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def _plain_number(value: Any) -> Any:
    """A numpy number as Python's own; json asks for nothing else."""
    return value.item()
