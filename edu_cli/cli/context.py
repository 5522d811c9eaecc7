"""What every verb takes: the common flags, and the project, settings and output that follow from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from edu_cli.cli.render import Output
from edu_cli.config import Settings, load_settings
from edu_cli.project import Project, find_project, require_project

_HELP = ("-h", "--help")
ProjectOption = Annotated[
    str | None,
    typer.Option("--project", metavar="DIR", help="The project directory. [default: nearest parent with .edu/]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result and warnings.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Print more.")]
NoProgressOption = Annotated[bool, typer.Option("--no-progress", help="No progress bars.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


def new_app(*, default: str = "") -> typer.Typer:
    """The Typer app of one verb; `default` is the command of a group that runs where none is named."""

    class Group(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            is_bare = bool(default) and (not args or (args[0].startswith("-") and args[0] not in _HELP))
            return super().parse_args(ctx, [default, *args] if is_bare else args)

    return typer.Typer(
        cls=Group, rich_markup_mode=None, add_completion=False, context_settings={"help_option_names": [*_HELP]}
    )


@dataclass(frozen=True, slots=True)
class Cli:
    """One run of a verb: where, with which settings, and where its output goes."""

    found: Project | None
    settings: Settings
    out: Output

    @property
    def project(self) -> Project:
        """The project, which must exist. Raises NoProjectError."""
        return require_project(self.found)


def open_cli(
    project: str | None,
    *,
    json: bool,
    quiet: bool,
    verbose: bool,
    no_progress: bool = False,
    overrides: Mapping[str, Any] | None = None,
) -> Cli:
    """Finds the project and loads its settings; `overrides` are flags by `section.key`, None where unset.

    Raises ConfigError.
    """
    found = find_project(project, os.environ, Path.cwd())
    settings = load_settings(found.root if found else Path.cwd(), os.environ, overrides)
    return Cli(found, settings, Output(json=json, quiet=quiet, verbose=verbose, progress_wanted=not no_progress))
