"""What every verb starts with: the project, settings and output that follow from the common flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edu_cli.cli.commands import VerbApp
from edu_cli.cli.render import Output
from edu_cli.config import Settings, load_settings
from edu_cli.project import Project, find_project, require_project


def new_app(*, default: str = "") -> VerbApp:
    """The commands of one verb; `default` is the command of a group that runs where none is named."""
    return VerbApp(default)


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
