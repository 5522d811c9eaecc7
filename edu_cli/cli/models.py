"""`edu models`: which models are on this machine, and fetching one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edu_cli.cli.context import new_app, open_cli

if TYPE_CHECKING:
    from edu_cli.cli.flags import DebugOption, JsonOption, ModelArgument, ProjectOption, QuietOption, VerboseOption

app = new_app()


@app.callback()
def _models() -> None:
    """The models that edu can use; nothing is fetched but by `edu models pull`."""


@app.command(name="list")
def list_(
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Every model, and whether it is on this machine; -v shows where."""
    from edu_cli.upkeep.models import list_models

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    found = list_models(cli.settings)
    if json:
        values = [
            {
                "name": m.name,
                "about": m.about,
                "source": m.source or None,
                "path": str(m.path) if m.path else None,
                "bytes": m.n_bytes,
            }
            for m in found
        ]
        cli.out.value({"schema": 1, "models": values})
        return
    headers = ("model", "what", "from", "here", *(("path",) if verbose else ()))
    rows = [
        (
            m.name,
            m.about,
            m.source or f"package {m.package}",
            f"{m.n_bytes / 2**20:,.0f} MB" if m.path else "no",
            *((str(m.path or ""),) if verbose else ()),
        )
        for m in found
    ]
    cli.out.table(headers, rows, right=(3,))


@app.command()
def pull(
    name: ModelArgument,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Fetch a model, unless it is here. It goes into the hub's cache; HF_ENDPOINT names a mirror."""
    from edu_cli.upkeep.models import find_named
    from edu_cli.upkeep.models import pull as pull_model

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    model = find_named(cli.settings, name)
    is_new = model.path is None
    if is_new and model.source:
        cli.out.note(f"fetching {model.source} …")
    path = pull_model(model)
    if json:
        cli.out.value({"schema": 1, "name": model.name, "path": str(path), "fetched": is_new})
    else:
        cli.out.text(str(path))
        cli.out.note("fetched" if is_new else "it was here already")


@app.command()
def path(
    name: ModelArgument,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Print where a model's files are. Exit 1 when it is not on this machine."""
    from edu_cli.upkeep.models import find_named, required_path

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    model = find_named(cli.settings, name)
    found = required_path(model)
    if json:
        cli.out.value({"schema": 1, "name": model.name, "path": str(found)})
    else:
        cli.out.text(str(found))
