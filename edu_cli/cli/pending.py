"""`edu pending`: questions without a grounded answer, for a teacher to answer or reject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from edu_cli.cli.context import new_app
from edu_cli.cli.records import Desk, none_such, records_command, short
from edu_cli.errors import UsageError
from edu_cli.types import PendingQuestion

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import PendingArgument

app = new_app(default="list")

Status = Literal["open", "answered", "rejected", "all"]
Format = Literal["faq", "eval", "classifier"]


@app.callback()
def _pending() -> None:
    """Questions that got no grounded answer; an approved answer becomes an FAQ entry."""


@records_command(app, "list")
def list_(desk: Desk, status: Annotated[Status, typer.Option("--status", help="Which questions.")] = "open") -> None:
    """The questions that wait, the most asked first."""
    found = [q for q in desk.records.pending(desk.tenant) if status in ("all", q.status)]
    if desk.json:
        desk.out.value({"schema": 1, "pending": [_value(q) for q in found]})
        return
    rows = [(q.pending_id, str(q.times), f"{q.confidence:.2f}", q.status, q.subject, short(q.question)) for q in found]
    desk.rows(("id", "times", "confidence", "status", "subject", "question"), rows, ("question", "questions"), (1, 2))


@records_command(app)
def show(desk: Desk, pending_id: PendingArgument) -> None:
    """One question, with the sections nearest to it."""
    found = _found(desk, pending_id)
    if desk.json:
        desk.out.value({"schema": 1, **_value(found)})
        return
    desk.out.text(f"{found.question}\nasked {found.times} times, confidence {found.confidence:.2f}, {found.status}")
    for place in found.nearest:
        desk.out.text(f"- {place}")
    if found.answer:
        desk.out.text(f"answer: {found.answer}")


@records_command(app)
def answer(
    desk: Desk,
    pending_id: PendingArgument,
    text: Annotated[str, typer.Argument(metavar="ANSWER", help="The approved answer.", show_default=False)],
    question: Annotated[
        str | None,
        typer.Option("--question", metavar="TEXT", help="The question as the FAQ shall have it. [default: as asked]"),
    ] = None,
) -> None:
    """Approve an answer: it becomes an FAQ entry. Again: the entry gets the new answer."""
    if not text.strip() or (question is not None and not question.strip()):
        raise UsageError("A question and an answer are needed.", hint=f'edu pending answer {pending_id} "…"')
    found = _found(desk, pending_id)
    desk.records.settle_pending(desk.tenant, pending_id, "answered", text.strip(), (question or found.question).strip())
    _tell(desk, pending_id, "answered; it is an FAQ entry now")


@records_command(app)
def reject(desk: Desk, pending_id: PendingArgument) -> None:
    """Set a question aside."""
    _found(desk, pending_id)
    desk.records.settle_pending(desk.tenant, pending_id, "rejected")
    _tell(desk, pending_id, "rejected")


@records_command(app)
def export(
    desk: Desk,
    form: Annotated[Format, typer.Option("--format", help="For `faq import`, `eval` or `classifier train`.")] = "faq",
) -> None:
    """Print questions, one JSON object a line. Answered ones (faq, eval), or all but rejected (classifier)."""
    values = [value for q in desk.records.pending(desk.tenant) if (value := _exported(q, form)) is not None]
    if desk.json:
        desk.out.value({"schema": 1, "items": values})
        return
    for value in values:
        desk.out.value(value)


def _found(desk: Desk, pending_id: str) -> PendingQuestion:
    found = desk.records.pending_one(desk.tenant, pending_id)
    if found is None:
        raise none_such("pending question", pending_id, "pending")
    return found


def _tell(desk: Desk, pending_id: str, done: str) -> None:
    if desk.json:
        desk.out.value({"schema": 1, **_value(_found(desk, pending_id))})
    else:
        desk.out.text(done)


def _exported(question: PendingQuestion, form: Format) -> dict[str, object] | None:
    if form == "classifier":
        return None if question.status == "rejected" else {"text": question.question, "label": "course"}
    if question.status != "answered":
        return None
    value: dict[str, object] = {"question": question.question, "answer": question.answer, "subject": question.subject}
    return value if form == "faq" else {"id": question.pending_id, **value, "answerable": True}


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
