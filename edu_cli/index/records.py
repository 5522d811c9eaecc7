"""The records in the catalog: FAQ, pending questions, conversations, cached answers, traces; each has its tenant."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli.errors import StoreError
from edu_cli.index import queries
from edu_cli.index.catalog import Catalog
from edu_cli.index.database import Database
from edu_cli.index.records_talk import TalkRecords
from edu_cli.index.row_sums import insert
from edu_cli.index.schema import APPLICATION_ID, CATALOG_STEPS
from edu_cli.text import content_id, fold
from edu_cli.types import FaqEntry, FaqRecord, PendingQuestion

if TYPE_CHECKING:
    from edu_cli.types import EncoderPin, PendingStatus

_PENDING = "pending_id, subject, question, confidence, nearest, times, status, answer, created_at"


class Records(TalkRecords):
    """protocols.AskRecords, and what the verbs `faq`, `pending`, `sessions` and `trace` do."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._catalog = Catalog(database)

    def faq(self, tenant: str, subject: str | None) -> list[FaqRecord]:
        """As AskRecords.faq, those of people first."""
        return [
            e for e in (*self.own_faq(tenant), *self._ingested(tenant)) if subject in (None, e.subject) or not e.subject
        ]

    def own_faq(self, tenant: str) -> list[FaqRecord]:
        """The entries that were added or imported, in the order of their questions."""
        rows = self.database.rows(queries.OWN_FAQ, (tenant,))
        for faq_id, *_, is_sound in rows:
            if not is_sound:
                raise StoreError(
                    f"{self.database.path} is damaged: the FAQ entry {faq_id} is not as it was stored.",
                    hint=f"`edu faq remove {faq_id}` drops it; `edu restore FILE --force` brings a backup back",
                    code="damaged",
                )
        return [FaqRecord(*row[:-1]) for row in rows]

    def _ingested(self, tenant: str) -> list[FaqRecord]:
        return [
            FaqRecord(
                content_id(path, str(entry.line), entry.question)[:10],
                entry.subject,
                entry.question,
                entry.answer,
                path,
            )
            for path, entry in self._catalog.faq(tenant)
        ]

    def faq_mark(self) -> str:
        """As AskRecords.faq_mark; entries of ingested tables change with the corpus."""
        count = self.database.one("SELECT count(*) FROM faq")
        last = self.database.one("SELECT max(created_at) FROM faq")
        return f"{count}-{last}-{self.corpus()}"

    def encoder(self) -> EncoderPin | None:
        """The encoder that the project is pinned to."""
        return self._catalog.encoder()

    def corpus(self) -> str:
        """As AskRecords.corpus."""
        return self._catalog.corpus_hash()

    def add_faq(self, tenant: str, entries: Sequence[FaqEntry], source: str) -> dict[str, int]:
        """Adds entries; one with the same question and subject gets the new answer. Counts by what happened."""
        counts = {"added": 0, "updated": 0, "unchanged": 0}
        with self.database.transaction() as connection:
            for entry in entries:
                key = faq_id(tenant, entry.subject, entry.question)
                old = connection.execute("SELECT answer FROM faq WHERE faq_id = ?", (key,)).fetchone()
                state = "added" if old is None else "unchanged" if old[0] == entry.answer else "updated"
                counts[state] += 1
                if state != "unchanged":
                    connection.execute(
                        insert("faq", 7, verb="INSERT OR REPLACE"),
                        (key, tenant, entry.subject, entry.question, entry.answer, source, now()),
                    )
        return counts

    def remove_faq(self, tenant: str, ids: Sequence[str]) -> list[str]:
        """Removes entries by id; those that did not exist come back."""
        with self.database.transaction() as connection:
            return [
                key
                for key in ids
                if not connection.execute("DELETE FROM faq WHERE tenant = ? AND faq_id = ?", (tenant, key)).rowcount
            ]

    def queue_pending(self, tenant: str, subject: str, question: str, confidence: float, nearest: Sequence[str]) -> str:
        """As AskRecords.queue_pending; a rejected question stays rejected."""
        key = content_id("pending", tenant, subject, fold(question))[:10]
        at = now()
        with self.database.transaction() as connection:
            connection.execute(
                """INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?, 1, 'open', '', ?, ?)
                   ON CONFLICT (pending_id) DO UPDATE SET times = times + 1, confidence = excluded.confidence,
                   nearest = excluded.nearest, updated_at = excluded.updated_at""",
                (key, tenant, subject, question, confidence, json.dumps(list(nearest), ensure_ascii=False), at, at),
            )
        return key

    def pending(self, tenant: str, status: PendingStatus | None = None) -> list[PendingQuestion]:
        """Questions that wait (or were settled), the most asked first."""
        rows = self.database.rows(
            f"SELECT {_PENDING} FROM pending WHERE tenant = ? AND (? IS NULL OR status = ?) "  # noqa: S608
            "ORDER BY times DESC, created_at, pending_id",
            (tenant, status, status),
        )
        return [_pending(row) for row in rows]

    def pending_one(self, tenant: str, pending_id: str) -> PendingQuestion | None:
        """One question by its id."""
        rows = self.database.rows(
            f"SELECT {_PENDING} FROM pending WHERE tenant = ? AND pending_id = ?",  # noqa: S608
            (tenant, pending_id),
        )
        return _pending(rows[0]) if rows else None

    def settle_pending(
        self, tenant: str, pending_id: str, status: PendingStatus, answer: str = "", question: str = ""
    ) -> None:
        """Rejects a question or answers it: it becomes an FAQ entry with it, in the words of `question` if given."""
        with self.database.transaction() as connection:
            row = connection.execute(
                "SELECT subject, question FROM pending WHERE tenant = ? AND pending_id = ?", (tenant, pending_id)
            ).fetchone()
            connection.execute(
                "UPDATE pending SET status = ?, answer = ?, updated_at = ? WHERE tenant = ? AND pending_id = ?",
                (status, answer, now(), tenant, pending_id),
            )
            if row and status == "answered":
                self.add_faq(tenant, [FaqEntry(question or row[1], answer, row[0])], "pending")


def open_records(path: Path) -> Records:
    """The records of a catalog file. Raises StoreError, IndexMismatchError."""
    return Records(Database(path, CATALOG_STEPS, APPLICATION_ID))


def faq_id(tenant: str, subject: str, question: str) -> str:
    """The id of an entry: the same question of the same subject is the same entry."""
    return content_id("faq", tenant, subject, fold(question))[:10]


def now() -> str:
    """The time as it is stored: UTC, to the microsecond."""
    return datetime.now(UTC).isoformat()


def _pending(row: Sequence[Any]) -> PendingQuestion:
    values: Mapping[str, Any] = dict(zip(_PENDING.split(", "), row, strict=True))
    return PendingQuestion(**{**values, "nearest": tuple(json.loads(values["nearest"]))})
