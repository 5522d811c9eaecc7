"""`edu ingest`: files and folders into the knowledge base."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.cli.writing import locked, opened
from edu_cli.errors import ExitCode
from edu_cli.project import Project, create_state

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
    from edu_cli.ingest.receipt import Receipt
    from edu_cli.ingest.request import IngestRequest

app = new_app()


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH...", help="Files and folders. [default: the earlier ones]", show_default=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would happen, per file.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Read all files again.")] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Encode everything again, by a new encoder.")] = False,
    encoder: Annotated[str | None, typer.Option(metavar="NAME", help="auto, e5-small, bge-m3 or none.")] = None,
    ocr: Annotated[str | None, typer.Option(metavar="WHEN", help="auto, always or never.")] = None,
    subject: Annotated[
        str | None, typer.Option(metavar="NAME", help="Subject of all files. [default: the first folder below PATH]")
    ] = None,
    tenant: Annotated[str, typer.Option(metavar="NAME", help="Whom the files belong to.")] = "",
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="auto, general, technical, legal, code or exam.")
    ] = None,
    password: Annotated[str | None, typer.Option(metavar="P", help="Opens encrypted PDFs and Office files.")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Files loaded at once. [default: one a core]")] = None,
    no_prune: Annotated[bool, typer.Option("--no-prune", help="Keep documents whose files are gone.")] = False,
    no_index: Annotated[bool, typer.Option("--no-index", help="Leave the BM25 index as it is.")] = False,
    lock_timeout: LockTimeoutOption = 60.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    no_progress: NoProgressOption = False,
    debug: DebugOption = False,
) -> None:
    """Load files and folders into the knowledge base; afterwards it holds what is on disk.

    Unchanged files are not read, only new text is encoded, and what has disappeared below a PATH is removed.
    """
    flags = {
        "encoder.name": encoder,
        "ingest.ocr": ocr,
        "ingest.profile": profile,
        "ingest.pdf_password": password,
        "ingest.jobs": jobs,
    }
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, no_progress=no_progress, overrides=flags)
    where = cli.found or Project(Path.cwd())
    request = _request(cli, where, paths or [], tenant, subject, force=force, prune=not no_prune, rebuild=rebuild)
    from edu_cli.cli.receipt import receipt_json, show_receipt

    receipt = _preview(where, request) if dry_run else _ingest(cli, where, request, lock_timeout, index=not no_index)
    if json:
        cli.out.value(receipt_json(receipt, verbose=verbose))
    else:
        show_receipt(cli.out, receipt, dry_run=dry_run)
    if receipt.counts()["failed"]:
        raise SystemExit(int(ExitCode.PARTIAL))


def _request(
    cli: Cli,
    where: Project,
    paths: list[Path],
    tenant: str,
    subject: str | None,
    *,
    force: bool,
    prune: bool,
    rebuild: bool,
) -> IngestRequest:
    from edu_cli.ingest.request import IngestRequest

    settings = cli.settings
    profile: Any = None if settings.ingest.profile == "auto" else settings.ingest.profile
    return IngestRequest(
        tuple(paths),
        where.root,
        settings.split,
        tenant,
        subject,
        profile,
        settings.ingest.ocr,
        force=force,
        prune=prune,
        rebuild=rebuild,
    )


def _preview(where: Project, request: IngestRequest) -> Receipt:
    """What an ingest would do; nothing is written, not even `.edu/`."""
    from edu_cli.ingest.pipeline import preview
    from edu_cli.wiring.ingesting import open_preview

    with open_preview(where) as catalog:
        return preview(request, catalog)


def _ingest(cli: Cli, where: Project, request: IngestRequest, lock_timeout_s: float, *, index: bool) -> Receipt:
    from edu_cli.cli.boundary import called
    from edu_cli.cli.noting import glance, note_receipt
    from edu_cli.ingest.pipeline import ingest, paths_of
    from edu_cli.ingest.roots import targets_of

    if request.paths and not where.catalog_path.exists():
        targets_of(request.paths, where.root, request.tenant, ())  # a wrong PATH leaves no empty project behind
    create_state(where)
    with locked(cli, where, lock_timeout_s):
        with opened(cli, where, lock_timeout_s, rebuild=request.rebuild) as session:
            seen = glance(cli, where, request, called(), paths_of(request, session.catalog)[0])
            receipt = ingest(request, session.tools)
            report = session.refresh(False) if index else session.refresh_copy()
        seconds = report.seconds if report else 0.0
        total = receipt.seconds["total"] + seconds
        receipt = replace(receipt, seconds={**receipt.seconds, "index": seconds, "total": total})
        note_receipt(where, seen, receipt, as_json=cli.out.json)
    return receipt
