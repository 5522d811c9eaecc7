"""Replies of servers that are nearly right: of an LLM, whole or streamed, of a web search, of an MCP server."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mutations import keep, kept, mutated
from scripted_llm import Reply, scripted_server

from edu_cli.ask.generation.chat_openai import OpenAIChat
from edu_cli.ask.web.mcp import McpSearch
from edu_cli.ask.web.mcp_transport import HttpTransport, StdioTransport
from edu_cli.ask.web.searxng import SearxngSearch
from edu_cli.errors import EduError
from edu_cli.settings import LlmSettings
from edu_cli.types import ChatReply, Message, WebPage

N_REPLIES = 300  # of each kind
SECRET = "sk-" + "secret-1234567"
PAGE = {"title": "暗反应", "url": "https://e.org/leaf", "content": "暗反应发生在叶绿体基质中。"}
TOOLS = [{"name": "web_search", "inputSchema": {"type": "object", "required": ["query"], "properties": {
    "query": {"type": "string"}, "count": {"type": "integer", "maximum": 3}, "lang": {"enum": ["zh"]}}}}]  # fmt: skip
TEXT = "Title: 暗反应\nURL: https://e.org/leaf\nDescription: 在叶绿体基质中。\n"
RESULTS: Mapping[str, object] = {
    "initialize": {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {}},
    "tools/list": {"tools": TOOLS},
    "tools/call": {
        "structuredContent": {"results": [PAGE]},
        "content": [{"type": "text", "text": json.dumps([PAGE])}, {"type": "text", "text": TEXT}],
    },
}
PIECE = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {"content": "好"}, "finish_reason": None}]}  # fmt: skip
SAID = {"index": 0, "message": {"role": "assistant", "content": "好"}, "finish_reason": "stop"}
WHOLE = {**PIECE, "object": "chat.completion", "usage": {"prompt_tokens": 1}, "choices": [SAID]}


def _events(*messages: object) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in messages)


def _told(error: EduError) -> None:
    assert error.message
    assert "Traceback" not in error.message
    assert SECRET not in error.message + error.hint


@contextmanager
def _server(reply: Callable[[bytes], tuple[str, bytes]]) -> Iterator[str]:
    """Answers every request by content type and body."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            kind, body = reply(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def _chat(url: str) -> OpenAIChat:
    return OpenAIChat(LlmSettings(model="m", base_url=url, api_key=SECRET, retries=0, timeout_s=5))


def _stream(body: bytes) -> None:
    with scripted_server(Reply(sse=[body.decode("utf-8", "replace")])) as server:
        parts = list(_chat(server.url).stream([Message("user", "问")], temperature=0.0))
    assert isinstance(parts[-1], ChatReply)


def _completion(body: bytes) -> None:
    with scripted_server(Reply(body=body.decode("utf-8", "replace"))) as server:
        reply = _chat(server.url).complete([Message("user", "问")], temperature=0.0)
    assert isinstance(reply.text, str)


def _searxng(body: bytes) -> None:
    with _server(lambda _: ("application/json", body)) as url:
        _checked(SearxngSearch(url).search("光合作用", 3))


def _mcp(body: bytes) -> None:
    """The body answers the call of the tool; what comes before is whole. It is read as JSON and as events."""
    for kind in ("application/json", "text/event-stream"):

        def reply(raw: bytes, kind: str = kind) -> tuple[str, bytes]:
            asked = json.loads(raw)
            if asked["method"] == "tools/call":
                return kind, body
            whole = {"jsonrpc": "2.0", "id": asked.get("id"), "result": RESULTS.get(asked["method"], {})}
            return "application/json", json.dumps(whole).encode()

        with _server(reply) as url:
            _searched(McpSearch(lambda url=url: HttpTransport(url, SECRET), ""))


def _mcp_tools(body: bytes) -> None:
    """The body is what the server says of its tools."""

    def reply(raw: bytes) -> tuple[str, bytes]:
        asked = json.loads(raw)
        if asked["method"] == "tools/list":
            return "application/json", body
        whole = {"jsonrpc": "2.0", "id": asked.get("id"), "result": RESULTS.get(asked["method"], {})}
        return "application/json", json.dumps(whole).encode()

    with _server(reply) as url:
        _searched(McpSearch(lambda: HttpTransport(url, SECRET), ""))


def _searched(search: McpSearch) -> None:
    try:
        _checked(search.search("光合作用", 3))
    except EduError as error:
        _told(error)
    finally:
        search.close()


def _checked(pages: tuple[WebPage, ...]) -> None:
    assert all(isinstance(text, str) for page in pages for text in (page.title, page.address, page.text))


def _result(n: int, method: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": n, "result": RESULTS[method]}).encode()


READERS: Mapping[str, tuple[bytes, Callable[[bytes], None]]] = {
    "llm-stream": (_events(PIECE, PIECE, PIECE) + b"data: [DONE]\n\n", _stream),
    "llm-reply": (json.dumps(WHOLE).encode(), _completion),
    "searxng": (json.dumps({"query": "q", "results": [PAGE, PAGE]}).encode(), _searxng),
    "mcp": (_result(3, "tools/call"), _mcp),
    "mcp-events": (_events(json.loads(_result(3, "tools/call"))), _mcp),
    "mcp-tools": (_result(2, "tools/list"), _mcp_tools),
}


def _read(reader: str, body: bytes) -> None:
    try:
        READERS[reader][1](body)
    except EduError as error:
        _told(error)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_reply_that_is_nearly_right_is_read_or_told(reader: str) -> None:
    for seed in range(N_REPLIES):
        rng = random.Random(f"{reader}{seed}")
        body = (_grafted if rng.random() < 0.5 else mutated)(READERS[reader][0], rng)
        try:
            _read(reader, body)
        except BaseException:
            keep(reader, body)
            raise


_VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "\ud800",
    [],
    {},
    [None],
    {"type": "text"},
    ["a"],
    "a" * 9999,
)


def _grafted(raw: bytes, rng: random.Random) -> bytes:
    """The JSON of each line with a value of it replaced by one of another kind, or wrapped too deep to be read."""
    lines = raw.split(b"\n")
    at = rng.choice([i for i, line in enumerate(lines) if b"{" in line])
    head, _, text = lines[at].partition(b"{")
    value = json.loads(b"{" + text)
    holder, key = rng.choice(list(_places(value)))
    holder[key] = rng.choice(_VALUES)
    found = json.dumps(value)
    if rng.random() < 0.1:
        deep = "[" * 3000 + "]" * 3000 if rng.random() < 0.5 else '{"a":' * 900 + "1" + "}" * 900
        found = found.replace(json.dumps(holder[key]), deep, 1)
    lines[at] = head + found.encode()
    return b"\n".join(lines)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in it that holds a value: what holds it, and by which key or number."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


@pytest.mark.parametrize("path", kept(*READERS))
def test_a_reply_that_once_crashed_is_read_or_told(path: Path) -> None:
    _read(path.parent.name, path.read_bytes())


def test_lines_of_a_server_that_are_nested_too_deep_are_told(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("import sys\nfor line in sys.stdin:\n    print('[' * 100000, flush=True)\n", encoding="utf-8")
    search = McpSearch(lambda: StdioTransport(f"python3 {script}"), "")
    try:
        with pytest.raises(EduError):
            search.search("光合作用", 3)
    finally:
        search.close()
