"""`edu eval`: score a data set, write the report, and fail the build when a gate fails."""

from __future__ import annotations

from edu_cli.cli import eval_flags as flags
from edu_cli.cli.context import new_app, open_cli
from edu_cli.cli.flags import (
    DebugOption,
    DocOption,
    FilterOption,
    JsonOption,
    NoProgressOption,
    ProjectOption,
    QuietOption,
    SubjectOption,
    TenantOption,
    VerboseOption,
)
from edu_cli.cli.scope import scope_flags
from edu_cli.errors import ExitCode, UsageError

app = new_app()


@app.command(name="eval")
def evaluate_dataset(
    dataset: flags.DatasetArgument,
    ks: flags.CutoffsOption = "1,3,5,10",
    compare: flags.CompareOption = None,
    fail_under: flags.FailUnderOption = None,
    baseline: flags.BaselineOption = None,
    max_drop: flags.MaxDropOption = None,
    out: flags.OutOption = None,
    junit: flags.JunitOption = None,
    run: flags.RunOption = None,
    stage: flags.StageOption = None,
    judge: flags.JudgeOption = "none",
    resume: flags.ResumeOption = False,
    calibrate: flags.CalibrateOption = False,
    write: flags.WriteOption = False,
    init: flags.InitOption = None,
    limit: flags.LimitOption = None,
    seed: flags.SeedOption = 0,
    strict: flags.StrictOption = False,
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
    from edu_cli.cli.measured import draft_dataset, show_report, tell_calibration, write_files
    from edu_cli.cli.measuring import measure
    from edu_cli.evaluate.gate import parse_bounds

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose, no_progress=no_progress)
    if init is not None:
        draft_dataset(cli, dataset, init, seed, tenant)
        return
    if write and not calibrate:
        raise UsageError("--write needs --calibrate.", hint="edu eval DATASET --calibrate --write")
    if max_drop is not None and baseline is None:
        raise UsageError("--max-drop needs --baseline.", hint="edu eval DATASET --baseline FILE.json --max-drop 0.01")
    wish = flags.EvalFlags(
        flags.cutoffs(ks),
        flags.compared(compare),
        flags.stages(stage),
        parse_bounds(fail_under or ()),
        baseline,
        max_drop or 0.0,
        judge == "llm",
        resume,
        calibrate,
        limit,
        seed,
        strict,
    )
    places = flags.outputs(out, junit, run, baseline)
    result = measure(cli, dataset, wish, scope_flags(tenant, subject, doc, filters))
    write_files(result, places)
    show_report(cli, result.report)
    if calibrate:
        tell_calibration(cli, result.report, write=write)
    if not all(gate.ok for gate in result.gates):
        raise SystemExit(int(ExitCode.GATE_FAILED))
