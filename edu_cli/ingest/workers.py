"""Files -> documents over worker processes: a file that crashes, hangs or swells its reader costs itself only."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from edu_cli.errors import LoadError
from edu_cli.ingest.load import is_light, load
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.types import Document

OptionsFactory = Callable[[], LoadOptions]

_LIGHT_BYTES = 2 * 2**20  # larger texts go to a worker as well
# A page of 100 megapixels or a document.xml of 100 MB fits; what grows past this would take the machine into swap.
_MEMORY_BYTES = 4 * 2**30
_GRACE_S = 2.0  # between asking a worker to end, so that it can end LibreOffice, and ending it


class Loaded(NamedTuple):
    """What became of one file; `seconds` is the time of its loading alone."""

    path: Path
    outcome: Document | LoadError
    seconds: float


class LoadPool:
    """Loads files in the order given, at most a few ahead of what is consumed, so that memory stays flat.

    Small texts are read in this process, everything else in `jobs` worker processes that are started when first needed
    and live until `close`. `options_factory` must be picklable: each process calls it once, so that an OCR engine is
    built once a worker.
    """

    def __init__(
        self, jobs: int, timeout_s: float, options_factory: OptionsFactory, *, memory_bytes: int = _MEMORY_BYTES
    ) -> None:
        self._jobs = max(1, jobs or os.cpu_count() or 1)
        self._timeout_s = timeout_s
        self._factory = options_factory
        self._options: LoadOptions | None = None
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._workers = [_Worker(options_factory, memory_bytes) for _ in range(self._jobs)]
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(self._jobs, thread_name_prefix="edu-load")

    def __enter__(self) -> LoadPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load_all(self, paths: Iterable[Path]) -> Iterator[Loaded]:
        """One result a path, in order. An abandoned iteration leaves the pool usable; `close` ends what still runs."""
        ahead: deque[Future[Loaded] | Path] = deque()
        source = iter(paths)
        limit = 4 * self._jobs + 4
        while True:
            while len(ahead) < limit and (path := next(source, None)) is not None:
                ahead.append(path if _is_light(path) else self._threads.submit(self._in_worker, path))
            if not ahead:
                return
            item = ahead.popleft()
            yield self._here(item) if isinstance(item, Path) else item.result()

    def close(self) -> None:
        """Ends the workers, whatever they are at. Safe to call twice."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.ask_to_stop()
        for worker in self._workers:
            worker.stop()

    def _here(self, path: Path) -> Loaded:
        if self._options is None:
            self._options = self._factory()
        return timed(path, self._options)

    def _in_worker(self, path: Path) -> Loaded:
        worker = self._idle.get()
        try:
            return worker.load(path, self._timeout_s)
        finally:
            self._idle.put(worker)


class _Worker:
    """One child process, started again after it died. Used by one thread at a time."""

    def __init__(self, factory: OptionsFactory, memory_bytes: int) -> None:
        self._factory = factory
        self._memory_bytes = memory_bytes
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False

    def load(self, path: Path, timeout_s: float) -> Loaded:
        start = time.perf_counter()
        timed_out = threading.Event()

        def give_up() -> None:
            timed_out.set()
            self._end()

        timer = threading.Timer(timeout_s, give_up)
        timer.daemon = True
        try:
            child = self._started()
            timer.start()
            send(cast("BinaryIO", child.stdin), path)
            loaded: Loaded = _receive(cast("BinaryIO", child.stdout))
            return loaded
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            timer.cancel()
            with contextlib.suppress(subprocess.TimeoutExpired):
                if self._child and not timed_out.is_set():
                    self._child.wait(_GRACE_S)  # it is on its way out: let it tell its own exit status
            self._end()
            error = self._verdict(path, timeout_s if timed_out.is_set() else None)
            return Loaded(path, error, time.perf_counter() - start)
        finally:
            timer.cancel()

    def ask_to_stop(self) -> None:
        """The first half of `stop`: all workers end side by side."""
        self._closed = True
        if self._child is not None:
            with contextlib.suppress(OSError):
                self._child.terminate()

    def stop(self) -> None:
        """Returns when the worker is gone."""
        self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise OSError("the pool is closed")
        if self._child is None or self._child.poll() is not None:
            # Its own session: Ctrl-C in a terminal goes to the parent alone, which then ends its workers in order.
            self._child = subprocess.Popen(  # noqa: S603 - this interpreter, a module of ours
                [sys.executable, "-m", "edu_cli.ingest.worker_process", str(self._memory_bytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            send(cast("BinaryIO", self._child.stdin), self._factory)
        return self._child

    def _end(self) -> None:
        child = self._child
        if child is None or child.poll() is not None:
            return
        with contextlib.suppress(OSError):
            child.terminate()
            try:
                child.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _verdict(self, path: Path, waited_s: float | None) -> LoadError:
        name = shown(path.name)
        if waited_s is not None:
            return LoadError(
                f"{name} took longer than {waited_s:g} seconds to load.",
                hint="raise ingest.timeout_s, or split the file",
                code="timeout",
            )
        status = self._child.returncode if self._child else None
        how = f"signal {signal.Signals(-status).name}" if status and status < 0 else f"exit status {status}"
        return LoadError(f"{name} brought its reader down ({how}).", hint="save it again, or convert it to PDF")


def timed(path: Path, options: LoadOptions) -> Loaded:
    """Loads in this process."""
    start = time.perf_counter()
    try:
        outcome: Document | LoadError = load(path, options)
    except LoadError as error:
        outcome = LoadError(error.message, hint=error.hint, code=error.code)  # without the chain, which may not pickle
    return Loaded(path, outcome, time.perf_counter() - start)


def _is_light(path: Path) -> bool:
    try:
        return is_light(path) and path.stat().st_size <= _LIGHT_BYTES
    except OSError:
        return True  # load() tells what is wrong with it


def send(stream: BinaryIO, value: object) -> None:
    """One message: its length in 8 bytes, then the pickled value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _receive(stream: BinaryIO) -> Loaded:
    size = stream.read(8)
    if len(size) < 8:
        raise EOFError
    return pickle.loads(stream.read(int.from_bytes(size, "big")))  # noqa: S301 - what our own child wrote
