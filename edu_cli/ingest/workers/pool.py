"""Files -> documents over worker processes: a file that crashes, hangs or swells its reader costs itself only."""

from __future__ import annotations

import os
import pickle
import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.load import is_light, load
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.workers.worker import Loaded, OptionsFactory, Worker
from edu_cli.types import Document

__all__ = ["LoadPool", "Loaded", "OptionsFactory", "timed"]

_LIGHT_BYTES = 2 * 2**20  # larger texts go to a worker as well
# A page of 100 megapixels or a document.xml of 100 MB fits; what grows past this would take the machine into swap.
_MEMORY_BYTES = 4 * 2**30


class LoadPool:
    """Loads files in the order given, at most a few ahead of what is consumed, so that memory stays flat.

    Small texts are read in this process, everything else in `jobs` worker processes that are started when first needed
    and live until `close`. A file is given up when none of its pictures is done for `timeout_s`. `options_factory` must
    be picklable: each process calls it once, so that an OCR engine is built once a worker.
    """

    def __init__(
        self, jobs: int, timeout_s: float, options_factory: OptionsFactory, *, memory_bytes: int = _MEMORY_BYTES
    ) -> None:
        if b"__main__" in pickle.dumps(options_factory):
            raise ValueError("options_factory must be importable, which nothing of __main__ is")
        self._jobs = max(1, jobs or _cores())
        self._timeout_s = timeout_s
        self._factory = options_factory
        self._options: LoadOptions | None = None
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()  # the one that is warm before one to be started
        self._workers = [Worker(options_factory, memory_bytes) for _ in range(self._jobs)]
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


def _cores() -> int:
    """Those that this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
