"""The project's records for measuring: read, and left as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edu_cli.protocols import AskRecords
from edu_cli.types import FaqRecord, Session, SessionTurn


class UnmarkedRecords:
    """AskRecords whose FAQ is read and in which nothing is left: measuring queues no questions and keeps no traces."""

    def __init__(self, records: AskRecords) -> None:
        self._records = records

    def faq(self, tenant: str, subject: str | None) -> Sequence[FaqRecord]:
        """As the project has it."""
        return self._records.faq(tenant, subject)

    def faq_mark(self) -> str:
        """As the project has it."""
        return self._records.faq_mark()

    def corpus(self) -> str:
        """As the project has it."""
        return self._records.corpus()

    def queue_pending(self, *_: object, **__: object) -> str:
        """Nothing waits for a teacher."""
        return ""

    def session(self, tenant: str, session_id: str) -> Session | None:
        """There are no conversations."""

    def last_session(self, tenant: str) -> str | None:
        """There are no conversations."""

    def add_turn(self, tenant: str, session_id: str, turn: SessionTurn) -> None:
        """Not kept."""

    def fold_session(self, tenant: str, session_id: str, summary: str, folded: int) -> None:
        """Not kept."""

    def cached(self, tenant: str, key: str) -> Mapping[str, Any] | None:
        """Nothing is remembered."""

    def cache(self, tenant: str, key: str, corpus: str, value: Mapping[str, Any]) -> None:
        """Not kept."""

    def add_trace(self, tenant: str, answer: Mapping[str, Any], exchanges: Sequence[Mapping[str, Any]]) -> None:
        """Not kept."""
