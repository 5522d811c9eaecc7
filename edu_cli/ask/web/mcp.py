"""protocols.WebSearch over any MCP server that has a search tool.

The four messages that a search needs are written here: the official package brings fifteen more (a web server,
cryptography, OpenTelemetry), and its API is asynchronous throughout.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from edu_cli import __version__
from edu_cli.ask.web.mcp_results import pages_of, text_of
from edu_cli.ask.web.mcp_transport import Transport
from edu_cli.errors import ConfigError, WebError
from edu_cli.types import WebPage

_PROTOCOL = "2025-06-18"
_QUESTION = ("query", "q", "question", "search_query", "search_term", "keywords", "text", "input")
_COUNT = ("count", "max_results", "num_results", "limit", "maxResults", "numResults", "top_k", "k", "n")
_MOST_PAGES_OF_TOOLS = 20  # of a list that is sent in parts
# what a message raises that has another kind of value where it is read, or is nested without end
_OTHER_SHAPES = (TypeError, AttributeError, KeyError, IndexError, ValueError, OverflowError, RecursionError)


class McpSearch:
    """One server, opened by the first search and kept; `tool` "" takes its search tool."""

    def __init__(self, opened: Callable[[], Transport], tool: str) -> None:
        self._opened = opened
        self._wanted = tool
        self._transport: Transport | None = None
        self._tool: Mapping[str, Any] = {}
        self._last_id = 0
        self._turn = threading.Lock()

    @property
    def name(self) -> str:
        """The server's name, once it is open."""
        return self._transport.name if self._transport else "the MCP server"

    def search(self, question: str, k: int) -> tuple[WebPage, ...]:
        """As WebSearch.search; a server that forgot its session or has ended is opened again once."""
        with self._turn:
            was_open = self._transport is not None
            try:
                return self._understood(question, k)
            except WebError:
                self._close()
                if not was_open:
                    raise
            return self._understood(question, k)

    def close(self) -> None:
        """Ends the connection; a server of ours with it."""
        with self._turn:
            self._close()

    def _close(self) -> None:
        transport, self._transport = self._transport, None
        if transport:
            transport.close()

    def _understood(self, question: str, k: int) -> tuple[WebPage, ...]:
        try:
            return self._search(question, k)
        except _OTHER_SHAPES as error:
            raise WebError(f"What {self.name} sent is not as MCP has it.", hint="see its own log") from error

    def _search(self, question: str, k: int) -> tuple[WebPage, ...]:
        if self._transport is None:
            self._transport = self._opened()
            self._greet(self._transport)
            self._tool = self._choose(self._transport, self._tools(self._transport))
        given = {"name": self._tool["name"], "arguments": arguments_for(self._tool, question, k)}
        result = self._ask(self._transport, "tools/call", given)
        if result.get("isError"):
            raise WebError(
                f"The search tool {self._tool['name']} of {self.name} failed: {text_of(result)[:200]}.",
                hint="see what its server needs (a key of its own, mostly)",
            )
        return tuple(pages_of(result, self.name))

    def _greet(self, transport: Transport) -> None:
        client = {"name": "edu", "version": __version__}
        given = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        transport.version = str(self._ask(transport, "initialize", given).get("protocolVersion") or _PROTOCOL)
        transport.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, answered=False)

    def _tools(self, transport: Transport) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        cursor: dict[str, Any] = {}
        for _ in range(_MOST_PAGES_OF_TOOLS):
            part = self._ask(transport, "tools/list", cursor)
            found += [tool for tool in part.get("tools") or () if isinstance(tool, Mapping) and tool.get("name")]
            if not part.get("nextCursor"):
                break
            cursor = {"cursor": part["nextCursor"]}
        return found

    def _choose(self, transport: Transport, tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        if self._wanted:
            chosen = [tool for tool in tools if tool["name"] == self._wanted]
        else:
            chosen = [tool for tool in tools if "search" in str(tool["name"]).lower() or len(tools) == 1]
        if not chosen:
            names = ", ".join(str(tool["name"]) for tool in tools) or "none"
            kind = f"tool '{self._wanted}'" if self._wanted else "search tool"
            raise ConfigError(f"{transport.name} has no {kind}; it has: {names}.", hint="set EDU_WEB_MCP_TOOL")
        return chosen[0]

    def _ask(self, transport: Transport, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        self._last_id += 1
        asked = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": dict(params)}
        reply = transport.send(asked, answered=True)
        if "error" in reply:
            error = reply["error"]
            said = error.get("message") if isinstance(error, Mapping) else error
            raise WebError(
                f"The MCP server {transport.name} refused {method}: {' '.join(str(said).split())[:200]}.",
                hint="see its own log",
            )
        result = reply.get("result")
        return result if isinstance(result, Mapping) else {}


def arguments_for(tool: Mapping[str, Any], question: str, k: int) -> dict[str, Any]:
    """The tool's arguments, by its own schema: the question, and how many results where it can be told.

    Raises ConfigError where it takes no text, or needs an argument that nobody here can know.
    """
    schema = tool.get("inputSchema") or {}
    known: Mapping[str, Any] = schema.get("properties") or {}
    required = [str(name) for name in schema.get("required") or ()]
    texts = [n for n in (*required, *known) if isinstance(known.get(n), Mapping) and known[n].get("type") == "string"]
    asks = next((name for name in _QUESTION if name in known), texts[0] if texts else None)
    if asks is None:
        raise ConfigError(f"The tool {tool.get('name')} takes no question.", hint="name another: EDU_WEB_MCP_TOOL")
    given: dict[str, Any] = {asks: question}
    count = next((name for name in _COUNT if name in known and known[name].get("type") in ("integer", "number")), None)
    if count:
        most = known[count].get("maximum")
        given[count] = min(k, int(most)) if isinstance(most, (int, float)) else k
    for name in required:
        if name not in given:
            given[name] = _default(tool, name, known.get(name) or {})
    return given


def _default(tool: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    raise ConfigError(
        f"The tool {tool.get('name')} needs '{name}', which edu does not know.", hint="name another: EDU_WEB_MCP_TOOL"
    )
