"""JSON-RPC to an MCP server: over the pipes of a process (stdio), or by POST (streamable HTTP)."""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPResponse
from typing import Any, Protocol

from edu_cli.ask.web.http import MOST_BYTES, TIMEOUT_S, checked_address, exchange, host_of
from edu_cli.errors import ConfigError, WebError

_START_S = 60.0  # a server that is fetched and started by npx or uvx takes its time
_SECRETS = ("EDU_", "OPENAI_")  # ours, and no business of a search server


class Transport(Protocol):
    """One connection. `version` is the protocol that the server chose, told to it over HTTP."""

    version: str

    @property
    def name(self) -> str:
        """The server, as messages name it."""
        ...

    def send(self, message: Mapping[str, Any], *, answered: bool) -> Mapping[str, Any]:
        """Sends a request and gives the message that answers it; {} for a notification. Raises WebError."""
        ...

    def close(self) -> None:
        """Ends the connection; it never raises."""
        ...


class HttpTransport:
    """Streamable HTTP: each message is a POST, answered by JSON or by a stream of events."""

    def __init__(self, url: str, token: str) -> None:
        self._url = checked_address(url, "ask.web_mcp")
        self._token = token
        self._session = ""
        self.version = ""

    @property
    def name(self) -> str:
        """Where the server is."""
        return host_of(self._url)

    def send(self, message: Mapping[str, Any], *, answered: bool) -> Mapping[str, Any]:
        """As Transport.send."""
        with exchange(self._url, self._headers(), json.dumps(message).encode()) as reply:
            self._session = reply.headers.get("Mcp-Session-Id") or self._session
            if not answered:
                return {}
            kind = reply.headers.get("Content-Type", "")
            found = _events(reply) if "event-stream" in kind else iter([_json(reply.read(MOST_BYTES), self.name)])
            for item in found:
                if item.get("id") == message["id"] and ("result" in item or "error" in item):
                    return item
        raise WebError(f"The MCP server at {self.name} did not answer {message['method']}.", hint="see its own log")

    def close(self) -> None:
        """Ends the session; a server that does not know how may refuse."""
        if self._session:
            try:
                with exchange(self._url, self._headers(), method="DELETE"):
                    pass
            except WebError:
                pass
            self._session = ""

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        return headers


class StdioTransport:
    """A server that is started here and speaks JSON lines; what it writes to stderr is kept for its errors."""

    def __init__(self, command: str) -> None:
        try:
            self._args = shlex.split(command)
        except ValueError as error:
            raise ConfigError(f"ask.web_mcp is no command: {error}.", hint="quote it as for a shell") from None
        self.version = ""
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._said: list[str] = []
        self._process = self._start()
        self._wait_s = _START_S

    @property
    def name(self) -> str:
        """The program's name."""
        return os.path.basename(self._args[0])  # noqa: PTH119 - of either system's separators

    def send(self, message: Mapping[str, Any], *, answered: bool) -> Mapping[str, Any]:
        """As Transport.send; requests of the server's own (ping, roots, …) are answered on the way."""
        self._write(message)
        until = time.monotonic() + self._wait_s
        while answered:
            item = self._next(until, str(message["method"]))
            if "method" in item and "id" in item:
                self._write(_reply_to(item))
            elif item.get("id") == message["id"]:
                self._wait_s = TIMEOUT_S
                return item
        return {}

    def close(self) -> None:
        """Closes its input, as the protocol asks for, and ends it where it does not go by itself."""
        process = self._process
        try:
            if process.stdin:
                process.stdin.close()
        except OSError:
            pass  # it has gone already
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        if not self._args:
            raise ConfigError("ask.web_mcp is empty.", hint="an address, or a command that starts an MCP server")
        env = {name: value for name, value in os.environ.items() if not name.startswith(_SECRETS)}
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(self._args, stdin=pipe, stdout=pipe, stderr=pipe, env=env)  # noqa: S603
        except OSError as error:
            raise WebError(
                f"The MCP server {self._args[0]} cannot be started: {error.strerror}.", hint="check EDU_WEB_MCP"
            ) from None
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        while process.stdout and (line := process.stdout.readline(MOST_BYTES)):
            self._lines.put(line)
        self._lines.put(None)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        for line in process.stderr or ():
            self._said = [*self._said, line.decode("utf-8", "replace").strip()][-5:]

    def _write(self, message: Mapping[str, Any]) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._gone() from None

    def _next(self, until: float, method: str) -> Mapping[str, Any]:
        """The next message; lines that are none (servers that log to stdout) are passed over."""
        while True:
            try:
                line = self._lines.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                raise WebError(
                    f"The MCP server {self.name} did not answer {method} in time.", hint="see whether it runs by itself"
                ) from None
            if line is None:
                raise self._gone()
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                return value

    def _gone(self) -> WebError:
        self._process.wait(5)
        said = f": {' '.join(self._said)[-200:]}" if self._said else ""
        return WebError(
            f"The MCP server {self.name} ended with code {self._process.returncode}{said}.", hint="check EDU_WEB_MCP"
        )


def _reply_to(asked: Mapping[str, Any]) -> dict[str, Any]:
    """To a request of the server's: a ping is answered, we offer nothing else."""
    known = asked["method"] == "ping"
    outcome = {"result": {}} if known else {"error": {"code": -32601, "message": "not offered by this client"}}
    return {"jsonrpc": "2.0", "id": asked["id"], **outcome}


def _events(reply: HTTPResponse) -> Iterator[Mapping[str, Any]]:
    """The messages of an event stream; what is no JSON object is passed over."""
    data: list[str] = []
    left = MOST_BYTES
    while left > 0 and (raw := reply.readline(left)):
        left -= len(raw)
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            try:
                value = json.loads("\n".join(data))
            except ValueError:
                value = None
            data = []
            if isinstance(value, dict):
                yield value


def _json(raw: bytes, name: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise WebError(f"What answers at {name} is no MCP server.", hint="check EDU_WEB_MCP")
    return value
