"""The flags of `edu eval`, and what they say once they are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from edu_cli.errors import UsageError

if TYPE_CHECKING:
    from edu_cli.evaluate.retrieval import Mode
    from edu_cli.evaluate.run import Stage


Judge = Literal["none", "llm"]

DatasetArgument = Annotated[
    Path, typer.Argument(metavar="DATASET", help="A .jsonl data set or a BEIR folder.", show_default=False)
]
CutoffsOption = Annotated[str, typer.Option("--k", metavar="K,K", help="Cutoffs of the measures.")]
CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare",
        metavar="WHAT",
        help="A row each: modes (bm25, dense, …, hybrid+rerank), strategies (direct, hyde, …), or both.",
    ),
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option("--fail-under", metavar="MEASURE=X", help="Exit 5 when a figure is below X (repeatable)."),
]
BaselineOption = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help="An earlier JSON report to compare with; see --max-drop."),
]
MaxDropOption = Annotated[
    float | None,
    typer.Option(
        "--max-drop", metavar="X", min=0.0, max=1.0, help="How far below the baseline's a figure may be. [default: 0]"
    ),
]
OutOption = Annotated[
    list[Path] | None,
    typer.Option("--out", metavar="FILE", help="Write the report as .json, .html, .md or .csv (repeatable)."),
]
JunitOption = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the gates as JUnit XML.")]
RunOption = Annotated[Path | None, typer.Option("--run", metavar="FILE", help="Write the rankings as a TREC run.")]
StageOption = Annotated[
    str | None,
    typer.Option("--stage", metavar="S,S", help="routing, retrieval, generation. [default: all that have labels]"),
]
JudgeOption = Annotated[Judge, typer.Option("--judge", help="Let the LLM judge the answers too.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on where an interrupted run was.")]
CalibrateOption = Annotated[
    bool, typer.Option("--calibrate", help="Fit the confidence on this data set; shown on a held half.")
]
WriteOption = Annotated[bool, typer.Option("--write", help="Write the fitted confidence to edu.toml.")]
InitOption = Annotated[
    int | None, typer.Option("--init", min=1, metavar="N", help="Draft N questions from the corpus to DATASET.")
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Use N questions, drawn by lot.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of intervals, p-values and --limit.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Stop at the first bad line.")]


@dataclass(frozen=True, slots=True)
class Compared:
    """What gets a row each."""

    modes: bool = False
    strategies: bool = False


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that are written."""

    reports: tuple[Path, ...] = ()
    junit: Path | None = None
    run: Path | None = None


@dataclass(frozen=True, slots=True)
class EvalFlags:
    """What to measure and what must hold."""

    ks: tuple[int, ...]
    compared: Compared
    stages: tuple[Stage, ...]
    bounds: Mapping[str, float]
    baseline: Path | None
    max_drop: float
    judged: bool
    resume: bool
    calibrate: bool
    limit: int | None
    seed: int
    strict: bool


def cutoffs(text: str) -> tuple[int, ...]:
    """`1,3,5,10` as numbers in order. Raises UsageError."""
    try:
        ks = sorted({int(part) for part in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1 or ks[-1] > 100:
        raise UsageError(f"--k {text} is not a list of numbers from 1 to 100.", hint="as in --k 1,3,5,10")
    return tuple(ks)


def stages(text: str | None) -> tuple[Stage, ...]:
    """The stages named, in the order of the pipeline; () for all that have labels. Raises UsageError."""
    from edu_cli.evaluate.run import STAGES

    wanted = _named("--stage", text, STAGES)
    return tuple(name for name in STAGES if name in wanted)


def compared(text: str | None) -> Compared:
    """What `--compare` asks for. Raises UsageError."""
    wanted = _named("--compare", text, ("modes", "strategies"))
    return Compared("modes" in wanted, "strategies" in wanted)


def outputs(out: Sequence[Path] | None, junit: Path | None, run: Path | None, baseline: Path | None) -> Outputs:
    """The files, checked before anything is spent on what could not be written. Raises UsageError, StoreError.

    The baseline is none of them: a build that failed would pass when it is run again.
    """
    from edu_cli.evaluate.files import check_writable, checked_format

    for path in out or ():
        checked_format(path)
    for path in filter(None, (*(out or ()), junit, run)):
        if baseline and path.absolute() == baseline.absolute():
            raise UsageError(f"{path} is the baseline and would be overwritten.", hint="write to another file")
        check_writable(path)
    return Outputs(tuple(out or ()), junit, run)


def modes_of(wanted: Compared, default: str, *, has_vectors: bool) -> tuple[Mode, ...]:
    """The ways of searching that are run, last the one that `default` (search.mode) sets; without vectors fewer."""
    from edu_cli.evaluate.retrieval import MODES, RERANKED

    last = next((mode for mode in MODES if mode.name == default != "hybrid"), RERANKED)
    if not wanted.modes:
        return (last,)
    able = MODES if has_vectors else tuple(mode for mode in MODES if mode.search in ("bm25", "hybrid"))
    return (*(mode for mode in able if mode != last), last)


def _named(flag: str, text: str | None, known: Sequence[str]) -> list[str]:
    wanted = [] if text is None else [part.strip() for part in text.split(",")]
    for name in wanted:
        if name not in known:
            raise UsageError(f"{flag} {name} is none of {', '.join(known)}.", hint=f"as in {flag} {','.join(known)}")
    return wanted
