"""The requests of a connection, each answered by an Asker: a message in, a plain value out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edu_cli.ask.request import AskRequest
from edu_cli.serve.asker import Asker, Show
from edu_cli.serve.values import from_plain, to_plain
from edu_cli.types import SearchRequest

Work = Callable[[Asker, Show], Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """protocols.ScopeWish as it comes over the wire."""

    tenant: str
    subject: str | None
    doc: str | None
    filters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Ask:
    request: AskRequest
    streamed: bool


@dataclass(frozen=True, slots=True)
class _LastSession:
    tenant: str


@dataclass(frozen=True, slots=True)
class _Encode:
    texts: tuple[str, ...]


def _scope(asker: Asker, wish: Wish, _: Show) -> Any:
    return asker.find_scope(wish)


def _search(asker: Asker, asked: SearchRequest, _: Show) -> Any:
    return asker.search(asked)


def _ask(asker: Asker, asked: _Ask, show: Show) -> Any:
    return asker.ask(asked.request, show if asked.streamed else None)


def _last_session(asker: Asker, asked: _LastSession, _: Show) -> Any:
    return asker.last_session(asked.tenant)


def _encode(asker: Asker, asked: _Encode, _: Show) -> Any:
    return asker.encode(asked.texts)


_OPS: Mapping[str, tuple[type[Any], Callable[[Asker, Any, Show], Any]]] = {
    "scope": (Wish, _scope),
    "search": (SearchRequest, _search),
    "ask": (_Ask, _ask),
    "encode": (_Encode, _encode),
    "last_session": (_LastSession, _last_session),
}


def parse(message: Mapping[str, Any]) -> Work:
    """A request as work for an Asker, whose result is a plain value. Raises ValueError for what is no request."""
    asked = dict(message)
    op = str(asked.pop("op", ""))
    if op not in _OPS:
        raise ValueError(f"{op[:40]!r} is no request")
    kind, act = _OPS[op]
    wanted = from_plain(kind, asked)
    return lambda asker, show: to_plain(act(asker, wanted, show))
