"""`edu restore`: a project out of the file that `edu backup` made."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.config import Settings, load_settings
from edu_cli.errors import ExitCode
from edu_cli.project import Project

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
    from edu_cli.wiring.backups import RestoreReport

app = new_app()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that edu backup made.", show_default=False)],
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the knowledge base that is there, its records, settings and prompts."),
    ] = False,
    lock_timeout: LockTimeoutOption = 60.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    no_progress: NoProgressOption = False,
    debug: DebugOption = False,
) -> None:
    """Bring back the project that FILE holds and make its indexes again; exit 1 when they could not be made.

    It goes to the folder that --project names, else to the project here, else to this folder.
    """
    from edu_cli.wiring.backups import restore as restore_project

    start = time.perf_counter()
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, no_progress=no_progress)
    where = cli.found or Project(Path.cwd())

    def settings() -> Settings:
        return load_settings(where.root, os.environ)

    with cli.out.progress() as progress:
        report = restore_project(file, where, settings, progress, force=force, lock_timeout_s=lock_timeout)
    _show(cli, where, report, time.perf_counter() - start)
    if report.missing:
        raise SystemExit(int(ExitCode.FAILED))


def _show(cli: Cli, where: Project, report: RestoreReport, seconds: float) -> None:
    warnings = [
        *report.warnings,
        *(f"{name} is there already and was kept: --force replaces it" for name in report.kept),
    ]
    if report.missing:
        warnings.append(f"indexes are not complete: {report.missing.message} Then run edu doctor --fix")
    for warning in warnings:
        cli.out.warn(warning)
    facts: dict[str, Any] = report.facts
    if cli.out.json:
        value = {"schema": 1, "project": str(where.root), "created": report.created, **facts}
        complete = report.missing is None
        cli.out.value({**value, "complete": complete, "warnings": warnings, "seconds": round(seconds, 3)})
        return
    records = facts.get("records") or {}
    cli.out.text(
        f"{where.root}: {facts.get('documents')} documents, {facts.get('children')} chunks, "
        f"{sum(records.values())} records of {report.created}; {seconds:.1f} s"
    )
