"""What the verbs over records share: their flags, the open records of the project, and how they name things."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli.cli.commands import Command, VerbApp
from edu_cli.cli.context import Cli, open_cli
from edu_cli.cli.render import Output
from edu_cli.errors import UsageError
from edu_cli.project import Project, create_state
from edu_cli.text import counted, shortened

if TYPE_CHECKING:
    from edu_cli.cli.flags import (
        DebugOption,
        JsonOption,
        ProjectOption,
        QuietOption,
        RecordsTenantOption,
        VerboseOption,
    )
    from edu_cli.index.records import Records


def _shared(
    *,
    tenant: RecordsTenantOption = "",
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> Cli:
    """What the flags say that all commands over records have."""
    return open_cli(project, json=json, quiet=quiet, verbose=verbose)


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

    def rows(
        self, headers: tuple[str, ...], rows: list[tuple[str, ...]], kind: tuple[str, str], right: tuple[int, ...]
    ) -> None:
        """A table for people, and how many there are; `kind` is what one is called, and several are."""
        if rows:
            self.out.table(headers, rows, right=right)
        self.out.note(counted(len(rows), *kind))


_SHARED = frozenset(_shared.__kwdefaults__ or ())


def records_command(
    app: VerbApp, name: str | None = None, *, create: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function `(desk, own parameters…)` a command that also takes --tenant and the flags of every verb.

    `create` begins a project here where there is none, since an FAQ needs no documents.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            shared = {flag: given.pop(flag) for flag in _SHARED if flag in given}
            cli = _shared(**shared)
            with records_of(cli, create=create) as records:
                function(Desk(cli.out, records, shared.get("tenant", "")), **given)

        app.add(name or function.__name__, Command(run, (function, _shared), leading=1))
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
    return shortened(" ".join(text.split()), chars)
