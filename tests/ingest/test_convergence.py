"""Any history of edits, crashes and re-runs ends where a clean build of the same files ends."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import MemoryStore
from ingest_histories import change, some_path
from ingest_project import FakeProject

from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.database import Database
from edu_cli.types import VectorRow


class _Killed(BaseException):
    """Stands for SIGKILL: nothing in the product may catch it and go on."""


class Fate:
    """When the process dies: at the call that comes after `calls_left` others, before or after it does its work."""

    def __init__(self) -> None:
        self.calls_left: int | None = None
        self.does_it_first = False


class FrailCatalog(CatalogWriter):
    """Dies at a chosen write."""

    def __init__(self, database: Database, fate: Fate) -> None:
        super().__init__(database)
        self._fate = fate

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in ("swap", "settle", "unsettle", "restamp", "remember", "add_root", "drop_empty_roots"):
            return found
        fate = super().__getattribute__("_fate")

        def call(*args: Any, **kwargs: Any) -> Any:
            if fate.calls_left == 0 and not fate.does_it_first:
                raise _Killed
            result = found(*args, **kwargs)
            if fate.calls_left == 0:
                raise _Killed
            if fate.calls_left is not None:
                fate.calls_left -= 1
            return result

        return call


class FrailStore(MemoryStore):
    """Dies at a chosen call, having done half of a write that was asked for."""

    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self._fate = fate

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        self._call(lambda: MemoryStore.upsert(self, rows[: len(rows) // 2] if self._dies else rows))

    def delete(self, child_ids: Sequence[str]) -> None:
        self._call(lambda: MemoryStore.delete(self, child_ids))

    def flush(self) -> None:
        self._call(lambda: MemoryStore.flush(self))

    @property
    def _dies(self) -> bool:
        return self._fate.calls_left == 0

    def _call(self, do: Callable[[], None]) -> None:
        if self._dies and not self._fate.does_it_first:
            raise _Killed
        do()
        if self._dies:
            raise _Killed
        if self._fate.calls_left is not None:
            self._fate.calls_left -= 1


def _ingest(project: FakeProject, fate: Fate, rng: random.Random) -> None:
    path = some_path(project, rng)
    fate.calls_left = rng.randint(0, 12) if rng.random() < 0.6 else None
    fate.does_it_first = rng.random() < 0.5
    try:
        project.ingest(path, force=rng.random() < 0.1)
    except _Killed:
        if rng.random() < 0.3:
            project.store.crash()
    fate.calls_left = None


@pytest.mark.parametrize("seed", range(60))
def test_any_history_ends_like_a_clean_build(fast_folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    fate = Fate()
    project = FakeProject(fast_folder, store=FrailStore(fate))
    project.open_catalog = lambda path: FrailCatalog(open_catalog_writer(path).database, fate)
    for _ in range(rng.randint(2, 6)):
        for _ in range(rng.randint(1, 4)):
            change(project, rng)
        _ingest(project, fate, rng)
    project.ingest()
    assert project.dump() == project.clean_dump()
    opened = project.opened
    project.ingest()
    assert project.store.count() == project.dump()["vectors"].__len__()
    if not any(not p.read_text(encoding="utf-8").strip() for p in project.files.rglob("*.md")):
        assert project.opened == opened, "a run without changes opens nothing"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_more_histories_end_like_a_clean_build(fast_folder: Path, seed: int) -> None:
    test_any_history_ends_like_a_clean_build(fast_folder, seed)
