"""An iterator that runs ahead of its consumer in a thread, so that loading and splitting overlap with encoding."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
_PATIENCE_S = 1.0  # a file that is being loaded may take minutes; its worker is ended by whoever owns the pool


class Ahead(Generic[T]):
    """The items of a generator, in order, at most `most` of them made before they are asked for.

    It starts at once. What the generator raises is raised by the iteration, after what came before it. Leaving the
    context stops it, wherever it is.
    """

    def __init__(self, items: Callable[[], Generator[T, None, None]], most: int) -> None:
        self._ready: queue.Queue[tuple[T, ...] | BaseException | None] = queue.Queue(most)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._produce, args=(items,), name="edu-ahead", daemon=True)
        self._thread.start()

    def __enter__(self) -> Ahead[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(_PATIENCE_S)

    def __iter__(self) -> Iterator[T]:
        while True:
            entry = self._ready.get()
            if entry is None:
                return
            if isinstance(entry, BaseException):
                raise entry
            yield entry[0]

    def _produce(self, items: Callable[[], Generator[T, None, None]]) -> None:
        source = items()
        try:
            for item in source:
                if not self._put((item,)):
                    return
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the consumer's thread
            self._put(error)
        finally:
            source.close()

    def _put(self, entry: tuple[T, ...] | BaseException | None) -> bool:
        while not self._stop.is_set():
            try:
                self._ready.put(entry, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False
