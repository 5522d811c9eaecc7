"""What `edu eval` prints and writes once it has measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli.cli.context import Cli
from edu_cli.cli.eval_flags import Outputs
from edu_cli.errors import DatasetError, UsageError

if TYPE_CHECKING:
    from edu_cli.evaluate.run import EvalResult

_WARNINGS_SHOWN = 10
_LABELS = {
    "routing": "routes: no question has a `route` or `strategy`",
    "retrieval": "passages: no question has `relevant` entries",
    "generation": "answers: no question has an `answer` or is not `answerable`",
}


def show_report(cli: Cli, report: dict[str, Any]) -> None:
    """The report as JSON or tables on stdout; what was left out, failed or missed its gate on stderr."""
    from edu_cli.evaluate.tables import headline_of, tables_of

    generation = report.get("generation", {})
    for told in (
        [f"line {bad['line']} {bad['reason']}; it is left out" for bad in report["invalid"]],
        report["warnings"],
        [f"{one['id']} was not answered: {one['reason']}" for one in generation.get("failures", [])],
        [
            f"the judge failed {one['measure']} of {one['id']}, which counts as 0: {one['reason']}"
            for one in generation.get("judge_failures", [])
        ],
    ):
        _warn(cli, told)
    if cli.out.json:
        cli.out.value(report)
        return
    cli.out.text(headline_of(report))
    for table in tables_of(report):
        cli.out.text(f"\n{table.title}")
        for note in table.notes:
            cli.out.text(f"  {note}")
        if table.rows:
            cli.out.table(table.headers, table.rows, right=table.numbers)
    for stage in report["without_labels"]:
        cli.out.note(f"not measured: {_LABELS[stage]}")
    for gate in report.get("gates", []):
        if not gate["ok"]:
            got = "nothing" if gate["got"] is None else f"{gate['got']:.4f}"
            note = f" ({gate['note']})" if gate["note"] else ""
            cli.out.warn(f"gate {gate['measure']}: got {got}, wanted at least {gate['wanted']:.4f}{note}")


def _warn(cli: Cli, lines: Sequence[str]) -> None:
    shown = len(lines) if cli.out.verbose else _WARNINGS_SHOWN
    for line in lines[:shown]:
        cli.out.warn(line)
    if lines[shown:]:
        cli.out.warn(f"{len(lines) - shown} more like these; -v shows them all")


def write_files(result: EvalResult, places: Outputs) -> None:
    """The files that were asked for."""
    from edu_cli.evaluate.files import to_junit, to_trec_run, write_report, write_text

    for path in places.reports:
        write_report(result.report, path)
    if places.junit:
        write_text(places.junit, to_junit(result.report))
    if places.run:
        write_text(places.run, to_trec_run(result.run, "edu"))


def tell_calibration(cli: Cli, report: dict[str, Any], *, write: bool) -> None:
    """Tells what the fit came to, and writes it: composed with the correction in force, which it was measured on."""
    found = report.get("calibration", {}).get("fit")
    if not found:
        cli.out.warn("the confidence could not be fitted: both answered and unanswered questions are needed")
        return
    before, after = found["before"]["ece"], found["after"]["ece"]
    cli.out.note(f"calibration error on {found['after']['n']} held cases: {before:.3f} before, {after:.3f} after")
    if after > before:
        cli.out.warn("the fit is no better than what is in force" + ", so it was not written" * write)
        return
    if not write:
        return
    from edu_cli.toml_edit import write_settings

    search = cli.settings.search
    scale = round(found["scale"] * search.confidence_scale, 6)
    shift = round(found["scale"] * search.confidence_shift + found["shift"], 6)
    path = cli.project.root / "edu.toml"
    write_settings(path, "search", {"confidence_scale": scale, "confidence_shift": shift})
    cli.out.note(f"written to {path}")


def draft_dataset(cli: Cli, path: Path, n: int, seed: int, tenant: str) -> None:
    """Drafts a data set into a new file. Raises UsageError where it exists, DatasetError where there is nothing."""
    from edu_cli.cli.render import to_json
    from edu_cli.evaluate.files import write_text
    from edu_cli.wiring.evaluation import draft_items

    if path.exists():
        raise UsageError(f"{path} exists already.", hint="name a new file for the draft")
    drafted = draft_items(cli.project, cli.settings, tenant, n, seed)
    questions = len(drafted.items)
    if not questions:
        raise DatasetError("The corpus gave no question.", hint="write some by hand: see the README on data sets")
    write_text(path, "".join(to_json(item) + "\n" for item in drafted.items))
    if cli.out.json:
        cli.out.value(
            {
                "schema": 1,
                "dataset": str(path),
                "questions": questions,
                "by_llm": bool(cli.settings.llm.model),
                "unusable_replies": drafted.unusable,
                "stopped": drafted.stopped or None,
            }
        )
    else:
        cli.out.text(f"{questions} draft questions in {path}: read and correct each before you rely on them")
    if drafted.unusable:
        cli.out.warn(f"{drafted.unusable} replies of the model had no question with evidence from its section")
    if drafted.stopped:
        cli.out.warn(f"the model failed, so the draft ends early: {drafted.stopped}")
    if questions < n:
        cli.out.warn(f"the corpus gave {questions} of {n} questions")
