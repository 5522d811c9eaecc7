"""`edu backup`: the project in one file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from edu_cli.cli.context import new_app, open_cli
from edu_cli.errors import UsageError

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption

app = new_app()


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file to write.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE where it exists.")] = False,
    no_vectors: Annotated[
        bool,
        typer.Option("--no-vectors", help="Leave the vectors out: smaller, but restoring encodes all texts again."),
    ] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Write the project to FILE: documents, FAQ, pending questions, conversations, traces, vectors, settings, prompts.

    It may be in use meanwhile. The source files and .env are not part of it, nor are indexes, which `edu restore` makes
    again.
    """
    from edu_cli.wiring.backups import back_up

    start = time.perf_counter()
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    if file.is_dir():
        raise UsageError(f"{file} is a folder.", hint="name a file, such as backup.zip")
    if file.exists() and not force:
        raise UsageError(f"{file} exists already.", hint="--force replaces it")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"The folder {file.absolute().parent} does not exist.", hint="create it first")
    with cli.out.progress() as progress:
        report = back_up(cli.project, cli.settings, file.absolute(), vectors=not no_vectors, progress=progress)
    for warning in report.warnings:
        cli.out.warn(warning)
    seconds = time.perf_counter() - start
    facts = report.facts
    if json:
        cli.out.value(
            {
                "schema": 1,
                "file": str(file),
                "bytes": report.n_bytes,
                **facts,
                "files": list(report.files),
                "warnings": list(report.warnings),
                "seconds": round(seconds, 3),
            }
        )
        return
    records = sum(facts["records"].values())
    cli.out.text(
        f"{file}: {facts['documents']} documents, {facts['children']} chunks, {facts['vectors']} vectors, "
        f"{records} records; {report.n_bytes / 2**20:.1f} MB; {seconds:.1f} s"
    )
