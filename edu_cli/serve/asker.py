"""What can be asked of a project, in this process or through the warm one: both ends of the wire are an Asker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from edu_cli.ask.request import AskRequest
from edu_cli.protocols import PassageSearch, ScopeWish
from edu_cli.types import Answer, Scope

Show = Callable[[str], None]


class Asker(PassageSearch, Protocol):
    """A project that is open for questions."""

    def find_scope(self, wish: ScopeWish) -> Scope:
        """Which children the scope flags allow. Raises UsageError for a filter or subject that no document has."""
        ...

    def last_session(self, tenant: str) -> str | None:
        """The conversation that was spoken in last."""
        ...

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The dense vectors of questions, of length 1. Raises EncoderError."""
        ...

    def ask(self, request: AskRequest, show: Show | None = None) -> Answer:
        """The whole pipeline; `show` is given the text as it is written."""
        ...
