"""`edu faq`: approved questions and answers, which `ask` consults before it searches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edu_cli.cli.context import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, new_app, open_cli
from edu_cli.cli.records import TenantOption, records_of, short
from edu_cli.errors import UsageError
from edu_cli.types import FaqEntry, FaqRecord

app = new_app()
SubjectOption = Annotated[str, typer.Option("--subject", metavar="NAME", help="The subject they belong to.")]


@app.callback()
def _faq() -> None:
    """Approved questions and answers, consulted before anything is searched."""


@app.command(name="import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="csv, tsv, xlsx or jsonl with question and answer.")],
    subject: SubjectOption = "",
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Add the entries of FILE; the same question again gets the new answer."""
    from edu_cli.wiring.recording import read_faq_file

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    entries, warnings = read_faq_file(path)
    if subject:
        entries = [FaqEntry(e.question, e.answer, e.subject or subject, e.line) for e in entries]
    with records_of(cli, create=True) as records:
        counts = records.add_faq(tenant, entries, path.name)
    for warning in warnings:
        cli.out.warn(warning)
    if json:
        cli.out.value({"schema": 1, **counts, "skipped": len(warnings), "warnings": warnings})
    else:
        cli.out.text(f"{counts['added']} added, {counts['updated']} updated, {counts['unchanged']} unchanged")


@app.command(name="list")
def list_(
    subject: Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only this subject's.")] = None,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The entries, those of ingested tables too."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        entries = records.faq(tenant, subject)
    if json:
        cli.out.value({"schema": 1, "entries": [_value(e) for e in entries]})
        return
    cli.out.table(
        ("id", "subject", "question", "answer", "source"),
        [(e.faq_id, e.subject, short(e.question), short(e.answer), e.source) for e in entries],
    )
    cli.out.note(f"{len(entries)} entries")


@app.command()
def add(
    question: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    answer: Annotated[str, typer.Argument(help="Its answer.", show_default=False)],
    subject: SubjectOption = "",
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Add one entry, or give an existing question a new answer."""
    from edu_cli.index.records import faq_id

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    if not question.strip() or not answer.strip():
        raise UsageError("A question and an answer are needed.", hint='edu faq add "…？" "…。"')
    with records_of(cli, create=True) as records:
        records.add_faq(tenant, [FaqEntry(question.strip(), answer.strip(), subject)], "added")
    key = faq_id(tenant, subject, question.strip())
    if json:
        cli.out.value({"schema": 1, "id": key})
    else:
        cli.out.text(key)


@app.command()
def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids as `edu faq list` shows them.")],
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Remove entries. Those of an ingested table go with their document."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        missing = records.remove_faq(tenant, ids)
        ingested = {e.faq_id: e.source for e in records.faq(tenant, None) if e.faq_id in missing}
    if json:
        cli.out.value({"schema": 1, "removed": [i for i in ids if i not in missing], "missing": missing})
    else:
        cli.out.text(f"{len(ids) - len(missing)} removed")
    for key in missing:
        source = ingested.get(key)
        cli.out.warn(
            f"{key} stands in {source}: edit that file and ingest it" if source else f"there is no entry {key}"
        )
    if missing:
        raise typer.Exit(1)


@app.command()
def export(
    subject: Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only this subject's.")] = None,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Print the entries, one JSON object a line, as `edu faq import` reads them (with --json: one value)."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        entries = records.faq(tenant, subject)
    if json:
        cli.out.value({"schema": 1, "entries": [_value(e) for e in entries]})
        return
    for entry in entries:
        cli.out.value(_value(entry))


def _value(entry: FaqRecord) -> dict[str, str]:
    return {
        "id": entry.faq_id,
        "subject": entry.subject,
        "question": entry.question,
        "answer": entry.answer,
        "source": entry.source,
    }
