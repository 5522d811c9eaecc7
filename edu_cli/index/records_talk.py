"""Conversations, cached answers and traces in the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from edu_cli.index import queries
from edu_cli.index.overview import outcomes
from edu_cli.index.row_sums import insert
from edu_cli.types import Outcome, Session, SessionTurn, TraceRecord

if TYPE_CHECKING:
    from edu_cli.index.database import Database

_MOST_TRACES = 2000  # older ones go, so that the file does not grow for ever
_MOST_ANSWERS = 2000
_Plain = tuple[int, str, str, str, float, int, int, str]
_TITLE_CHARS = 60
_FORGET_CHANGED = """DELETE FROM answers WHERE EXISTS (
  SELECT 1 FROM json_each(answers.value, '$.passages') AS passage
  WHERE json_extract(passage.value, '$.parent_id') NOT IN (SELECT parent_id FROM parents))"""


class TalkRecords:
    """The part of Records that answers write themselves."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def session(self, tenant: str, session_id: str) -> Session | None:
        """A conversation with all its turns, oldest first."""
        rows = self.database.rows(
            "SELECT session_id, title, summary, folded, updated_at FROM sessions WHERE tenant = ? AND session_id = ?",
            (tenant, session_id),
        )
        if not rows:
            return None
        turns = self.database.rows(
            "SELECT question, standalone, answer FROM turns WHERE session_id = ? ORDER BY ordinal", (rows[0][0],)
        )
        key, title, summary, folded, updated_at = rows[0]
        return Session(key, title, summary, folded, tuple(SessionTurn(q, s, a) for q, s, a in turns), updated_at)

    def sessions(self, tenant: str) -> list[tuple[str, str, int, str]]:
        """(id, title, turns, updated at), the latest first."""
        rows = self.database.rows(
            """SELECT s.session_id, s.title, (SELECT count(*) FROM turns t WHERE t.session_id = s.session_id),
               s.updated_at FROM sessions s WHERE tenant = ? ORDER BY s.updated_at DESC, s.session_id""",
            (tenant,),
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def last_session(self, tenant: str) -> str | None:
        """The id of the conversation that was continued last."""
        found = self.sessions(tenant)
        return found[0][0] if found else None

    def add_turn(self, tenant: str, session_id: str, turn: SessionTurn) -> None:
        """Adds a turn; the conversation begins with its first one. Another tenant's id is left alone."""
        at = datetime.now(UTC).isoformat()
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, '', 0, ?, ?)",
                (session_id, tenant, turn.question[:_TITLE_CHARS], at, at),
            )
            mine = connection.execute(
                "UPDATE sessions SET updated_at = ? WHERE session_id = ? AND tenant = ?", (at, session_id, tenant)
            ).rowcount
            if mine:
                connection.execute(
                    "INSERT INTO turns SELECT ?, count(*), ?, ?, ? FROM turns WHERE session_id = ?",
                    (session_id, turn.question, turn.standalone, turn.answer, session_id),
                )

    def fold_session(self, tenant: str, session_id: str, summary: str, folded: int) -> None:
        """Keeps a summary of the first `folded` turns."""
        self.database.write(
            "UPDATE sessions SET summary = ?, folded = ? WHERE tenant = ? AND session_id = ?",
            [(summary, folded, tenant, session_id)],
        )

    def remove_session(self, tenant: str, session_id: str) -> bool:
        """Removes a conversation with its turns; False where there is none."""
        with self.database.transaction() as connection:
            done = connection.execute(
                "DELETE FROM sessions WHERE tenant = ? AND session_id = ?", (tenant, session_id)
            ).rowcount
        return bool(done)

    def cached(self, tenant: str, key: str) -> Mapping[str, Any] | None:
        """The value kept under `key`, None without one that is as it was stored."""
        value = self.database.one(queries.ANSWER, (tenant, key))
        return json.loads(value) if value else None

    def cache(self, tenant: str, key: str, corpus: str, value: Mapping[str, Any]) -> None:
        """Keeps a value; `corpus` "" holds for any corpus that has its passages.

        Those made from another corpus go, and with them those with a passage that no longer exists, so that what was
        removed or changed is not kept; and the oldest beyond a bound.
        """
        with self.database.transaction() as connection:
            stale = "DELETE FROM answers WHERE corpus NOT IN (?, '')"
            if corpus and connection.execute(stale, (corpus,)).rowcount:
                connection.execute(_FORGET_CHANGED)
            connection.execute(
                insert("answers", 5, verb="INSERT OR REPLACE"),
                (key, tenant, corpus, json.dumps(value, ensure_ascii=False), datetime.now(UTC).isoformat()),
            )
            connection.execute(
                "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY created_at DESC LIMIT -1 OFFSET ?)",
                (_MOST_ANSWERS,),
            )

    def add_trace(self, tenant: str, answer: Mapping[str, Any], exchanges: Sequence[Mapping[str, Any]]) -> None:
        """Keeps an answer's steps and what the LLM was asked; the oldest beyond a bound go."""
        use = answer["llm"]
        row = (
            tenant, answer["question"], answer["route"], answer["mode"], answer["seconds"], use["calls"],
            use["prompt_tokens"] + use["completion_tokens"], json.dumps(answer, ensure_ascii=False),
            json.dumps(list(exchanges), ensure_ascii=False), datetime.now(UTC).isoformat(),
        )  # fmt: skip
        with self.database.transaction() as connection:
            connection.execute(
                """INSERT INTO traces
                   (tenant, question, route, mode, seconds, calls, tokens, answer, exchanges, created_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                row,
            )
            connection.execute(
                "DELETE FROM traces WHERE trace_id <= (SELECT max(trace_id) FROM traces) - ?", (_MOST_TRACES,)
            )

    def outcomes(self) -> list[Outcome]:
        """How each kept question of any tenant ended, the oldest first."""
        return [Outcome(*row) for row in outcomes(self.database)]

    def traces(self, tenant: str, last: int) -> list[TraceRecord]:
        """The last traces, the latest first."""
        return self._traces("tenant = ? ORDER BY trace_id DESC LIMIT ?", (tenant, last))

    def trace(self, tenant: str, trace_id: int | None) -> TraceRecord | None:
        """One trace, None taking the latest."""
        if trace_id is None:
            found = self.traces(tenant, 1)
        else:
            found = self._traces("tenant = ? AND trace_id = ?", (tenant, trace_id))
        return found[0] if found else None

    def _traces(self, condition: str, values: Sequence[Any]) -> list[TraceRecord]:
        columns = "trace_id, question, route, mode, seconds, calls, tokens, created_at, answer, exchanges"
        rows = self.database.rows(f"SELECT {columns} FROM traces WHERE {condition}", values)  # noqa: S608
        return [
            TraceRecord(*cast("_Plain", row[:8]), answer=json.loads(row[8]), exchanges=tuple(json.loads(row[9])))
            for row in rows
        ]

    def close(self) -> None:
        """Closes the file."""
        self.database.close()
