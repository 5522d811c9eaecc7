"""A command goes on by itself when the warm process goes away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from edu_cli.serve.client import RemoteAsker, ServerGoneError

if TYPE_CHECKING:
    from edu_cli.ask.request import AskRequest
    from edu_cli.protocols import ScopeWish
    from edu_cli.serve.asker import Asker, Show
    from edu_cli.types import Answer, Scope, SearchRequest, SearchResult

T = TypeVar("T")
Tell = Callable[[str], None]  # gets a sentence on who answers


class SteadyAsker:
    """An Asker that goes on in this process when the warm one goes away."""

    def __init__(self, remote: RemoteAsker, open_local: Callable[[], Asker], tell: Tell) -> None:
        self._asker: Asker = remote
        self._open_local: Callable[[], Asker] | None = open_local
        self._tell = tell

    def find_scope(self, wish: ScopeWish) -> Scope:
        """As Asker.find_scope."""
        return self._steadily(lambda asker: asker.find_scope(wish))

    def last_session(self, tenant: str) -> str | None:
        """As Asker.last_session."""
        return self._steadily(lambda asker: asker.last_session(tenant))

    def search(self, request: SearchRequest) -> SearchResult:
        """As PassageSearch.search."""
        return self._steadily(lambda asker: asker.search(request))

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """As Asker.encode."""
        return self._steadily(lambda asker: asker.encode(texts))

    def ask(self, request: AskRequest, show: Show | None = None) -> Answer:
        """As Asker.ask. Where a part was shown already, nothing is asked again: raises ServerGoneError."""
        shown = False

        def noted(piece: str) -> None:
            nonlocal shown
            shown = True
            if show:
                show(piece)

        return self._steadily(lambda asker: asker.ask(request, noted if show else None), may_repeat=lambda: not shown)

    def _steadily(self, act: Callable[[Asker], T], may_repeat: Callable[[], bool] = lambda: True) -> T:
        try:
            return act(self._asker)
        except ServerGoneError as error:
            if self._open_local is None or not may_repeat():
                raise
            self._tell(f"{error.message.rstrip('.')}: this process answers by itself.")
            self._asker, self._open_local = self._open_local(), None
        return act(self._asker)
