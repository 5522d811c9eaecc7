"""What the warm process keeps open: encoder, reranker, and a searcher for each way of searching that is asked for.

A searcher is opened anew when the files that it reads have changed; requests that run on the old one end on it.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from edu_cli.ask.front.classify import route_model
from edu_cli.ask.request import AskTools
from edu_cli.config import SearchSettings, Settings, cache_dir
from edu_cli.errors import EncoderError, StoreError
from edu_cli.index.tokens import open_tokenizer
from edu_cli.project import Project
from edu_cli.protocols import ChatModel, Encoder, PassageSearch, Reranker
from edu_cli.types import ChatReply, EncoderPin, Message, SearchRequest, SearchResult
from edu_cli.wiring.asking import open_ask, open_pinned, open_searcher
from edu_cli.wiring.leases import Leases
from edu_cli.wiring.local import ToolsAsker
from edu_cli.wiring.overview import lexical_place
from edu_cli.wiring.reranking import open_reranker

_MOST_SEARCHERS = 4  # they map the same files, and share encoder and reranker
_WARNED_S = 1.0  # what a searcher warns of may have been mended since
Check = Callable[[], None]
T = TypeVar("T")


class WarmProject:
    """serve.connection.Warm over a project. Safe in threads."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._searchers: Leases[PassageSearch] = Leases(_MOST_SEARCHERS)
        self._encoders: _Kept[Encoder] = _Kept()
        self._rerankers: _Kept[Reranker | None] = _Kept()
        self._own: object = None

    @contextmanager
    def asker(self, settings: Settings, check: Check) -> Iterator[ToolsAsker]:
        """As serve.connection.Warm.asker: records are opened for the request, retrieval is what is open already."""
        self._forget_changed(settings)
        search = LeasedSearch(self, settings, check)
        with ExitStack() as stack:

            @functools.cache
            def tools() -> AskTools:
                found = stack.enter_context(
                    open_ask(
                        self._project,
                        settings,
                        search=lambda: search,
                        encoder_of=lambda pin: self._encoder(pin, settings),
                        reranker_of=self._reranker,
                    )
                )
                return replace(found, chat=CheckedChat(found.chat, check)) if found.chat else found

            yield ToolsAsker(self._project, lambda: search, tools)

    @contextmanager
    def searcher(self, settings: Settings) -> Iterator[PassageSearch]:
        """A searcher for one search. Raises what opening and searching raise."""
        state = (*_generations(self._project.state), _inode(self._project.catalog_path), self._own)
        with self._searchers.lease(_key(settings), state, lambda stack: self._open(stack, settings)) as searcher:
            try:
                yield searcher
            except (StoreError, EncoderError):  # a server that was away, files that were mended: look again
                self._searchers.retire(searcher)
                raise

    def warm_up(self, settings: Settings) -> None:
        """Opens what most requests need and uses it once. Raises what the first search would."""
        self._forget_changed(settings)
        with self.searcher(settings) as searcher:
            searcher.search(SearchRequest("预热", k=1, mode=settings.search.mode))

    def facts(self) -> Mapping[str, object]:
        """As serve.connection.Warm.facts."""
        return {"opened": self._searchers.n_opened}

    def warned(self, searcher: PassageSearch) -> None:
        """A searcher warned of something: it is soon opened anew."""
        self._searchers.retire(searcher, _WARNED_S)

    def close(self) -> None:
        """Closes the searchers."""
        self._searchers.close()

    def _open(self, stack: ExitStack, settings: Settings) -> PassageSearch:
        return stack.enter_context(
            open_searcher(
                self._project,
                settings,
                encoder_of=lambda pin: self._encoder(pin, settings),
                reranker_of=self._reranker,
            )
        )

    def _encoder(self, pin: EncoderPin, settings: Settings) -> Encoder:
        key = (pin, settings.encoder, cache_dir(settings))
        return self._encoders.get(key, lambda: open_pinned(pin, self._project, settings))

    def _reranker(self, settings: Settings, pin: EncoderPin) -> Reranker | None:
        key = (pin, settings.search.reranker, settings.search.bge_reranker, settings.encoder, cache_dir(settings))
        return self._rerankers.get(key, lambda: open_reranker(settings, pin))

    def _forget_changed(self, settings: Settings) -> None:
        """Drops what this process remembers of the user dictionary and the project's classifier, when they change."""
        own = (_stamp(lexical_place(self._project, settings).user_dict), _stamp(self._project.classifier_path))
        if own != self._own:
            route_model.cache_clear()
            open_tokenizer.cache_clear()
            self._own = own


class LeasedSearch:
    """PassageSearch by whatever searcher is in force when a question comes."""

    def __init__(self, warm: WarmProject, settings: Settings, check: Check) -> None:
        self._warm = warm
        self._settings = settings
        self._check = check

    def search(self, request: SearchRequest) -> SearchResult:
        """As PassageSearch.search."""
        self._check()
        with self._warm.searcher(self._settings) as searcher:
            result = searcher.search(request)
            if result.warnings:
                self._warm.warned(searcher)
        self._check()
        return result


class CheckedChat:
    """A ChatModel that stops where nobody waits for the answer any more."""

    def __init__(self, chat: ChatModel, check: Check) -> None:
        self._chat = chat
        self._check = check

    @property
    def model(self) -> str:
        """The model's name."""
        return self._chat.model

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        """As ChatModel.complete."""
        self._check()
        reply = self._chat.complete(messages, temperature=temperature, json_object=json_object)
        self._check()
        return reply

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        """As ChatModel.stream."""
        self._check()
        for piece in self._chat.stream(messages, temperature=temperature):
            yield piece
            self._check()


class _Kept(Generic[T]):
    """The one thing in use, by key; another key takes its place, and whoever uses the old one keeps it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: tuple[Hashable, T] | None = None

    def get(self, key: Hashable, open_it: Callable[[], T]) -> T:
        with self._lock:
            if self._found is None or self._found[0] != key:
                self._found = (key, open_it())
            return self._found[1]


def _key(settings: Settings) -> Hashable:
    """What a searcher is made of. How many hits and which legs are asked for goes with the question.

    Words alone are searched without encoder and store, so that mode is a way of its own.
    """
    by_words = settings.search.mode == "bm25"
    usual = SearchSettings()
    search = replace(settings.search, k=usual.k, mode="bm25" if by_words else usual.mode)
    return (settings.encoder, settings.milvus, settings.lexical, settings.cache, search)


def _generations(state: Path) -> tuple[object, ...]:
    """What names the generation in force, of every index of the project."""
    with os.scandir(state) as entries:
        folders = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    stamps = ((folder, _stamp(Path(folder) / "current.json")) for folder in folders)
    return tuple(found for found in stamps if found[1])


def _stamp(path: Path | None) -> object:
    try:
        found = path.stat() if path else None
    except OSError:
        found = None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found else None


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
