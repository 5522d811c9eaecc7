"""`edu serve`: the warm process of a project, and what asks after it or ends it."""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.errors import EduError, ExitCode

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption

app = new_app()
_ENDS_S = 15.0  # longest wait for a process that was told to leave


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    idle_exit: Annotated[
        float,
        typer.Option(
            "--idle-exit", metavar="MINUTES", min=0, help="Leave after so long without a request; 0 is never."
        ),
    ] = 0.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Keep models and indexes warm: search, ask, chat and eval use this process while it runs. -v logs requests."""
    if context.invoked_subcommand:
        return
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    from edu_cli.serve.server import Server, only_server
    from edu_cli.wiring.serving import WarmProject

    with only_server(cli.project):
        warm = WarmProject(cli.project)
        cli.out.note(f"loading the models and indexes of {cli.project.root}")
        warm.warm_up(cli.settings)
        _tidy()
        out = cli.out
        server = Server(cli.project, warm, idle_exit_s=idle_exit * 60, log=out.detail, alarm=out.warn)
        why = server.run(lambda: _tell_ready(cli, server.facts()))
    cli.out.note(f"left: {why}")


@app.command()
def status(
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show what the warm process has done; exit 1 where none runs."""
    from edu_cli.serve.client import NotServedError, reach

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    try:
        link = reach(cli.project)
    except NotServedError as error:
        if json:
            cli.out.value({"schema": 1, "running": False, "reason": error.message})
        else:
            cli.out.text(f"{error.message}: {cli.project.root}")
        raise SystemExit(int(ExitCode.FAILED)) from error
    facts = link.call("status")
    link.close()
    if json:
        cli.out.value({"schema": 1, "running": True, **facts})
    else:
        _show(cli, facts)


@app.command()
def stop(
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """End the warm process. Requests that are being worked on are answered first."""
    from edu_cli.index.lock import holder
    from edu_cli.serve.client import NotServedError, reach

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    lock, pid = cli.project.serve_lock_path, None
    try:
        link = reach(cli.project)
        pid = link.greeting.pid
        link.call("stop")
        link.close()
    except NotServedError as error:
        if holder(lock):
            raise EduError(f"{error.message}: {holder(lock)}.", hint="kill the process with that PID") from error
    until = time.monotonic() + _ENDS_S
    while pid and holder(lock):
        if time.monotonic() > until:
            raise EduError(f"edu serve (PID {pid}) does not leave.", hint=f"kill {pid}")
        time.sleep(0.05)
    if json:
        cli.out.value({"schema": 1, "stopped": pid is not None, "pid": pid})
    else:
        cli.out.note(f"stopped (PID {pid})" if pid else "edu serve is not running")


def _tidy() -> None:
    """Looks for unused objects as often as Python usually does, which short commands do without, but not among ours."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 10, 10)


def _tell_ready(cli: Cli, facts: dict[str, Any]) -> None:
    if cli.out.json:
        cli.out.value({"schema": 1, "running": True, **facts})
    cli.out.note(f"ready (PID {facts['pid']}); Ctrl-C or `edu serve stop` ends it")
    sys.stdout.flush()


def _show(cli: Cli, facts: dict[str, Any]) -> None:
    from datetime import datetime

    asked = ", ".join(f"{count} {op}" for op, count in facts["requests"].items())
    done = f"{asked}; {facts['errors']} failed, {facts['active']} being worked on" if asked else "none"
    since = datetime.fromisoformat(facts["started"]).astimezone()
    opened = "once" if facts["opened"] == 1 else f"{facts['opened']} times"
    times = "; ".join(
        f"{op} {times['p50'] * 1000:.0f} ms, 95% under {times['p95'] * 1000:.0f} ms"
        for op, times in facts["seconds"].items()
    )
    minutes = facts["idle_exit_minutes"]
    lines = [
        ("project", facts["project"]),
        ("process", f"PID {facts['pid']}, edu {facts['version']}, since {since:%Y-%m-%d %H:%M:%S}"),
        ("requests", done),
        ("times", times),
        ("index", f"opened {opened}"),
        ("memory", f"{facts['rss_mb']} MB, {facts['files']} files open" if facts["rss_mb"] else ""),
        ("leaves", f"after {minutes:g} minutes without a request" if minutes else ""),
    ]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        if value:
            cli.out.text(f"{name:<{width}}  {value}")
