"""What the verbs that write share: the project's lock, progress, and the open project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from edu_cli.cli.context import Cli
from edu_cli.project import Project

if TYPE_CHECKING:
    from edu_cli.wiring.ingesting import IngestSession


@contextmanager
def writing(cli: Cli, where: Project, lock_timeout_s: float) -> Iterator[IngestSession]:
    """The project, open and held by this process alone until the end. Raises LockedError and IndexMismatchError."""
    with locked(cli, where, lock_timeout_s), opened(cli, where, lock_timeout_s) as session:
        yield session


@contextmanager
def locked(cli: Cli, where: Project, lock_timeout_s: float) -> Iterator[None]:
    """Holds the project's lock. Raises LockedError."""
    from edu_cli.index.lock import writer_lock

    with writer_lock(where.lock_path, lock_timeout_s, cli.out.note):
        yield


@contextmanager
def opened(cli: Cli, where: Project, lock_timeout_s: float, *, rebuild: bool = False) -> Iterator[IngestSession]:
    """The project for writing, with progress; the caller holds its lock. Raises IndexMismatchError."""
    from edu_cli.wiring.ingesting import open_ingest

    with (
        cli.out.progress() as progress,
        open_ingest(where, cli.settings, progress, rebuild=rebuild, lock_timeout_s=lock_timeout_s) as session,
    ):
        yield session
