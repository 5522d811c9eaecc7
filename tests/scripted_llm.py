"""A chat server that plays a script over real HTTP, and a ChatModel that plays one without."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from edu_cli.errors import ChatError
from edu_cli.types import ChatReply, Message


@dataclass
class Reply:
    """One scripted reply: a completion's `text` (streamed where asked for), or raw bytes with a status."""

    text: str | None = None
    finish: str | None = "stop"
    status: int = 200
    body: str | None = None
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    sse: list[str] | None = None
    delay: float = 0.0
    drop: bool = False


@dataclass
class ScriptedServer:
    """Where the server listens and what it was asked, in order."""

    url: str
    requests: list[dict[str, Any]]


class _QuietServer(ThreadingHTTPServer):
    """A client that hung up is part of the script, and no traceback on stderr."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def scripted_server(*script: Reply) -> Iterator[ScriptedServer]:
    """Serves the replies in order on 127.0.0.1; the last one repeats."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._play({"path": self.path})

        def do_POST(self) -> None:
            self._play(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _play(self, asked: dict[str, Any]) -> None:
            reply = script[min(len(requests), len(script) - 1)]
            requests.append(asked)
            time.sleep(reply.delay)
            if reply.drop:
                self.close_connection = True
                self.connection.close()
                return
            self._send(*_sent(reply, stream=bool(asked.get("stream"))))

        def _send(self, status: int, body: str, kind: str, headers: dict[str, str]) -> None:
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    server = _QuietServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield ScriptedServer(f"http://127.0.0.1:{server.server_port}/v1", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _sent(reply: Reply, *, stream: bool) -> tuple[int, str, str, dict[str, str]]:
    """Status, body, content type and headers of a reply."""
    if reply.sse is not None:
        return 200, "".join(reply.sse), "text/event-stream", {}
    if reply.body is not None:
        return reply.status, reply.body, reply.kind, reply.headers
    if stream:
        return 200, _as_events(reply), "text/event-stream", {}
    return 200, _as_completion(reply), "application/json", {}


def _as_completion(reply: Reply) -> str:
    choice = {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice], "usage": usage}
    )


def _as_events(reply: Reply) -> str:
    text = reply.text or ""
    deltas: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text[i : i + 3]}}]} for i in range(0, len(text), 3)
    ]
    deltas.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
    deltas.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}})
    return "".join(f"data: {json.dumps(d)}\n\n" for d in deltas) + "data: [DONE]\n\n"


class ScriptedChat:
    """A ChatModel that gives its replies in order (an error is raised), and keeps what it was asked."""

    def __init__(self, *replies: str | ChatError) -> None:
        self._replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    @property
    def model(self) -> str:
        return "scripted"

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        self.asked.append(tuple(messages))
        if not self._replies:
            raise AssertionError("the chat was called more often than scripted")
        reply = self._replies.pop(0)
        if isinstance(reply, ChatError):
            raise reply
        return ChatReply(reply, "scripted", 10, 5)

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        reply = self.complete(messages, temperature=temperature)
        yield from (reply.text[i : i + 2] for i in range(0, len(reply.text), 2))
        yield reply
