"""`edu trace`: how an answer was reached, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.cli.records import records_of, short
from edu_cli.errors import UsageError
from edu_cli.types import TraceRecord

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import (
        DebugOption,
        JsonOption,
        ProjectOption,
        QuietOption,
        RecordsTenantOption,
        VerboseOption,
    )

app = new_app()


@app.command()
def trace(
    trace_id: Annotated[
        int | None, typer.Argument(metavar="ID", help="Which one; the last without ID.", show_default=False)
    ] = None,
    last: Annotated[int | None, typer.Option("--last", min=1, metavar="N", help="List the last N answers.")] = None,
    tenant: RecordsTenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The steps of an answer with times and tokens; with -v the prompts and replies too."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        listed = records.traces(tenant, last) if last else []
        found = None if last else records.trace(tenant, trace_id)
    if last:
        _list(cli, listed)
        return
    if found is None:
        named = "no answer yet" if trace_id is None else f"no trace {trace_id}"
        raise UsageError(f"There is {named}.", hint="`edu trace --last 20` lists the last answers")
    exchanges = list(found.exchanges) if verbose else []
    if json:
        value = {"schema": 1, "id": found.trace_id, "at": found.created_at, "answer": dict(found.answer)}
        cli.out.value({**value, "exchanges": exchanges})
        return
    _show(cli, found, exchanges)


def _list(cli: Cli, listed: list[TraceRecord]) -> None:
    if cli.out.json:
        names = ("id", "question", "route", "mode", "seconds", "at")
        rows = [(t.trace_id, t.question, t.route, t.mode, t.seconds, t.created_at) for t in listed]
        cli.out.value({"schema": 1, "traces": [dict(zip(names, row, strict=True)) for row in rows]})
        return
    cli.out.table(
        ("id", "route", "mode", "s", "calls", "tokens", "question"),
        [
            (str(t.trace_id), t.route, t.mode, f"{t.seconds:.2f}", str(t.calls), str(t.tokens), short(t.question, 40))
            for t in listed
        ],
        right=(0, 3, 4, 5),
    )


def _show(cli: Cli, found: TraceRecord, exchanges: list[Any]) -> None:
    cost = f"{found.seconds:.2f} s, {found.calls} calls, {found.tokens} tokens"
    cli.out.text(f"#{found.trace_id} {found.question}\nroute {found.route}, mode {found.mode}, {cost}")
    steps = found.answer["steps"]
    rows = [(s["name"], f"{s['seconds'] * 1000:.1f}", s["detail"]) for s in steps]
    if found.calls:
        told = [(str(s.get("tokens") or ""), " ".join(s.get("prompts", ()))) for s in steps]
        rows = [(*row[:2], *more, row[2]) for row, more in zip(rows, told, strict=True)]
    headers = ("step", "ms", "tokens", "prompt", "what") if found.calls else ("step", "ms", "what")
    cli.out.table(headers, rows, right=(1, 2) if found.calls else (1,))
    if error := found.answer.get("error"):
        cli.out.text(f"failed: {error['message']}")
    for exchange in exchanges:
        for message in exchange["messages"]:
            cli.out.text(f"[{message['role']}]\n{message['content']}\n")
        cli.out.text(f"[reply]\n{exchange['reply']}\n")
