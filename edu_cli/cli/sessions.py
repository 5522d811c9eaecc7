"""`edu sessions`: conversations that were kept."""

from __future__ import annotations

from typing import Annotated

import typer

from edu_cli.cli.context import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, new_app, open_cli
from edu_cli.cli.records import TenantOption, none_such, records_of, short

app = new_app()
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `edu sessions list` shows it.", show_default=False)]


@app.callback()
def _sessions() -> None:
    """Conversations that were kept; `edu ask --session ID` or -c continues one."""


@app.command(name="list")
def list_(
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The conversations, the latest first."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        found = records.sessions(tenant)
    if json:
        names = ("id", "title", "turns", "updated_at")
        cli.out.value({"schema": 1, "sessions": [dict(zip(names, row, strict=True)) for row in found]})
        return
    cli.out.table(
        ("id", "turns", "last", "title"), [(i, str(n), at[:19], short(t)) for i, t, n, at in found], right=(1,)
    )


@app.command()
def show(
    session_id: IdArgument,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """One conversation, turn by turn."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        found = records.session(tenant, session_id)
    if found is None:
        raise none_such("conversation", session_id, "sessions")
    if json:
        turns = [{"question": t.question, "standalone": t.standalone, "answer": t.answer} for t in found.turns]
        cli.out.value(
            {"schema": 1, "id": found.session_id, "title": found.title, "summary": found.summary, "turns": turns}
        )
        return
    if found.summary:
        cli.out.text(f"summary: {found.summary}\n")
    for turn in found.turns:
        cli.out.text(f"> {turn.question}" + (f"  ({turn.standalone})" if turn.standalone != turn.question else ""))
        cli.out.text(f"{turn.answer}\n")


@app.command()
def remove(
    session_id: IdArgument,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Remove a conversation with all its turns."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        if not records.remove_session(tenant, session_id):
            raise none_such("conversation", session_id, "sessions")
    if json:
        cli.out.value({"schema": 1, "removed": session_id})
    else:
        cli.out.text("removed")
