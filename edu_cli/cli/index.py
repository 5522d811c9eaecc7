"""`edu index`: the BM25 index brought up to date."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from edu_cli.cli.context import new_app, open_cli
from edu_cli.cli.writing import writing
from edu_cli.errors import ExitCode

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import (
        DebugOption,
        JsonOption,
        LockTimeoutOption,
        NoProgressOption,
        ProjectOption,
        QuietOption,
        VerboseOption,
    )

app = new_app()


@app.command()
def index(
    check: Annotated[bool, typer.Option("--check", help="Only tell: exit 0 when fresh, 1 when stale.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Build it again, even when it is fresh.")] = False,
    lock_timeout: LockTimeoutOption = 60.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    no_progress: NoProgressOption = False,
    debug: DebugOption = False,
) -> None:
    """Bring the BM25 index up to date: built again only when texts, tokeniser, dictionary or parameters changed."""
    from edu_cli.wiring.places import check_indexes, open_reader

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, no_progress=no_progress)
    if check:
        with open_reader(cli.project) as catalog:
            report = check_indexes(cli.project, cli.settings, catalog)
    else:
        with writing(cli, cli.project, lock_timeout) as session:
            report = session.refresh(force)
    if json:
        cli.out.value({"schema": 1, **asdict(report), "seconds": round(report.seconds, 3)})
    else:
        why = f" ({report.reason})" if report.reason else ""
        took = f"; {report.seconds:.1f} s" if report.status == "rebuilt" else ""
        cli.out.text(f"{report.status}{why}: {report.children} chunks, {report.terms} terms{took}")
    if report.status == "stale":
        raise SystemExit(int(ExitCode.FAILED))
