"""What the verbs over records share: the open records of the project, and how they name things."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edu_cli.cli.context import Cli
from edu_cli.errors import UsageError
from edu_cli.project import Project, create_state

if TYPE_CHECKING:
    from edu_cli.index.records import Records

TenantOption = Annotated[str, typer.Option("--tenant", metavar="NAME", help="The tenant whose records these are.")]


@contextmanager
def records_of(cli: Cli, *, create: bool = False) -> Iterator[Records]:
    """The records of the project; `create` begins one here where there is none, since an FAQ needs no documents."""
    from edu_cli.wiring.recording import open_project_records

    if create:
        project = cli.found or Project(Path.cwd())
        create_state(project)
    else:
        project = cli.project
    with open_project_records(project) as records:
        yield records


def none_such(kind: str, wanted: str, verb: str) -> UsageError:
    """The error for an id that does not exist."""
    return UsageError(f"There is no {kind} '{wanted}'.", hint=f"`edu {verb} list` shows them")


def short(text: str, chars: int = 60) -> str:
    """`text` on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1] + "…"
