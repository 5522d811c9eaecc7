"""What a command and the warm process must have in common besides the settings, for their answers to be the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from edu_cli.settings import Settings

# read by libraries, not by our settings: where caches and models are, and how the network is reached
_LOCAL = re.compile(r"HOME|XDG_CACHE_HOME|HF_\w+|HUGGINGFACE_\w+|TRANSFORMERS_\w+|CUDA_VISIBLE_DEVICES")
_NETWORK = re.compile(r"(?:HTTP|HTTPS|ALL|NO)_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|OPENAI_\w+", re.I)
_IN_SETTINGS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")  # every command sends its own
_NOT_ASKED = ("ingest", "split", "sources")  # sections of the settings that answer no question


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """A digest of each variable that libraries read; values stay here, since a proxy's address may hold a password."""
    return {
        name: hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        for name, value in sorted(environ.items())
        if (_LOCAL.fullmatch(name) or _NETWORK.fullmatch(name)) and name not in _IN_SETTINGS
    }


def difference(mine: Mapping[str, str], theirs: Mapping[str, str], settings: Settings) -> str | None:
    """A variable that differs and could change an answer; those of the network only where one is reached."""
    reaches_out = bool(settings.llm.model or settings.ask.web_url or settings.ask.web_mcp or settings.milvus.uri)
    for name in sorted(mine.keys() | theirs.keys()):
        counts = _LOCAL.fullmatch(name) or reaches_out
        if counts and mine.get(name) != theirs.get(name):
            return name
    return None


def starts_program(settings: Settings) -> bool:
    """Whether asking may start a program of the command's (an MCP server by stdio): it belongs in its own folder."""
    return bool(settings.ask.web_mcp) and not settings.ask.web_mcp.startswith(("http://", "https://"))


def sent_settings(settings: Settings) -> dict[str, Any]:
    """The settings that answers depend on, paths made absolute: the warm process may stand in another folder."""
    encoder = replace(settings.encoder, bge_m3=_absolute(settings.encoder.bge_m3))
    search = replace(settings.search, bge_reranker=_absolute(settings.search.bge_reranker))
    cache = replace(
        settings.cache, dir=str(Path(settings.cache.dir).expanduser().absolute()) if settings.cache.dir else ""
    )
    values = asdict(replace(settings, encoder=encoder, search=search, cache=cache, sources={}))
    return {name: section for name, section in values.items() if name not in _NOT_ASKED}


def _absolute(model: str) -> str:
    """A model's folder; a hub id, which is no folder here, stays as it is."""
    folder = Path(model).expanduser()
    return str(folder.absolute()) if folder.exists() else model
