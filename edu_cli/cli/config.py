"""`edu config`: the settings in force and where each came from, secrets masked."""

from __future__ import annotations

from edu_cli.cli.context import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, new_app, open_cli
from edu_cli.config import masked, setting_infos

app = new_app()


@app.command()
def config(
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The settings in force and where each came from (default, edu.toml, .env, environment), secrets masked."""
    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    rows = []
    for info in setting_infos():
        section, name = info.key.split(".")
        value = getattr(getattr(cli.settings, section), name)
        shown = masked(value) if info.secret else value
        rows.append((info, shown, cli.settings.sources.get(info.key, "default")))
    if json:
        cli.out.value(
            {
                "schema": 1,
                "project": str(cli.found.root) if cli.found else None,
                "settings": {i.key: {"value": v, "source": s, "env": i.env} for i, v, s in rows},
            }
        )
        return
    cli.out.note(f"project: {cli.found.root if cli.found else 'none yet'}")
    headers = ("setting", "value", "source", *(("variable", "meaning") if verbose else ()))
    cli.out.table(
        headers,
        [
            (i.key, str(v), s, *((i.env, i.about + (f" ({i.unit})" if i.unit else "")) if verbose else ()))
            for i, v, s in rows
        ],
    )
