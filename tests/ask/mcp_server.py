"""An MCP search server in a few lines of its own, over stdio or HTTP, for tests of the client.

`python mcp_server.py BEHAVIOUR` speaks JSON lines; `http_server(BEHAVIOUR)` serves the same by POST.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PAGE = {"title": "暗反应", "url": "https://e.org/leaf", "content": "光合作用的暗反应发生在叶绿体基质中。"}
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "count": {"type": "integer", "maximum": 3}},
    "required": ["query"],
}


def answer(message: dict[str, Any], behaviour: str) -> dict[str, Any] | None:
    """The reply to one message, None for a notification."""
    if "id" not in message:
        return None
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        assert params["clientInfo"]["name"] == "edu"
        result: dict[str, Any] = {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, "serverInfo": {}}
    elif method == "tools/list":
        result = _tools(params, behaviour)
    elif behaviour == "refuses":
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32000, "message": "quota is used up"}}
    elif behaviour == "tool-error":
        result = {"isError": True, "content": [{"type": "text", "text": "no key was given"}]}
    else:
        asked = params["arguments"]
        text = f"{PAGE['content']}{os.environ.get('OPENAI_API_KEY', '')}" if behaviour == "env" else PAGE["content"]
        page = {**PAGE, "content": f"{text} ({asked['query']}, {asked.get('count')})"}
        result = {"content": [{"type": "text", "text": json.dumps({"results": [page]}, ensure_ascii=False)}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _tools(params: dict[str, Any], behaviour: str) -> dict[str, Any]:
    fetch = {"name": "fetch_page", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}
    if behaviour == "no-tool":
        return {"tools": [fetch, {"name": "time", "inputSchema": {}}]}
    if "cursor" not in params:
        return {"tools": [fetch], "nextCursor": "2"}
    return {"tools": [{"name": "web_search", "inputSchema": SCHEMA}]}


def main(behaviour: str) -> None:
    """Serves stdin and stdout."""
    if behaviour == "dies":
        sys.exit("Error: BRAVE_API_KEY is not set")
    sys.stdout.write("starting, as servers that log to the wrong place do\n")
    for line in sys.stdin:
        message = json.loads(line)
        if behaviour == "asks-back" and message.get("method") == "tools/call":
            _say({"jsonrpc": "2.0", "id": "s1", "method": "ping"})
            assert json.loads(sys.stdin.readline())["result"] == {}
            _say({"jsonrpc": "2.0", "id": "s2", "method": "roots/list"})
            assert "error" in json.loads(sys.stdin.readline())
        if behaviour == "dies-once" and message.get("method") == "tools/call":
            mark = Path(os.environ["MCP_MARK"])
            if not mark.exists():
                mark.touch()
                sys.exit(1)
        reply = answer(message, behaviour)
        if reply:
            _say(reply)


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


@dataclass
class Served:
    """Where the server is, and the headers and methods of what it was asked."""

    url: str
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


def _refusal(behaviour: str, method: str, headers: Any, served: Served, sessions: list[str]) -> int:
    """The status with which a message is refused, 0 where it is not; `initialize` begins a session."""
    if behaviour == "token" and headers.get("Authorization") != "Bearer sk-mcp-secret":
        return 401
    if method == "initialize":
        sessions.append(f"s{len(sessions)}")
        return 0
    calls = [m for _, m, _ in served.seen if m == "tools/call"]
    forgotten = behaviour == "forgets" and len(sessions) == 1 and len(calls) == 2
    return 404 if forgotten or headers.get("Mcp-Session-Id") != sessions[-1] else 0


@contextmanager
def http_server(behaviour: str = "json") -> Iterator[Served]:
    """Streamable HTTP on 127.0.0.1: `json` or `sse` replies; `forgets` loses its session once; `token` wants one."""
    served, sessions = Served(""), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_DELETE(self) -> None:
            served.seen.append(("DELETE", "", {name.lower(): value for name, value in self.headers.items()}))
            self._send(405)

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.seen.append(
                ("POST", message["method"], {name.lower(): value for name, value in self.headers.items()})
            )
            if refusal := _refusal(behaviour, message["method"], self.headers, served, sessions):
                self._send(refusal)
            elif (reply := answer(message, behaviour)) is None:
                self._send(202)
            elif behaviour == "sse":
                note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
                lines = f": hello\n\nevent: message\ndata: {json.dumps(note)}\n\ndata: {json.dumps(reply)}\n\n"
                self._send(200, lines, "text/event-stream")
            else:
                self._send(200, json.dumps(reply), "application/json")

        def _send(self, status: int, text: str = "", kind: str = "text/plain") -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            if sessions:
                self.send_header("Mcp-Session-Id", sessions[-1])
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/mcp"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "json")
