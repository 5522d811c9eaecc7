"""The child of `LoadPool`: reads pickled paths from stdin and answers each on stdout, until stdin ends."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from edu_cli.ingest.options import LoadOptions, PictureReader, PictureText
from edu_cli.ingest.workers.pool import timed
from edu_cli.ingest.workers.worker import OptionsFactory, send

_GRACE_S = 2.0


def main() -> None:
    """Answers until the parent is gone, even when it went without a word."""
    answers = _take_stdout()
    _limit_memory(int(sys.argv[1]))
    signal.signal(signal.SIGTERM, _leave)
    inbox: queue.SimpleQueue[Path | OptionsFactory] = queue.SimpleQueue()
    threading.Thread(target=_fill, args=(sys.stdin.buffer, inbox), daemon=True).start()
    factory = inbox.get()
    assert not isinstance(factory, Path)  # noqa: S101 - the parent's first message
    options = _telling(factory(), answers)
    send(answers, None)  # ready
    while True:
        path = inbox.get()
        if isinstance(path, Path):
            send(answers, timed(path, options))


class _TellingPictures:
    """Tells the parent after each picture that something goes on: a deck of a hundred pictures takes minutes."""

    def __init__(self, reader: PictureReader, answers: BinaryIO) -> None:
        self._reader = reader
        self._answers = answers

    def read(self, data: bytes) -> PictureText:
        """As the reader's own."""
        try:
            return self._reader.read(data)
        finally:
            send(self._answers, None)


def _telling(options: LoadOptions, answers: BinaryIO) -> LoadOptions:
    if options.pictures is None:
        return options
    return replace(options, pictures=_TellingPictures(options.pictures, answers))


def _take_stdout() -> BinaryIO:
    """The pipe to the parent, kept out of reach of libraries that print (MuPDF, OpenCV): those print into nothing."""
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    return answers


def _limit_memory(n_bytes: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # absent on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _fill(stream: BinaryIO, inbox: queue.SimpleQueue[Path | OptionsFactory]) -> None:
    """Takes in messages until the parent is gone or sends what cannot be understood; then this process ends."""
    try:
        while len(size := stream.read(8)) == 8:
            inbox.put(pickle.loads(stream.read(int.from_bytes(size, "big"))))  # noqa: S301 - our own parent's
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GRACE_S)
        os._exit(1)  # the main thread is deep inside a C library


def _leave(_signal: int, _frame: FrameType | None) -> None:
    # SystemExit runs the `finally` of whoever holds a child process of its own, such as LibreOffice.
    sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    finally:
        # Without the interpreter's own end, which would wait for the thread that reads stdin.
        os._exit(1)
