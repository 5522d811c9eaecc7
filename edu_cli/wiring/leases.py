"""Open things that several threads use and that are replaced while they do: none is closed under anybody's hands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class _Held(Generic[T]):
    """A thing in use by `users`; closed when it is retired and the last of them is done."""

    def __init__(self, thing: T, stack: ExitStack, state: object) -> None:
        self.thing = thing
        self.stack = stack
        self.state = state
        self.users = 0
        self.is_retired = False
        self.ends: float | None = None

    def is_fit(self, state: object) -> bool:
        return self.state == state and (self.ends is None or time.monotonic() < self.ends)


class Leases(Generic[T]):
    """At most `most` open things by key, the latest opened; one is opened anew when its state has changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[Hashable, _Held[T]] = {}
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self.n_opened = 0

    @contextmanager
    def lease(self, key: Hashable, state: object, open_it: Callable[[ExitStack], T]) -> Iterator[T]:
        """The thing for `key`, as long as the block lasts. `open_it` leaves what closes it on the stack.

        Raises what `open_it` raises.
        """
        held = self._found(key, state)
        if held is None:
            with self._opening:  # one opens, the others wait for it
                held = self._found(key, state) or self._open(key, state, open_it)
        try:
            yield held.thing
        finally:
            with self._lock:
                held.users -= 1
            self._close_unused(held)

    def retire(self, thing: T, after_s: float = 0.0) -> None:
        """The next lease after so many seconds opens another; this one is closed when nobody uses it any more."""
        with self._lock:
            for held in self._held.values():
                if held.thing is thing and held.ends is None:
                    held.ends = time.monotonic() + after_s

    def close(self) -> None:
        """Closes what nobody uses, and the rest when its last user is done."""
        with self._lock:
            leaving = list(self._held.values())
            self._held.clear()
        self._leave(leaving)

    def _found(self, key: Hashable, state: object) -> _Held[T] | None:
        with self._lock:
            held = self._held.get(key)
            if held is None or not held.is_fit(state):
                return None
            held.users += 1
            return held

    def _open(self, key: Hashable, state: object, open_it: Callable[[ExitStack], T]) -> _Held[T]:
        with ExitStack() as stack:
            held = _Held(open_it(stack), stack.pop_all(), state)
        held.users = 1
        with self._lock:
            self.n_opened += 1
            old = self._held.pop(key, None)
            self._held[key] = held
            leaving = [] if old is None else [old]
            while len(self._held) > self._most:
                leaving.append(self._held.pop(next(iter(self._held))))
        self._leave(leaving)
        return held

    def _leave(self, leaving: list[_Held[T]]) -> None:
        for held in leaving:
            with self._lock:
                held.is_retired = True
            self._close_unused(held)

    def _close_unused(self, held: _Held[T]) -> None:
        with self._lock:
            closes = held.is_retired and held.users == 0
        if closes:
            held.stack.close()  # a second call finds it empty
