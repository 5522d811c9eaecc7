"""One connection in the warm process: its requests one after the other, given up when the other end goes."""

from __future__ import annotations

import select
import socket
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from edu_cli.errors import EduError
from edu_cli.serve.asker import Asker
from edu_cli.serve.failures import failure_json
from edu_cli.serve.frames import MOST_ASKED, WireError, receive, send
from edu_cli.serve.requests import Work, parse
from edu_cli.serve.tally import Tally
from edu_cli.serve.values import from_plain
from edu_cli.settings import Settings

_STALLED_S = 30.0  # longest wait for the rest of a message, and for an end that does not read


class CancelledError(Exception):
    """Whoever asked has gone: raised where the work can be given up."""


class Warm(Protocol):
    """What the connections work on."""

    def asker(self, settings: Settings, check: Callable[[], None]) -> AbstractContextManager[Asker]:
        """An Asker with a command's own settings; `check` raises where its work should be given up."""
        ...

    def facts(self) -> Mapping[str, object]:
        """What it tells of itself in `edu serve status`: `opened`, how often an index was opened."""
        ...


class Host(Protocol):
    """What a connection needs of its process."""

    warm: Warm
    tally: Tally
    log: Callable[[str], None]  # a line for whoever watches the process
    alarm: Callable[[str], None]  # a fault of ours, told in any case

    def facts(self) -> dict[str, Any]:
        """What `edu serve status` shows."""
        ...

    def stop(self) -> None:
        """Lets the process leave."""
        ...

    def watched(self, connection: Connection) -> AbstractContextManager[None]:
        """Watches over a connection while a request of it is worked on."""
        ...


class Connection:
    """Serves one connection until its end; `serve` runs in a thread of its own."""

    def __init__(self, connection: socket.socket, host: Host) -> None:
        self._connection = connection
        self._host = host
        self._sending = threading.Lock()
        self._cancelled = threading.Event()
        self._settings: Settings | None = None
        connection.settimeout(_STALLED_S)

    def serve(self, greeting: Mapping[str, Any]) -> None:
        """Greets, then answers requests; a broken or hostile end loses its connection, nothing more."""
        with self._connection:
            try:
                self._send(dict(greeting))
                while self._wait() and (message := receive(self._connection, MOST_ASKED)) is not None:
                    self._answer(message)
            except (OSError, WireError, ValueError) as error:
                if not self._cancelled.is_set():
                    self._host.log(f"a connection was dropped: {error or type(error).__name__}")

    def check(self) -> None:
        """Raises CancelledError where the other end has gone."""
        if self._cancelled.is_set():
            raise CancelledError

    def cancel(self) -> None:
        """Gives up what is being worked on, and the connection."""
        self._cancelled.set()
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already

    def has_gone(self) -> bool:
        """Whether the other end has closed. Nothing is read: Python would wait for it, whatever the flags."""
        try:
            return bool(_poll(self._connection, 0, 0))  # what is always told is an error or a hang-up
        except (OSError, ValueError):
            return True

    def say_alive(self) -> None:
        """Tells the other end that its request is being worked on, where that does not have to wait."""
        if self._sending.acquire(blocking=False):
            try:
                if _poll(self._connection, select.POLLOUT, 0):
                    send(self._connection, {"alive": True})
            except (OSError, ValueError):
                self._cancelled.set()
            finally:
                self._sending.release()

    def _wait(self) -> bool:
        """For the next request, however long: a conversation may pause."""
        _poll(self._connection, select.POLLIN, None)
        return not self._cancelled.is_set()

    def _answer(self, message: dict[str, Any]) -> None:
        op = message.get("op")
        if op == "settings":
            self._settings = from_plain(Settings, message.get("settings"))
            self._send({"result": None})
        elif op == "status":
            self._send({"result": self._host.facts()})
        elif op == "stop":
            self._send({"result": None})
            self._host.stop()
        elif self._settings is None:
            raise WireError("a request came before the settings")
        else:
            work = parse(message)
            self._send(self._worked(str(op), work, self._settings))

    def _worked(self, op: str, work: Work, settings: Settings) -> dict[str, Any]:
        """The reply to a request: its result, or how it failed."""
        tally, start, failed = self._host.tally, time.perf_counter(), True
        tally.begin()
        try:
            with self._host.watched(self), self._host.warm.asker(settings, self.check) as asker:
                reply = {"result": work(asker, self._show)}
            failed = False
        except EduError as error:
            reply = {"error": failure_json(error)}
        except CancelledError:
            raise OSError(f"who asked has gone ({op})") from None
        except Exception as error:  # noqa: BLE001 - a fault in one request must not end the process
            self._host.alarm(traceback.format_exc())
            reply = {"broken": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        finally:
            seconds = time.perf_counter() - start
            tally.end(op, seconds, failed=failed)
            self._host.log(f"{op} {seconds * 1000:.1f} ms{' failed' if failed else ''}")
        return reply

    def _show(self, piece: str) -> None:
        self.check()
        try:
            self._send({"piece": piece})
        except OSError:
            self._cancelled.set()
            raise CancelledError from None

    def _send(self, message: dict[str, Any]) -> None:
        with self._sending:
            send(self._connection, message)


def _poll(connection: socket.socket, event: int, timeout_s: float | None) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(connection, event)
    return poll.poll(None if timeout_s is None else timeout_s * 1000)
