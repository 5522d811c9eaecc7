"""`edu eval`: score a data set, write the report, and fail the build when a gate fails."""

from __future__ import annotations

import json as json_module
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edu_cli.cli.context import (
    DebugOption,
    JsonOption,
    NoProgressOption,
    ProjectOption,
    QuietOption,
    VerboseOption,
    new_app,
    open_cli,
)
from edu_cli.cli.measured import draft_dataset, show_report, tell_calibration, write_files
from edu_cli.cli.scope import DocOption, FilterOption, SubjectOption, TenantOption, scope_flags
from edu_cli.errors import DatasetError, ExitCode, UsageError

if TYPE_CHECKING:
    from edu_cli.evaluate.retrieval import Mode
    from edu_cli.evaluate.run import Stage

app = new_app()


class Judged(str, Enum):  # noqa: UP042 - typer shows the values of a str Enum
    """Who judges answers besides the deterministic measures."""

    none = "none"
    llm = "llm"


@app.command(name="eval")
def evaluate_dataset(
    dataset: Annotated[Path, typer.Argument(help="A .jsonl data set or a BEIR folder.", show_default=False)],
    ks: Annotated[str, typer.Option("--k", metavar="K,K", help="Cutoffs of the measures.")] = "1,3,5,10",
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="modes", help="A row each: bm25, dense, sparse, hybrid, reranked."),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="MEASURE=X", help="Exit 5 when a figure is below X (repeatable)."),
    ] = None,
    baseline: Annotated[Path | None, typer.Option("--baseline", metavar="FILE", help="An earlier JSON report.")] = None,
    max_drop: Annotated[
        float, typer.Option("--max-drop", min=0.0, max=1.0, help="Largest drop against the baseline.")
    ] = 0.0,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", metavar="FILE", help="Write the report as .json, .html, .md or .csv (repeatable)."),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the gates as JUnit XML.")] = None,
    run: Annotated[Path | None, typer.Option("--run", metavar="FILE", help="Write the rankings as a TREC run.")] = None,
    stage: Annotated[
        str | None,
        typer.Option("--stage", metavar="S,S", help="routing, retrieval, generation. [default: all that have labels]"),
    ] = None,
    judge: Annotated[Judged, typer.Option("--judge", help="Let the LLM judge the answers too.")] = Judged.none,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an interrupted run was.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Fit the confidence on this data set; shown on a held half.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the fitted confidence to edu.toml.")] = False,
    init: Annotated[
        int | None, typer.Option("--init", min=1, metavar="N", help="Draft N questions from the corpus to DATASET.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Use the first N questions only.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of intervals and p-values.")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad line.")] = False,
    subject: SubjectOption = None,
    tenant: TenantOption = "",
    doc: DocOption = None,
    filters: FilterOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    no_progress: NoProgressOption = False,
    debug: DebugOption = False,
) -> None:
    """Score a data set: routing, retrieval and answers, with intervals; gates fail the build (exit 5)."""
    from edu_cli.evaluate.dataset import load_dataset
    from edu_cli.evaluate.files import checked_format
    from edu_cli.evaluate.gate import parse_bounds
    from edu_cli.evaluate.run import EvalOptions, evaluate
    from edu_cli.wiring.asking import find_scope
    from edu_cli.wiring.evaluation import eval_corpus, open_eval

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, no_progress=no_progress)
    if init is not None:
        draft_dataset(cli, dataset, init, seed, tenant)
        return
    if write and not calibrate:
        raise UsageError("--write needs --calibrate.", hint="edu eval DATASET --calibrate --write")
    for path in out or ():
        checked_format(path)
    bounds, cutoffs, stages = parse_bounds(fail_under or ()), _cutoffs(ks), _stages(stage)
    before = _read_baseline(baseline) if baseline else None
    corpus = eval_corpus(cli.project, tenant)
    found = load_dataset(dataset, list(corpus.docs), strict=strict)
    found = replace(found, items=found.items[:limit])
    scope = find_scope(cli.project, scope_flags(tenant, subject, doc, filters))
    modes = _modes(compare, has_vectors=corpus.encoder is not None)
    options = EvalOptions(
        cutoffs,
        modes,
        seed,
        cli.settings.ask.threshold,
        stages,
        bounds,
        before,
        max_drop,
        cli.settings.ask.passages,
        calibrate,
    )
    with (
        cli.out.progress() as progress,
        open_eval(
            cli.project,
            cli.settings,
            scope,
            progress,
            judged=judge == Judged.llm,
            resume=resume,
            corpus=corpus.corpus_hash,
        ) as tools,
    ):
        result = evaluate(found, corpus, options, tools)
    write_files(result, out or (), junit, run)
    show_report(cli, result.report)
    if calibrate:
        tell_calibration(cli, result.report, write=write)
    if not all(gate.ok for gate in result.gates):
        raise typer.Exit(int(ExitCode.GATE_FAILED))


def _stages(text: str | None) -> tuple[Stage, ...]:
    from edu_cli.evaluate.run import STAGES

    wanted = [] if text is None else [part.strip() for part in text.split(",")]
    for name in wanted:
        if name not in STAGES:
            raise UsageError(f"--stage {name} is none of {', '.join(STAGES)}.", hint="as in --stage routing,retrieval")
    return tuple(name for name in STAGES if name in wanted)


def _cutoffs(text: str) -> tuple[int, ...]:
    try:
        ks = sorted({int(part) for part in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1 or ks[-1] > 100:
        raise UsageError(f"--k {text} is not a list of numbers from 1 to 100.", hint="as in --k 1,3,5,10")
    return tuple(ks)


def _modes(compare: str | None, *, has_vectors: bool) -> tuple[Mode, ...]:
    from edu_cli.evaluate.retrieval import MODES, RERANKED

    if compare not in (None, "modes"):
        raise UsageError(f"--compare {compare} is unknown.", hint="--compare modes")
    if compare is None:
        return (RERANKED,)
    return MODES if has_vectors else tuple(mode for mode in MODES if mode.search in ("bm25", "hybrid"))


def _read_baseline(path: Path) -> dict[str, Any]:
    try:
        report = json_module.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"The baseline {path} cannot be read: {error}.", hint="edu eval … --out FILE.json"
        ) from error
    if not isinstance(report, dict) or "per_question" not in report:
        raise DatasetError(f"{path} is no report of edu eval.", hint="edu eval … --out FILE.json writes one")
    return report
