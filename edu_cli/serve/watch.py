"""Watches over the connections whose requests are being worked on: gives up those whose end has gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from edu_cli.serve.connection import Connection

_LOOK_S = 0.2  # so long does work go on for somebody who has gone
_ALIVE_S = 2.0  # between signs of life


class Watch:
    """One thread for all connections; it sleeps while nothing is worked on."""

    def __init__(self) -> None:
        self._busy: dict[Connection, float] = {}
        self._some = threading.Condition()
        threading.Thread(target=self._run, daemon=True, name="watch").start()

    @contextmanager
    def over(self, connection: Connection) -> Iterator[None]:
        """Watches while a request is worked on."""
        with self._some:
            self._busy[connection] = time.monotonic()
            self._some.notify()
        try:
            yield
        finally:
            with self._some:
                del self._busy[connection]

    def _run(self) -> None:
        while True:
            with self._some:
                while not self._busy:
                    self._some.wait()
            time.sleep(_LOOK_S)
            with self._some:
                busy = list(self._busy.items())
            for connection, spoken in busy:
                self._look(connection, spoken)

    def _look(self, connection: Connection, spoken: float) -> None:
        if connection.has_gone():
            connection.cancel()
        elif time.monotonic() - spoken >= _ALIVE_S:
            connection.say_alive()
            with self._some:
                if connection in self._busy:
                    self._busy[connection] = time.monotonic()
