"""The end of the wire in a command: an Asker whose work is done by the warm process."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edu_cli import __version__
from edu_cli.ask.request import AskRequest
from edu_cli.errors import EduError
from edu_cli.project import Project
from edu_cli.protocols import ScopeWish
from edu_cli.serve.asker import Show
from edu_cli.serve.failures import failure_of
from edu_cli.serve.frames import MOST_ANSWERED, PROTOCOL, WireError, receive, send
from edu_cli.serve.place import HAVE_SOCKETS, connect, is_mine
from edu_cli.serve.surroundings import difference, environment, sent_settings, starts_program
from edu_cli.serve.values import from_plain, to_plain
from edu_cli.settings import Settings
from edu_cli.types import Answer, Scope, SearchRequest, SearchResult

_GREETED_S = 2.0  # a process that is alive greets at once, whatever it works on
_SILENT_S = 30.0  # it says that it is alive every two seconds


class NotServedError(EduError):
    """No warm process that this command could use; the message tells why."""

    code = "not_served"


class ServerGoneError(EduError):
    """The warm process went away, or broke down, in the middle of a request."""

    code = "serve_gone"


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the warm process says of itself to whoever connects."""

    edu: str
    protocol: int
    pid: int
    root: str
    environment: dict[str, str]


class Link:
    """One connection; requests go over it one after the other."""

    def __init__(self, connection: socket.socket, greeting: Greeting) -> None:
        self._connection = connection
        self.greeting = greeting

    def call(self, op: str, show: Show | None = None, **asked: Any) -> Any:
        """The result of a request; pieces of text go to `show`.

        Raises what the other end raised, and ServerGoneError where it has gone, says nothing, or broke down.
        """
        try:
            send(self._connection, {"op": op, **asked})
            while True:
                message = receive(self._connection, MOST_ANSWERED)
                if message is None:
                    raise ServerGoneError("edu serve went away.")
                if "piece" in message and show:
                    show(str(message["piece"]))
                elif "result" in message:
                    return message["result"]
                elif "error" in message:
                    raise failure_of(message["error"])
                elif "broken" in message:
                    raise ServerGoneError(f"edu serve failed: {message['broken']}.")
        except (OSError, ValueError, WireError) as error:
            raise ServerGoneError(f"edu serve went away ({error or type(error).__name__}).") from error

    def close(self) -> None:
        """Closes the connection; what is being worked on for it is given up."""
        self._connection.close()


def reach(project: Project) -> Link:
    """A connection to the project's warm process. Raises NotServedError."""
    path = project.socket_path
    if not HAVE_SOCKETS or not path.exists():
        raise NotServedError("edu serve is not running")
    try:
        connection = connect(path, _GREETED_S)
    except ConnectionRefusedError as error:
        raise NotServedError("edu serve is not running (its socket is left over)") from error
    except OSError as error:
        raise NotServedError(f"edu serve cannot be reached ({error.strerror or error})") from error
    try:
        if not is_mine(connection):
            raise NotServedError("edu serve is run by another user")
        greeting = _greeting(connection, project)
        connection.settimeout(_SILENT_S)
        return Link(connection, greeting)
    except BaseException:
        connection.close()
        raise


def _greeting(connection: socket.socket, project: Project) -> Greeting:
    try:
        message = receive(connection, 1 << 16)
        if message is None:
            raise NotServedError("edu serve takes no more connections")
        if (message.get("edu"), message.get("protocol")) != (__version__, PROTOCOL):
            raise NotServedError(f"edu serve is version {message.get('edu')}, and this is {__version__}")
        greeting = from_plain(Greeting, message)
    except (OSError, ValueError, WireError) as error:
        raise NotServedError(f"edu serve does not answer ({error or type(error).__name__})") from error
    if Path(greeting.root) != project.root:
        raise NotServedError(f"edu serve was started for {greeting.root}")
    return greeting


class RemoteAsker:
    """protocols.Asker over a link. Raises what an Asker in this process would, and ServerGoneError."""

    def __init__(self, link: Link, *, may_ask: bool = True) -> None:
        self._link = link
        self._may_ask = may_ask

    def find_scope(self, wish: ScopeWish) -> Scope:
        """As Asker.find_scope."""
        flags = {"tenant": wish.tenant, "subject": wish.subject, "doc": wish.doc, "filters": to_plain(wish.filters)}
        return self._read(Scope, self._link.call("scope", **flags))

    def last_session(self, tenant: str) -> str | None:
        """As Asker.last_session."""
        return self._link.call("last_session", tenant=tenant)

    def search(self, request: SearchRequest) -> SearchResult:
        """As PassageSearch.search."""
        return self._read(SearchResult, self._link.call("search", **to_plain(request)))

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """As Asker.encode."""
        return self._link.call("encode", texts=list(texts))

    def ask(self, request: AskRequest, show: Show | None = None) -> Answer:
        """As Asker.ask."""
        if not self._may_ask:
            raise ServerGoneError("The configured web search is a program of this command's.")
        asked = {"request": to_plain(request), "streamed": show is not None}
        return self._read(Answer, self._link.call("ask", show, **asked))

    def _read(self, kind: Callable[..., Any], value: Any) -> Any:
        try:
            return from_plain(kind, value)  # type: ignore[arg-type]
        except ValueError as error:
            raise ServerGoneError(f"edu serve answered what is no {kind.__name__}.") from error


def open_remote(project: Project, settings: Settings) -> tuple[RemoteAsker, Link]:
    """The project's warm process, with the settings of this command. Raises NotServedError, ServerGoneError."""
    link = reach(project)
    try:
        other = difference(environment(os.environ), link.greeting.environment, settings)
        if other:
            raise NotServedError(f"edu serve was started with another {other}")
        link.call("settings", settings=sent_settings(settings))
    except BaseException:
        link.close()
        raise
    return RemoteAsker(link, may_ask=not starts_program(settings)), link
