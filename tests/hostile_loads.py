"""Loading that goes wrong on purpose, for worker processes: what a file's text says is what its reader does."""

from __future__ import annotations

import os
import time

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions, PictureText
from edu_cli.types import Block

_HOLD: list[bytearray] = []


class HostilePictures:
    """A PictureReader that obeys the end of the picture's bytes: `crash`, `hang`, `swell`, `pid`, or any text."""

    def read(self, data: bytes) -> PictureText:
        order = data.rstrip(b"\0").rsplit(b"\0", 1)[-1].decode()
        if order == "crash":
            os.abort()
        elif order == "exit":
            os._exit(3)
        elif order == "hang":
            time.sleep(600)
        elif order == "swell":
            while True:
                _HOLD.append(bytearray(64 * 2**20))
        elif order == "slow":
            time.sleep(0.6)
        elif order == "print":
            os.write(1, b"noise on stdout\n" * 100)
        elif order == "raise":
            raise LoadError("a picture of the file is broken.")
        text = str(os.getpid()) if order == "pid" else f"图：{order}"
        return PictureText((Block("paragraph", text),), 1.0)


def hostile_options() -> LoadOptions:
    """The factory that workers are given."""
    return LoadOptions(pictures=HostilePictures())
