"""`edu sessions`: conversations that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edu_cli.cli.context import new_app
from edu_cli.cli.records import Desk, none_such, records_command, short

if TYPE_CHECKING:
    from edu_cli.cli.flags import SessionArgument

app = new_app(default="list")


@app.callback()
def _sessions() -> None:
    """Conversations that were kept; `edu ask --session ID` or -c continues one."""


@records_command(app, "list")
def list_(desk: Desk) -> None:
    """The conversations, the latest first."""
    found = desk.records.sessions(desk.tenant)
    if desk.json:
        names = ("id", "title", "turns", "updated_at")
        desk.out.value({"schema": 1, "sessions": [dict(zip(names, row, strict=True)) for row in found]})
        return
    rows = [(i, str(n), at[:19].replace("T", " "), short(t)) for i, t, n, at in found]
    desk.rows(("id", "turns", "last (UTC)", "title"), rows, ("conversation", "conversations"), (1,))


@records_command(app)
def show(desk: Desk, session_id: SessionArgument) -> None:
    """One conversation, turn by turn."""
    found = desk.records.session(desk.tenant, session_id)
    if found is None:
        raise none_such("conversation", session_id, "sessions")
    if desk.json:
        turns = [{"question": t.question, "standalone": t.standalone, "answer": t.answer} for t in found.turns]
        desk.out.value(
            {"schema": 1, "id": found.session_id, "title": found.title, "summary": found.summary, "turns": turns}
        )
        return
    if found.summary:
        desk.out.text(f"summary: {found.summary}\n")
    for turn in found.turns:
        desk.out.text(f"> {turn.question}" + (f"  ({turn.standalone})" if turn.standalone != turn.question else ""))
        desk.out.text(f"{turn.answer}\n")


@records_command(app)
def remove(desk: Desk, session_id: SessionArgument) -> None:
    """Remove a conversation with all its turns."""
    if not desk.records.remove_session(desk.tenant, session_id):
        raise none_such("conversation", session_id, "sessions")
    if desk.json:
        desk.out.value({"schema": 1, "removed": session_id})
    else:
        desk.out.text("removed")
