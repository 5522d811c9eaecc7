"""`edu search`: passages for a question, without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.cli.questions import one_question, read_batch
from edu_cli.cli.scope import ScopeFor, scope_by_subject, scope_flags
from edu_cli.cli.visible import safe
from edu_cli.errors import EduError, ExitCode, UsageError

if TYPE_CHECKING:
    import typer

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
    from edu_cli.protocols import PassageSearch
    from edu_cli.types import Passage, Scope, SearchResult

app = new_app()


@app.command()
def search(
    question: QuestionArgument = None,
    k: Annotated[int | None, typer.Option("-k", metavar="N", min=1, max=1000, help="Hits shown. [default: 10]")] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Which legs search. [default: hybrid]")] = None,
    rerank: Annotated[
        bool | None,
        typer.Option(
            "--rerank/--no-rerank",
            help="Let the reranker read the first hits. [default: only one that EDU_RERANKER names]",
            show_default=False,
        ),
    ] = None,
    subject: SubjectOption = None,
    tenant: TenantOption = "",
    doc: DocOption = None,
    filters: FilterOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show each leg's rank, score and share.")] = False,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="Search for one question a line (plain or JSON); - reads stdin."),
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Find passages, without an answer; exit 4 when they hardly hold one."""
    overrides = {"search.k": k, "search.mode": mode}
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, overrides=overrides)
    if rerank is None:  # `ask` reads by itself; here it costs ten times the search for .007 nDCG@10 (README)
        rerank = cli.settings.search.reranker not in ("auto", "none")
    if batch is not None and question is not None:
        raise UsageError("--batch and a question exclude each other.", hint="put the question into the file")
    asked = one_question(question, "search") if batch is None else ""
    from edu_cli.wiring.asker import open_asker

    with open_asker(cli.project, cli.settings, cli.out.detail) as searcher:
        scope_for = scope_by_subject(searcher.find_scope, scope_flags(tenant, subject, doc, filters))
        scope = scope_for(None)
        if batch is not None:
            raise SystemExit(_run_batch(cli, searcher, batch, scope_for, rerank=rerank))
        result = _found(cli, searcher, asked, scope, rerank=rerank)
    for warning in result.warnings:
        cli.out.warn(warning)
    if json:
        cli.out.value(result_json(result))
    else:
        _show(cli, result, explain=explain)
    if not _is_confident(cli, result):
        raise SystemExit(int(ExitCode.NOT_CONFIDENT))


def result_json(result: SearchResult) -> dict[str, Any]:
    """The JSON object of `edu search`."""
    return {
        "schema": 1,
        "question": result.question,
        "confidence": round(result.confidence, 4),
        "hits": [_hit_json(passage) for passage in result.passages],
        "seconds": {name: round(seconds, 6) for name, seconds in result.seconds.items()},
    }


def _hit_json(passage: Passage) -> dict[str, Any]:
    return {
        "rank": passage.rank,
        "score": passage.score,
        "doc": passage.doc,
        "title": passage.title,
        "section": list(passage.section),
        "page": passage.page,
        "subject": passage.subject,
        "parent_id": passage.parent_id,
        "child_id": passage.child_id,
        "text": passage.text,
        "context": passage.context,
        "also": list(passage.also),
        "sources": {
            leg: {"rank": source.rank, "score": source.score, "share": source.share}
            for leg, source in passage.sources.items()
        },
        "rerank_score": passage.rerank_score,
    }


def _found(cli: Cli, searcher: PassageSearch, question: str, scope: Scope, *, rerank: bool) -> SearchResult:
    from edu_cli.types import SearchRequest

    search = cli.settings.search
    return searcher.search(SearchRequest(question, k=search.k, mode=search.mode, scope=scope, rerank=rerank))


def _is_confident(cli: Cli, result: SearchResult) -> bool:
    return bool(result.passages) and result.confidence >= cli.settings.ask.threshold


def _run_batch(cli: Cli, searcher: PassageSearch, source: str, scope_for: ScopeFor, *, rerank: bool) -> int:
    """As `edu ask --batch`: an object a line; 1 where a line failed, 4 where no line did and one found too little."""
    worst = ExitCode.OK
    for item in read_batch(source):
        try:
            if item.error:
                raise item.error
            result = _found(cli, searcher, item.question, scope_for(item.subject), rerank=rerank)
            value = result_json(result)
            if not _is_confident(cli, result) and worst == ExitCode.OK:
                worst = ExitCode.NOT_CONFIDENT
        except EduError as error:
            told = {"code": error.code, "message": safe(error.message), "hint": safe(error.hint)}
            value, worst = {"schema": 1, "question": item.question, "error": told}, ExitCode.FAILED
        cli.out.value(value if item.id is None else {"id": item.id, **value})
    return int(worst)


def _show(cli: Cli, result: SearchResult, *, explain: bool) -> None:
    from edu_cli.cli.hits import show_hits

    if not result.passages:
        cli.out.text("没有找到相关内容。")
        return
    show_hits(cli.out, result, explain=explain)
    sure = f"confidence {result.confidence:.2f}"
    if not _is_confident(cli, result):
        sure += f", below the threshold {cli.settings.ask.threshold:.2f}: the answer may not be in the material"
    cli.out.text(sure)
