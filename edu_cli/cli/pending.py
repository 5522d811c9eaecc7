"""`edu pending`: questions without a grounded answer, for a teacher to answer or reject."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from edu_cli.cli.context import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, new_app, open_cli
from edu_cli.cli.records import TenantOption, none_such, records_of, short
from edu_cli.errors import UsageError
from edu_cli.types import PendingQuestion

app = new_app()
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `edu pending list` shows it.", show_default=False)]


class Status(str, Enum):  # noqa: UP042 - typer shows the values of a str Enum
    """Which questions."""

    open = "open"
    answered = "answered"
    rejected = "rejected"
    all = "all"


class Format(str, Enum):  # noqa: UP042
    """What the export is for."""

    faq = "faq"
    eval = "eval"
    classifier = "classifier"


@app.callback()
def _pending() -> None:
    """Questions that got no grounded answer; an approved answer becomes an FAQ entry."""


@app.command(name="list")
def list_(
    status: Annotated[Status, typer.Option("--status", help="Which questions.")] = Status.open,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The questions that wait, the most asked first."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        found = [q for q in records.pending(tenant) if status.value in ("all", q.status)]
    if json:
        cli.out.value({"schema": 1, "pending": [_value(q) for q in found]})
        return
    rows = [(q.pending_id, str(q.times), f"{q.confidence:.2f}", q.status, q.subject, short(q.question)) for q in found]
    cli.out.table(("id", "times", "confidence", "status", "subject", "question"), rows, right=(1, 2))
    cli.out.note(f"{len(found)} questions")


@app.command()
def show(
    pending_id: IdArgument,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """One question, with the sections nearest to it."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        found = records.pending_one(tenant, pending_id)
    if found is None:
        raise none_such("pending question", pending_id, "pending")
    if json:
        cli.out.value({"schema": 1, **_value(found)})
        return
    cli.out.text(f"{found.question}\nasked {found.times} times, confidence {found.confidence:.2f}, {found.status}")
    for place in found.nearest:
        cli.out.text(f"- {place}")
    if found.answer:
        cli.out.text(f"answer: {found.answer}")


@app.command()
def answer(
    pending_id: IdArgument,
    text: Annotated[str, typer.Argument(metavar="ANSWER", help="The approved answer.", show_default=False)],
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Approve an answer: it becomes an FAQ entry."""
    if not text.strip():
        raise UsageError("The answer is empty.", hint=f'edu pending answer {pending_id} "…"')
    _settle(project, json, quiet, verbose, tenant, pending_id, text.strip())


@app.command()
def reject(
    pending_id: IdArgument,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Set a question aside."""
    _settle(project, json, quiet, verbose, tenant, pending_id, None)


@app.command()
def export(
    form: Annotated[
        Format, typer.Option("--format", help="For `faq import`, `eval` or `classifier train`.")
    ] = Format.faq,
    tenant: TenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Print questions, one JSON object a line: answered ones (faq, eval), or all but rejected (classifier)."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        found = records.pending(tenant)
    values = [value for q in found if (value := _exported(q, form)) is not None]
    if json:
        cli.out.value({"schema": 1, "items": values})
        return
    for value in values:
        cli.out.value(value)


def _settle(
    project: str | None, json: bool, quiet: bool, verbose: bool, tenant: str, pending_id: str, text: str | None
) -> None:
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with records_of(cli) as records:
        if records.pending_one(tenant, pending_id) is None:
            raise none_such("pending question", pending_id, "pending")
        records.settle_pending(tenant, pending_id, "rejected" if text is None else "answered", text or "")
        settled = records.pending_one(tenant, pending_id)
    if json and settled:
        cli.out.value({"schema": 1, **_value(settled)})
    else:
        cli.out.text("rejected" if text is None else "answered; it is an FAQ entry now")


def _exported(question: PendingQuestion, form: Format) -> dict[str, object] | None:
    if form is Format.classifier:
        return None if question.status == "rejected" else {"text": question.question, "label": "course"}
    if question.status != "answered":
        return None
    value: dict[str, object] = {"question": question.question, "answer": question.answer, "subject": question.subject}
    return value if form is Format.faq else {"id": question.pending_id, **value, "answerable": True}


def _value(question: PendingQuestion) -> dict[str, object]:
    return {
        "id": question.pending_id,
        "subject": question.subject,
        "question": question.question,
        "confidence": question.confidence,
        "nearest": list(question.nearest),
        "times": question.times,
        "status": question.status,
        "answer": question.answer or None,
        "created_at": question.created_at,
    }
