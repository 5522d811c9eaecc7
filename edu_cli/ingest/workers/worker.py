"""One child process that loads files, seen from its parent; the messages between the two."""

from __future__ import annotations

import contextlib
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.types import Document

OptionsFactory = Callable[[], LoadOptions]

_START_S = 120.0  # a cold disk and a busy machine
_GRACE_S = 2.0  # between asking a child to end, so that it can end LibreOffice, and ending it


class Loaded(NamedTuple):
    """What became of one file; `seconds` is the time of its loading alone."""

    path: Path
    outcome: Document | LoadError
    seconds: float


class Worker:
    """A child process, started when first needed and again after it died. Used by one thread at a time."""

    def __init__(self, factory: OptionsFactory, memory_bytes: int) -> None:
        self._factory = factory
        self._memory_bytes = memory_bytes
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False

    def load(self, path: Path, silence_s: float) -> Loaded:
        """What the child makes of a file. It is ended when no picture, and not the file, is done in `silence_s`."""
        start = time.perf_counter()
        watch: _Watch | None = None
        try:
            child = self._started()
            watch = _Watch(child, silence_s)
            send(cast("BinaryIO", child.stdin), path)
            while (loaded := _receive(cast("BinaryIO", child.stdout))) is None:
                watch.rewind()
            return loaded
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            error = self._verdict(path, watch)
            return Loaded(path, error, time.perf_counter() - start)
        finally:
            if watch:
                watch.stop()

    def ask_to_stop(self) -> None:
        """The first half of `stop`: all workers end side by side."""
        self._closed = True
        if self._child is not None:
            with contextlib.suppress(OSError):
                self._child.terminate()

    def stop(self) -> None:
        """Returns when the child is gone."""
        if self._child is not None:
            _end(self._child)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise OSError("the pool is closed")
        if self._child is None or self._child.poll() is not None:
            # Its own session: Ctrl-C in a terminal goes to the parent alone, which then ends its workers in order.
            self._child = subprocess.Popen(  # noqa: S603 - this interpreter, a module of ours
                [sys.executable, "-m", "edu_cli.ingest.workers.process", str(self._memory_bytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            send(cast("BinaryIO", self._child.stdin), self._factory)
            starting = _Watch(self._child, _START_S)
            try:
                _receive(cast("BinaryIO", self._child.stdout))  # its sign that it has started
            finally:
                starting.stop()
        return self._child

    def _verdict(self, path: Path, watch: _Watch | None) -> LoadError:
        name = shown(path.name)
        if watch is not None and watch.has_fired:
            self.stop()  # the next file needs a child that is not dying
            return LoadError(
                f"{name} was given up after {watch.silence_s:g} seconds without progress.",
                hint="raise ingest.timeout_s, or split the file",
                code="timeout",
            )
        if self._child is None:
            return LoadError(f"{name} was not loaded: its reader could not be started.", code="corrupt")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_GRACE_S)  # it is on its way out: let it tell its own exit status
        _end(self._child)
        status = self._child.returncode
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return LoadError(f"{name} brought its reader down ({how}).", hint="save it again, or convert it to PDF")


class _Watch:
    """Ends a child that is silent for too long."""

    def __init__(self, child: subprocess.Popen[bytes], silence_s: float) -> None:
        self.silence_s = silence_s
        self.has_fired = False
        self._child = child
        self._timer = self._begun()

    def rewind(self) -> None:
        """The child has spoken: the time starts anew."""
        self._timer.cancel()
        self._timer = self._begun()

    def stop(self) -> None:
        self._timer.cancel()

    def _begun(self) -> threading.Timer:
        timer = threading.Timer(self.silence_s, self._fire)
        timer.daemon = True
        timer.start()
        return timer

    def _fire(self) -> None:
        self.has_fired = True
        _end(self._child)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    with contextlib.suppress(OSError):
        child.terminate()
        try:
            child.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def send(stream: BinaryIO, value: object) -> None:
    """One message: its length in 8 bytes, then the pickled value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _receive(stream: BinaryIO) -> Loaded | None:
    """The next message of the child; None for a sign of life. Raises EOFError when it is gone."""
    size = stream.read(8)
    if len(size) < 8:
        raise EOFError
    return pickle.loads(stream.read(int.from_bytes(size, "big")))  # noqa: S301 - what our own child wrote
