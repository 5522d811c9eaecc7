"""`edu doctor`: each part checked, with the command that mends it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import new_app
from edu_cli.cli.render import Output
from edu_cli.config import Settings, load_settings
from edu_cli.errors import ConfigError, EduError, ExitCode
from edu_cli.project import Project, find_project

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import (
        DebugOption,
        JsonOption,
        LockTimeoutOption,
        NoProgressOption,
        ProjectOption,
        QuietOption,
        VerboseOption,
    )
    from edu_cli.upkeep.results import CheckResult

app = new_app()
_NAME_WIDTH = 12


@dataclass(frozen=True, slots=True)
class _Patient:
    """What is examined. Where the settings cannot be read, `refusal` says why and the project is left out."""

    project: Project | None
    settings: Settings
    refusal: ConfigError | None


@app.command()
def doctor(
    llm: Annotated[bool, typer.Option("--llm", help="Also ask the configured LLM for one word.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Make indexes and vectors again where they are wrong.")] = False,
    lock_timeout: LockTimeoutOption = 60.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    no_progress: NoProgressOption = False,
    debug: DebugOption = False,
) -> None:
    """Check the machine, the settings and the project; exit 1 when a check fails.

    Proves that vectors reproduce by encoding a sample again, and that documents are found by a word of theirs.
    """
    out = Output(json=json, quiet=quiet, verbose=verbose, progress_wanted=not no_progress)
    patient = _admit(project)
    results = _examine(out, patient, llm=llm)
    done: list[str] = []
    wrong = [result.name for result in results if result.mendable]
    if fix and wrong:
        done = _mend(out, patient, wrong, lock_timeout)
        out.note("checked again:")
        results = _examine(out, patient, llm=False)
    _conclude(out, patient, results, done)


def _admit(chosen: str | None) -> _Patient:
    found = find_project(chosen, os.environ, Path.cwd())
    try:
        return _Patient(found, load_settings(found.root if found else Path.cwd(), os.environ), None)
    except ConfigError as error:
        return _Patient(None, Settings(), error)


def _examine(out: Output, patient: _Patient, *, llm: bool) -> list[CheckResult]:
    """All results; as text each is shown when it is there."""
    results = []
    for result in _results(out, patient, llm=llm):
        results.append(result)
        if not out.json and (result.status != "pass" or not out.quiet):
            _show(out, result)
    return results


def _results(out: Output, patient: _Patient, *, llm: bool) -> Iterable[CheckResult]:
    from edu_cli.upkeep.results import CheckResult
    from edu_cli.wiring.upkeep import diagnose

    if patient.refusal:
        yield CheckResult("settings", "fail", patient.refusal.message, patient.refusal.hint)
        yield from (r for r in diagnose(None, patient.settings, out.progress, llm=False) if r.name != "project")
    else:
        yield from diagnose(patient.project, patient.settings, out.progress, llm=llm)


def _show(out: Output, result: CheckResult) -> None:
    out.text(f"{result.status}  {result.name:<{_NAME_WIDTH}}  {result.message}")
    if result.fix:
        out.text(f"      {'':<{_NAME_WIDTH}}  fix: {result.fix}")


def _mend(out: Output, patient: _Patient, names: list[str], lock_timeout_s: float) -> list[str]:
    """What was done. A repair that fails is told, and the second look shows what is still wrong."""
    from edu_cli.wiring.mending import mend

    if patient.project is None:
        return []
    try:
        with out.progress() as progress:
            done = mend(patient.project, patient.settings, names, progress, lock_timeout_s)
    except EduError as error:
        out.warn(f"the repair failed: {error.message}")
        return []
    for sentence in done:
        out.note(f"mended: {sentence}")
    return done


def _conclude(out: Output, patient: _Patient, results: list[CheckResult], done: list[str]) -> None:
    from edu_cli.upkeep.results import worst

    status = worst(results)
    counts = Counter(result.status for result in results)
    if out.json:
        root = str(patient.project.root) if patient.project else None
        checks: list[dict[str, Any]] = [
            {"name": r.name, "status": r.status, "message": r.message, "fix": r.fix or None} for r in results
        ]
        out.value({"schema": 1, "project": root, "status": status, "checks": checks, "mended": done})
    else:
        told = ", ".join(f"{counts[s]} {s}" for s in ("pass", "warn", "fail") if counts[s])
        out.note(f"{len(results)} checks: {told}")
    if status == "fail":
        raise SystemExit(int(ExitCode.FAILED))
