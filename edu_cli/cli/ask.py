"""`edu ask`: one question, or a batch of them, through the whole pipeline."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from edu_cli.ask.as_json import answer_json
from edu_cli.ask.request import AskRequest
from edu_cli.ask.turn import UnansweredError
from edu_cli.cli.answers import failure_json, show_answer, show_passages
from edu_cli.cli.context import new_app, open_cli
from edu_cli.cli.questions import one_question, read_batch
from edu_cli.cli.render import show_error, to_json
from edu_cli.cli.scope import ScopeFor, scope_by_subject, scope_flags
from edu_cli.errors import EduError, ExitCode, UsageError

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.context import Cli
    from edu_cli.cli.flags import (
        DebugOption,
        DocOption,
        FilterOption,
        JsonOption,
        Mode,
        ProjectOption,
        QuestionArgument,
        QuietOption,
        SubjectOption,
        TenantOption,
        VerboseOption,
    )
    from edu_cli.serve.asker import Asker
    from edu_cli.types import Answer

app = new_app()

Strategy = Literal["auto", "direct", "hyde", "multi-query", "step-back"]
Route = Literal["auto", "rag", "general", "faq"]


@app.command()
def ask(
    question: QuestionArgument = None,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", min=1, max=50, help="Passages given to the model.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Which legs search.")] = None,
    rerank: Annotated[
        bool, typer.Option("--rerank/--no-rerank", help="Let the reranker read the first passages, or not.")
    ] = True,
    subject: SubjectOption = None,
    tenant: TenantOption = "",
    doc: DocOption = None,
    filters: FilterOption = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Ask within this conversation.")
    ] = None,
    continued: Annotated[bool, typer.Option("-c", "--continue", help="Continue the last conversation.")] = False,
    strategy: Annotated[Strategy, typer.Option("--strategy", help="How to search.")] = "auto",
    route: Annotated[Route, typer.Option("--route", help="Which part answers.")] = "auto",
    web: Annotated[
        bool | None,
        typer.Option("--web/--no-web", help="Search the web where the material has no answer.", show_default=False),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Do not answer from earlier answers.")] = False,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Print the answer when it is complete.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how the answer was reached.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Remove sentences that the material does not bear out.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Write the answer with all its steps to FILE as JSON."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Stop before searching: show route and strategy.")] = False,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="Answer one question a line (plain or JSON); - reads stdin."),
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Answer a question from the material, with citations, or decline (exit 4)."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    if batch is not None and question is not None:
        raise UsageError("--batch and a question exclude each other.", hint="put the question into the file")
    if session and continued:
        raise UsageError("--session and -c exclude each other.", hint="-c continues the last conversation")
    wanted = AskRequest(
        one_question(question) if batch is None else "",
        mode=mode or cli.settings.search.mode,
        k=k,
        rerank=rerank,
        strategy=strategy,
        route=route,
        session=session,
        resume=continued,
        web=web,
        cache=not (no_cache or plan),  # an answer from the cache has no plan
        strict=strict,
        plan=plan,
    )
    from edu_cli.wiring.asker import open_asker

    flags = scope_flags(tenant, subject, doc, filters)
    with _traced(trace) as keep, open_asker(cli.project, cli.settings, cli.out.detail) as asker:
        scope_for = scope_by_subject(asker.find_scope, flags)
        wanted = replace(wanted, scope=scope_for(None))
        if batch is not None:
            raise SystemExit(_run_batch(cli, asker, wanted, batch, scope_for))
        answer = _answered(cli, asker, wanted, keep, stream=not no_stream, explain=explain)
    if answer.refused:
        raise SystemExit(int(ExitCode.NOT_CONFIDENT))


def _answered(
    cli: Cli, asker: Asker, wanted: AskRequest, keep: Callable[[Any], None], *, stream: bool, explain: bool
) -> Answer:
    """Answers, prints and keeps; where the LLM fails, prints the passages found and the error, and exits 1."""
    live = stream and not cli.out.json and not wanted.strict and sys.stdout.isatty()
    shown: list[str] = []

    def show(piece: str) -> None:
        shown.append(piece)
        cli.out.text(piece, end="")

    try:
        answer = asker.ask(wanted, show if live else None)
    except UnansweredError as error:
        told = failure_json(error, wanted.question)
        keep(told)
        if cli.out.json:
            cli.out.value(told)
            show_error(error.code, error.message, error.hint, as_json=False)
        else:
            cli.out.text("", end="\n" if shown else "")
            show_error(error.code, error.message, error.hint, as_json=False)
            show_passages(cli.out, error.passages, wanted.question)
        raise SystemExit(int(error.exit_code)) from error
    keep(answer_json(answer))
    if cli.out.json:
        cli.out.value(answer_json(answer))
        for warning in answer.warnings:
            cli.out.warn(warning)
    else:
        show_answer(cli.out, answer, streamed="".join(shown), explain=explain or wanted.plan)
    return answer


@contextmanager
def _traced(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """Keeps a value in a file; raises UsageError at once where it cannot be written, before anything is sought.

    Where there comes nothing to keep, no empty file is left behind.
    """
    if path is None:
        yield lambda _: None
        return
    is_new = not path.exists()
    try:
        path.open("a").close()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", hint="name a file in a folder of yours"
        ) from error
    try:
        yield partial(_write, path)
    finally:
        if is_new and path.stat().st_size == 0:
            path.unlink()


def _write(path: Path, value: Any) -> None:
    path.write_text(to_json(value) + "\n", encoding="utf-8")


def _run_batch(cli: Cli, asker: Asker, wanted: AskRequest, source: str, scope_for: ScopeFor) -> int:
    """One result object a line, in order; a question that fails becomes an error object and the rest go on.

    The exit code is 1 where a line failed, whatever failed in it: 2 says that nothing was asked.
    """
    worst = 0
    for item in read_batch(source):
        try:
            if item.error:
                raise item.error
            scope = scope_for(item.subject)
            answer = asker.ask(replace(wanted, question=item.question, scope=scope, history=item.history))
            value = answer_json(answer)
            worst = max(worst, int(ExitCode.NOT_CONFIDENT) if answer.refused and worst != 1 else worst)
        except EduError as error:
            value, worst = failure_json(error, item.question), 1
        cli.out.value(value if item.id is None else {"id": item.id, **value})
    return worst
