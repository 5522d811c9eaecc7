"""`edu chat`: questions and answers at a prompt, kept as a conversation."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from edu_cli.ask.as_json import answer_json
from edu_cli.ask.memory import new_session_id
from edu_cli.ask.request import AskRequest
from edu_cli.ask.turn import UnansweredError
from edu_cli.cli.answers import failure_json, show_answer, show_passages, show_sources
from edu_cli.cli.context import new_app, open_cli
from edu_cli.cli.render import Output, show_error
from edu_cli.cli.scope import scope_flags
from edu_cli.errors import EduError
from edu_cli.serve.asker import Asker
from edu_cli.types import Answer

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import (
        DebugOption,
        DocOption,
        FilterOption,
        JsonOption,
        ProjectOption,
        QuietOption,
        SubjectOption,
        TenantOption,
        VerboseOption,
    )

app = new_app()
_HELP = "/sources, /explain, /new, /quit"


@app.command()
def chat(
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Continue this conversation.")] = None,
    continued: Annotated[bool, typer.Option("-c", "--continue", help="Continue the last conversation.")] = False,
    subject: SubjectOption = None,
    tenant: TenantOption = "",
    doc: DocOption = None,
    filters: FilterOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Remove sentences that the material does not bear out.")
    ] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Ask in a conversation; /sources, /explain, /new and /quit at the prompt.

    With --json, one object a line for each question on stdin.
    """
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    from edu_cli.wiring.asker import open_asker

    with open_asker(cli.project, cli.settings, cli.out.detail) as asker:
        scope = asker.find_scope(scope_flags(tenant, subject, doc, filters))
        last = asker.last_session(tenant) if continued else None
        wanted = AskRequest("", scope=scope, session=session or last or new_session_id(), strict=strict)
        cli.out.note(f"conversation {wanted.session}; {_HELP}")
        _converse(cli.out, asker, wanted)


def _converse(out: Output, asker: Asker, wanted: AskRequest) -> None:
    answer: Answer | None = None
    told: set[str] = set()
    while True:
        if sys.stdin.isatty() and not out.json:
            out.text("> ", end="")
        line = sys.stdin.readline()
        if not line or line.strip() in ("/quit", "/exit", "/q"):
            return
        line = line.strip()
        if line == "/new":
            wanted, answer = replace(wanted, session=new_session_id()), None
            out.note(f"conversation {wanted.session}")
        elif line.startswith("/"):
            _command(out, line, answer)
        elif line:
            answer = _answered(out, asker, replace(wanted, question=line), told) or answer


def _command(out: Output, line: str, answer: Answer | None) -> None:
    if line not in ("/sources", "/explain") or out.json:  # each object holds all that they would show
        out.note(_HELP)
    elif answer is None:
        out.note("nothing has been asked yet")
    elif line == "/sources":
        show_sources(out, answer)
        show_passages(out, answer.passages, answer.question)
    else:
        show_answer(out, answer, streamed="", explain=True)


def _answered(out: Output, asker: Asker, wanted: AskRequest, told: set[str]) -> Answer | None:
    """Answers and prints; a warning that the conversation has `told` already is not repeated."""
    if out.json:
        return _answered_json(out, asker, wanted)
    shown: list[str] = []

    def show(piece: str) -> None:
        shown.append(piece)
        out.text(piece, end="")

    try:
        answer = asker.ask(wanted, show if sys.stdout.isatty() and not wanted.strict else None)
    except EduError as error:  # the conversation goes on
        out.text("", end="\n" if shown else "")
        show_error(error.code, error.message, error.hint, as_json=False)
        if isinstance(error, UnansweredError):
            show_passages(out, error.passages, wanted.question)
        return None
    new = tuple(warning for warning in answer.warnings if warning not in told)
    told.update(new)
    show_answer(out, replace(answer, warnings=new), streamed="".join(shown), explain=False)
    return answer


def _answered_json(out: Output, asker: Asker, wanted: AskRequest) -> Answer | None:
    """Answers and prints one object: the answer, or the error with the passages found; the conversation goes on."""
    try:
        answer = asker.ask(wanted)
    except EduError as error:
        out.value(failure_json(error, wanted.question))
        return None
    out.value(answer_json(answer))
    return answer
