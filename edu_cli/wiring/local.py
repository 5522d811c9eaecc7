"""A project that is open for questions in this process."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from edu_cli.errors import EncoderError
from edu_cli.wiring.asking import find_scope, open_ask, open_pinned, open_searcher
from edu_cli.wiring.reranking import open_reranker

if TYPE_CHECKING:
    from edu_cli.ask.request import AskRequest, AskTools
    from edu_cli.config import Settings
    from edu_cli.project import Project
    from edu_cli.protocols import Encoder, PassageSearch, Reranker, ScopeWish
    from edu_cli.types import Answer, EncoderPin, Scope, SearchRequest, SearchResult


class ToolsAsker:
    """serve.asker.Asker by the tools of this process; each kind is opened when it is needed first."""

    def __init__(self, project: Project, search: Callable[[], PassageSearch], tools: Callable[[], AskTools]) -> None:
        self._project = project
        self._search = search
        self._tools = tools

    def find_scope(self, wish: ScopeWish) -> Scope:
        """As find_scope."""
        return find_scope(self._project, wish)

    def last_session(self, tenant: str) -> str | None:
        """As Asker.last_session."""
        records = self._tools().records
        return records.last_session(tenant) if records else None

    def search(self, request: SearchRequest) -> SearchResult:
        """As PassageSearch.search."""
        return self._search().search(request)

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """As Asker.encode."""
        encode = self._tools().encode
        if encode is None:
            raise EncoderError("The project has no encoder.", hint="run `edu ingest --rebuild` with an encoder")
        return encode(texts).tolist()

    def ask(self, request: AskRequest, show: Callable[[str], None] | None = None) -> Answer:
        """As Asker.ask."""
        from edu_cli.ask.pipeline import ask  # 50 ms, which a search does without

        return ask(request, self._tools(), show)


@contextmanager
def open_local(project: Project, settings: Settings) -> Iterator[ToolsAsker]:
    """A project open for questions in this process."""
    with ExitStack() as stack:

        @functools.cache
        def encoder_of(pin: EncoderPin) -> Encoder:
            return open_pinned(pin, project, settings)

        @functools.cache
        def reranker(pin: EncoderPin) -> Reranker | None:
            return open_reranker(settings, pin)

        def reranker_of(_settings: Settings, pin: EncoderPin) -> Reranker | None:
            return reranker(pin)

        @functools.cache
        def search() -> PassageSearch:
            return stack.enter_context(open_searcher(project, settings, encoder_of=encoder_of, reranker_of=reranker_of))

        @functools.cache
        def tools() -> AskTools:
            return stack.enter_context(
                open_ask(project, settings, search=search, encoder_of=encoder_of, reranker_of=reranker_of)
            )

        yield ToolsAsker(project, search, tools)
