"""`edu config`: the settings in force and where each came from, secrets masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from edu_cli.cli.context import new_app, open_cli
from edu_cli.cli.render import Output
from edu_cli.config import masked, setting_infos

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption

app = new_app()


def env_template() -> str:
    """Every variable with its meaning, unit and default, all commented out: the text of `.env.example`."""
    lines = ["# Copy to .env and uncomment what you change. `edu config` shows what is in force.", ""]
    section = ""
    for info in setting_infos():
        if section != (section := info.key.split(".")[0]):
            lines += [f"# --- [{section}] in edu.toml", ""]
        choices = f" One of: {', '.join(info.choices)}." if info.choices else ""
        lines += [
            f"# {info.about}{f' ({info.unit})' if info.unit else ''}.{choices}",
            f"# {info.env}={info.default}",
            "",
        ]
    return "\n".join(lines)


@app.command()
def config(
    env_example: Annotated[
        bool, typer.Option("--env-example", help="Print every variable with its default, as a template for .env.")
    ] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """The settings in force and where each came from (default, edu.toml, .env, environment), secrets masked."""
    if env_example:
        Output().text(env_template(), end="")
        return
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
