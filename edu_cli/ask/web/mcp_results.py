"""What an MCP search tool returns -> pages: structured, JSON in text, labelled text, or text as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from edu_cli.types import WebPage

_TITLE = ("title", "name", "heading")
_ADDRESS = ("url", "link", "href", "uri", "source", "address")
_TEXT = ("content", "snippet", "description", "summary", "text", "body", "markdown", "page_content")
_LABEL = re.compile(
    r"^\s*(?:[-*]|\d+[.)])?\s*\**(title|url|link|description|snippet|summary|content|text)\**\s*[:：]\s*\**\s*(.*)$",
    re.I,
)
_NUMBERED = re.compile(r"^\s*\d+[.)]\s+(.+)$")
_URL = re.compile(r"https?://[^\s<>\"'）)\]]+")


def pages_of(result: Mapping[str, Any], server: str) -> list[WebPage]:
    """The pages of a tool's result, in its order; text that names no address is given the server's name."""
    found = list(_in_value(result.get("structuredContent")))
    if found:
        return found
    for block in result.get("content") or ():
        if isinstance(block, Mapping):
            found += _in_block(block, server)
    return found


def text_of(result: Mapping[str, Any]) -> str:
    """The text blocks of a result in one, as servers tell errors."""
    blocks = (block.get("text") for block in result.get("content") or () if isinstance(block, Mapping))
    return " ".join(" ".join(str(text) for text in blocks if text).split())


def _in_block(block: Mapping[str, Any], server: str) -> list[WebPage]:
    if block.get("type") == "resource_link":
        address = str(block.get("uri") or "")
        return [WebPage(_first(block, _TITLE), address, str(block.get("description") or ""))]
    if block.get("type") == "resource" and isinstance(block.get("resource"), Mapping):
        held = block["resource"]
        return [WebPage(_first(held, _TITLE), str(held.get("uri") or ""), str(held.get("text") or ""))]
    text = str(block.get("text") or "")
    try:
        value = json.loads(text)
    except ValueError:
        return _in_text(text, server)
    return list(_in_value(value)) or _in_text(text, server)


def _in_value(value: Any) -> Iterator[WebPage]:
    """Every object that has both an address or title and a text, wherever it stands."""
    if isinstance(value, Mapping):
        address, title, text = _first(value, _ADDRESS), _first(value, _TITLE), _first(value, _TEXT)
        if text and (address or title):
            yield WebPage(title or address, address, text)
            return
        for inner in value.values():
            yield from _in_value(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _in_value(inner)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = next((value[name] for name in names if isinstance(value.get(name), str) and value[name].strip()), "")
    return str(found)


def _in_text(text: str, server: str) -> list[WebPage]:
    """Blocks of "Title: … URL: … Description: …", in any order, or numbered titles; else the whole text as one page."""
    blocks: list[dict[str, str]] = []
    last = ""
    for line in text.splitlines():
        label, numbered = _LABEL.match(line), _NUMBERED.match(line)
        if label:
            last = _kind(label[1])
            if not blocks or last in blocks[-1]:
                blocks.append({})
            blocks[-1][last] = label[2].strip()
        elif numbered:
            blocks.append({"title": numbered[1].strip("* ")})
            last = "text"
        elif blocks and last and line.strip():
            blocks[-1][last] = f"{blocks[-1].get(last, '')}\n{line.strip()}".strip()
    found = [
        WebPage(b.get("title", b["address"]), b["address"], b["text"])
        for b in blocks
        if b.get("text") and b.get("address")
    ]
    if found or not text.strip():
        return found
    address = _URL.search(text)
    return [WebPage(server, address[0] if address else server, text)]


def _kind(label: str) -> str:
    word = label.lower()
    return {"title": "title", "url": "address", "link": "address"}.get(word, "text")
