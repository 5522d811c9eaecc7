"""The warm process: takes connections, and leaves when it is told to, when it is idle, or when its project is gone."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

from edu_cli import __version__
from edu_cli.errors import LockedError, StoreError
from edu_cli.index.lock import holder, writer_lock
from edu_cli.project import Project
from edu_cli.serve.connection import Connection, Warm
from edu_cli.serve.frames import PROTOCOL
from edu_cli.serve.place import is_mine, listen
from edu_cli.serve.surroundings import environment
from edu_cli.serve.tally import Tally
from edu_cli.serve.watch import Watch

_MOST_CONNECTIONS = 128  # the next one is turned away, and its command works without
_LOOK_S = 5.0  # between looks whether the project is still there
_GRACE_S = 5.0  # for requests that are being worked on when the process is to leave


@contextmanager
def only_server(project: Project) -> Iterator[None]:
    """Holds the project's place of the warm process. Raises LockedError where another process has it."""
    path = project.serve_lock_path
    with ExitStack() as stack:
        try:
            stack.enter_context(writer_lock(path, 0.0, lambda _: None))
        except LockedError as error:
            raise LockedError(
                f"{project.root} is served already ({holder(path) or 'by a process that is just leaving'}).",
                hint="`edu serve status` tells more, `edu serve stop` ends it",
            ) from error
        yield


class Server:
    """Serves one project. `idle_exit_s` 0 stays for ever; `log` is given a line for each request, `alarm` faults."""

    def __init__(
        self,
        project: Project,
        warm: Warm,
        *,
        idle_exit_s: float,
        log: Callable[[str], None],
        alarm: Callable[[str], None],
    ) -> None:
        self.warm = warm
        self.tally = Tally()
        self.log = log
        self.alarm = alarm
        self._project = project
        self._environment = environment(os.environ)
        self._idle_exit_s = idle_exit_s
        self._watch = Watch()
        self._connections: set[Connection] = set()
        self._lock = threading.Lock()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._stopping = False

    def run(self, ready: Callable[[], None]) -> str:
        """Serves until the end, and says why it came; `ready` is called once when connections are taken.

        Call it from the main thread, as the holder of `only_server`. Raises StoreError, NoSocketsError.
        """
        try:
            listener = listen(self._project.socket_path)
        except OSError as error:
            raise StoreError(
                f"{self._project.socket_path} cannot be made: {error.strerror or error}.",
                hint=f"check that you may write to {self._project.state}",
            ) from error
        with listener, self._signals():
            mine = self._inode()
            try:
                ready()
                return self._take(listener, mine)
            finally:
                if self._inode() == mine:
                    self._project.socket_path.unlink(missing_ok=True)
                self._leave()

    def facts(self) -> dict[str, Any]:
        """What `edu serve status` shows."""
        return {
            "pid": os.getpid(),
            "version": __version__,
            "project": str(self._project.root),
            "socket": str(self._project.socket_path),
            "idle_exit_minutes": round(self._idle_exit_s / 60, 3) or None,
            **self.tally.facts(),
            **self.warm.facts(),
        }

    def stop(self) -> None:
        """Lets the process leave; safe in threads and signal handlers."""
        self._stopping = True
        with suppress(BlockingIOError):  # it is awake already
            self._wake.send(b"x")

    def watched(self, connection: Connection) -> AbstractContextManager[None]:
        """Watches over a connection while a request of it is worked on."""
        return self._watch.over(connection)

    def _take(self, listener: socket.socket, mine: int | None) -> str:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while not self._stopping:
            for number, _ in poll.poll(self._patience_s() * 1000):
                if number == listener.fileno():
                    self._begin(listener.accept()[0])
            if self._inode() != mine:
                return "the project is gone"
            if self._idle_exit_s and self.tally.idle_s >= self._idle_exit_s:
                return "idle"
        return "stopped"

    def _patience_s(self) -> float:
        if not self._idle_exit_s:
            return _LOOK_S
        return min(_LOOK_S, max(0.05, self._idle_exit_s - self.tally.idle_s))

    def _begin(self, connection: socket.socket) -> None:
        with self._lock:
            is_full = len(self._connections) >= _MOST_CONNECTIONS
        if is_full or not is_mine(connection):
            connection.close()
            self.log("a connection was turned away: " + ("there are too many" if is_full else "it is another user's"))
            return
        threading.Thread(
            target=self._serve, args=(Connection(connection, self),), daemon=True, name="connection"
        ).start()

    def _serve(self, connection: Connection) -> None:
        with self._lock:
            self._connections.add(connection)
        try:
            connection.serve(
                {
                    "edu": __version__,
                    "protocol": PROTOCOL,
                    "pid": os.getpid(),
                    "root": str(self._project.root),
                    "environment": self._environment,
                }
            )
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _leave(self) -> None:
        """Lets running requests end for a while, then gives them up."""
        until = time.monotonic() + _GRACE_S
        while self.tally.active and time.monotonic() < until:
            time.sleep(0.05)
        with self._lock:
            left = list(self._connections)
        for connection in left:
            connection.cancel()

    def _inode(self) -> int | None:
        try:
            return self._project.socket_path.stat().st_ino
        except OSError:
            return None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C, SIGTERM and a closed terminal let the process leave in order."""

        def leave(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        in_main = threading.current_thread() is threading.main_thread()  # Python sets handlers nowhere else
        wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if in_main else ()
        before = [signal.signal(number, leave) for number in wanted]
        try:
            yield
        finally:
            for number, handler in zip(wanted, before, strict=True):
                signal.signal(number, handler)
