"""SIGKILL at every step that changes a file, and at random times: nothing is lost, the next run converges."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import COURSE, EDITED, write
from warm_edu import Ran, WarmEdu

from edu_cli.index.catalog import Catalog
from edu_cli.index.records import open_records

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Job:
    """What is done to a project until it is killed: files are changed by `edit`, then `args` run."""

    args: tuple[str, ...]
    edit: Callable[[Path], None] = lambda _: None
    from_nothing: bool = False


JOBS = {
    "first ingest": Job(("ingest", "course"), from_nothing=True),
    "ingest of edits": Job(("ingest", "course"), lambda p: write(p / "course", EDITED)),
    "ingest of all again": Job(("ingest", "course", "--force")),
    "rebuild": Job(("ingest", "course", "--rebuild")),
    "index": Job(("index", "--force")),
    "removal": Job(("docs", "remove", "python/*", "service/*")),
    "faq add": Job(("faq", "add", "图书馆在哪里？", "在二楼。")),
    "faq import": Job(("faq", "import", "course/service/常见问题.csv")),
    "pending answer": Job(("pending", "answer", "{pending}", "十一点半开门。")),
    "ask": Job(("ask", "死锁的必要条件是什么？")),
    "restore": Job(("restore", "../backup.zip", "--force")),
}


class World:
    """A project that a job is done to, over and over."""

    def __init__(self, edu: WarmEdu, job: Job, base: Path, place: Path) -> None:
        self._edu, self._job, self._base, self._place = edu, job, base, place
        self.project = place / "p"
        self.before = self._seen(self.fresh())
        self.done = self.attempt(self.fresh())
        assert self.done.code in (0, 4), self.done.err
        self.after = self._seen(self.project)

    def fresh(self) -> Path:
        shutil.rmtree(self.project, ignore_errors=True)
        if self._job.from_nothing:
            write(self.project / "course", COURSE)
        else:
            shutil.copytree(self._base, self.project)
        self._job.edit(self.project)
        return self.project

    def attempt(self, project: Path, die_at: int | None = None, die_after_s: float | None = None) -> Ran:
        return self._edu.run(project, *self._args(project), die_at=die_at, die_after_s=die_after_s)

    def _args(self, project: Path) -> Sequence[str]:
        if "{pending}" not in self._job.args:
            return self._job.args
        (open_one,) = json.loads(self._edu.run(project, "pending", "list", "--json").out)["pending"]
        return [arg.format(pending=open_one["id"]) for arg in self._job.args]

    def check(self, what: str) -> None:
        """Half-way every document is the old or the new one; the job done again leads where it always does."""
        half = self._seen(self.project)
        for kind in ("documents", "faq", "pending"):
            for key in {*half[kind], *self.before[kind], *self.after[kind]}:
                states = (self.before[kind].get(key), self.after[kind].get(key))
                assert half[kind].get(key) in states, f"{what}: {kind} {key} is neither old nor new"
        again = self.attempt(self.project) if self._job.args[0] != "pending" else self._edu.run(self.project, "ingest")
        assert again.code in (0, 4), f"{what}: {again.err}"
        if self._job.args[0] == "pending":  # it may have been answered before the kill, and not again
            assert self._seen(self.project)["faq"].items() >= self.before["faq"].items()
            return
        assert self._seen(self.project) == self.after, what

    def _seen(self, project: Path) -> dict[str, dict[str, Any]]:
        """Documents with all their parts, and the records."""
        path = project / ".edu" / "catalog.sqlite"
        if not path.exists():
            return {"documents": {}, "faq": {}, "pending": {}}
        with closing(open_records(path)) as records:
            documents: dict[str, list[Any]] = {}
            for parent in Catalog(records.database).export():
                documents.setdefault(parent.doc, []).append(parent)
            return {
                "documents": documents,
                "faq": {entry.question: entry.answer for entry in records.faq("", None)},
                "pending": {one.question: one.status for one in records.pending("")},
            }

    def found(self) -> list[tuple[str, str, float]]:
        """What a search finds, in all legs."""
        ran = self._edu.run(self.project, "search", "怎样减少死锁", "--json", "-k", "5")
        assert ran.code in (0, 4), ran.err
        assert not ran.err, ran.err
        return [(hit["doc"], hit["text"], round(hit["score"], 5)) for hit in json.loads(ran.out)["hits"]]


@pytest.fixture
def backup(edu: WarmEdu, built: Path, tmp_path: Path) -> Path:
    assert edu.run(built, "backup", str(tmp_path / "backup.zip"), "--force").code == 0
    return tmp_path / "backup.zip"


@pytest.mark.parametrize("name", JOBS)
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_converges(
    name: str, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path
) -> None:
    world = World(edu, JOBS[name], built, tmp_path)
    truth = world.found() if name != "faq import" else None
    n_killed = 0
    for step in range(1, len(world.done.events) + 1):
        ran = world.attempt(world.fresh(), die_at=step)
        if not ran.was_killed:  # a step of the whole run that this one had no need of
            continue
        n_killed += 1
        world.check(f"killed at step {step}, {ran.events[-1]}")
        assert truth in (None, world.found()), f"killed at step {step}, {ran.events[-1]}"
    assert n_killed >= 0.9 * len(world.done.events)


@pytest.mark.parametrize("seed", range(10))
def test_kills_at_random_times_lose_nothing_and_the_next_run_converges(
    seed: int, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    world = World(edu, JOBS[("first ingest", "ingest of edits", "rebuild")[seed % 3]], built, tmp_path)
    truth, n_killed = world.found(), 0
    for _ in range(10):
        after_s = rng.uniform(0.02, world.done.seconds)
        n_killed += world.attempt(world.fresh(), die_after_s=after_s).was_killed
        world.check(f"killed after {after_s:.3f} s")
        assert world.found() == truth
    assert n_killed >= 4, "most of the runs must have been cut off for this to prove anything"
