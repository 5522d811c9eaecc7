"""What the verbs over records share: their flags, the open records of the project, and how they name things."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edu_cli.cli.context import Cli, DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption, open_cli
from edu_cli.cli.render import Output
from edu_cli.errors import UsageError
from edu_cli.project import Project, create_state

if TYPE_CHECKING:
    from edu_cli.index.records import Records

TenantOption = Annotated[str, typer.Option("--tenant", metavar="NAME", help="The tenant whose records these are.")]
_FLAGS: dict[str, tuple[Any, Any]] = {
    "tenant": (TenantOption, ""),
    "project": (ProjectOption, None),
    "json": (JsonOption, False),
    "quiet": (QuietOption, False),
    "verbose": (VerboseOption, False),
    "debug": (DebugOption, False),
}


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command over records works with: where its output goes, and one tenant's open records."""

    out: Output
    records: Records
    tenant: str

    @property
    def json(self) -> bool:
        """Whether the result is one JSON value."""
        return self.out.json

    def rows(self, headers: tuple[str, ...], rows: list[tuple[str, ...]], kind: str, right: tuple[int, ...]) -> None:
        """A table for people, and how many there are."""
        self.out.table(headers, rows, right=right)
        self.out.note(f"{len(rows)} {kind}")


def records_command(
    app: typer.Typer, name: str | None = None, *, create: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function `(desk, own parameters…)` a command that also takes --tenant and the flags of every verb.

    `create` begins a project here where there is none, since an FAQ needs no documents.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        _, *own = inspect.signature(function, eval_str=True).parameters.values()

        def command(**given: Any) -> None:
            tenant, project, json, quiet, verbose, _ = (given.pop(flag) for flag in _FLAGS)
            cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
            with records_of(cli, create=create) as records:
                function(Desk(cli.out, records, tenant), **given)

        keyword = inspect.Parameter.KEYWORD_ONLY
        shared = [inspect.Parameter(flag, keyword, default=d, annotation=a) for flag, (a, d) in _FLAGS.items()]
        own = [parameter.replace(kind=keyword) for parameter in own]
        command.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        app.command(name=name)(command)
        return function

    return register


@contextmanager
def records_of(cli: Cli, *, create: bool = False) -> Iterator[Records]:
    """The records of the project; `create` begins one here where there is none."""
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
