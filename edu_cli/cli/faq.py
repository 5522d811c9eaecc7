"""`edu faq`: approved questions and answers, which `ask` consults before it searches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from edu_cli.cli.context import new_app
from edu_cli.cli.records import Desk, records_command, short
from edu_cli.errors import UsageError
from edu_cli.types import FaqEntry, FaqRecord

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import FaqSubjectOption, OnlySubjectOption

app = new_app(default="list")


@app.callback()
def _faq() -> None:
    """Approved questions and answers, consulted before anything is searched."""


@records_command(app, "import", create=True)
def import_(
    desk: Desk,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="csv, tsv, xlsx or jsonl with question and answer.")],
    subject: FaqSubjectOption = "",
) -> None:
    """Add the entries of FILE. The same question again gets the new answer."""
    from edu_cli.wiring.recording import read_faq_file

    entries, warnings = read_faq_file(path)
    if subject:
        entries = [FaqEntry(e.question, e.answer, e.subject or subject, e.line) for e in entries]
    counts = desk.records.add_faq(desk.tenant, entries, path.name)
    for warning in warnings:
        desk.out.warn(warning)
    if desk.json:
        desk.out.value({"schema": 1, **counts, "skipped": len(warnings), "warnings": warnings})
    else:
        desk.out.text(f"{counts['added']} added, {counts['updated']} updated, {counts['unchanged']} unchanged")


@records_command(app, "list")
def list_(desk: Desk, subject: OnlySubjectOption = None) -> None:
    """The entries, those of ingested tables too."""
    entries = desk.records.faq(desk.tenant, subject)
    if desk.json:
        desk.out.value({"schema": 1, "entries": [_value(e) for e in entries]})
        return
    rows = [(e.faq_id, e.subject, short(e.question), short(e.answer), e.source) for e in entries]
    desk.rows(("id", "subject", "question", "answer", "source"), rows, ("entry", "entries"), ())


@records_command(app, create=True)
def add(
    desk: Desk,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="Its answer.", show_default=False)],
    subject: FaqSubjectOption = "",
) -> None:
    """Add one entry, or give an existing question a new answer."""
    from edu_cli.index.records import faq_id

    if not question.strip() or not answer.strip():
        raise UsageError("A question and an answer are needed.", hint='edu faq add "…？" "…。"')
    counts = desk.records.add_faq(desk.tenant, [FaqEntry(question.strip(), answer.strip(), subject)], "added")
    key = faq_id(desk.tenant, subject, question.strip())
    if desk.json:
        desk.out.value({"schema": 1, "id": key})
    else:
        desk.out.text(key)
        desk.out.note(next(status for status, n in counts.items() if n))


@records_command(app)
def remove(
    desk: Desk, ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids as `edu faq list` shows them.")]
) -> None:
    """Remove entries. Those of an ingested table go with their document."""
    missing = desk.records.remove_faq(desk.tenant, ids)
    sources = {e.faq_id: e.source for e in desk.records.faq(desk.tenant, None) if e.faq_id in missing}
    reasons = [
        f"{key} stands in {sources[key]}: edit that file and ingest it"
        if key in sources
        else f"there is no entry {key}"
        for key in missing
    ]
    removed = [key for key in ids if key not in missing]
    if desk.json:
        error = {"code": "usage", "message": "; ".join(reasons), "hint": "`edu faq list` shows the entries"}
        value = {"schema": 1, "removed": removed, "missing": missing}
        desk.out.value({**value, "error": error} if missing else value)
    else:
        desk.out.text(f"{len(removed)} removed")
    for reason in reasons:
        desk.out.warn(reason)
    if missing:
        raise SystemExit(1)


@records_command(app)
def export(desk: Desk, subject: OnlySubjectOption = None) -> None:
    """Print the entries, one JSON object a line. `edu faq import` reads them; with --json they are one value."""
    entries = desk.records.faq(desk.tenant, subject)
    if desk.json:
        desk.out.value({"schema": 1, "entries": [_value(e) for e in entries]})
        return
    for entry in entries:
        desk.out.value(_value(entry))


def _value(entry: FaqRecord) -> dict[str, str]:
    return {
        "id": entry.faq_id,
        "subject": entry.subject,
        "question": entry.question,
        "answer": entry.answer,
        "source": entry.source,
    }
