"""A project that something is done to, over and over, each time from the same state; and what is in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from small_course import COURSE, EDITED, write
from warm_edu import Ran, WarmEdu

from edu_cli.index.catalog import Catalog
from edu_cli.index.records import Records, open_records

Seen = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Job:
    """What is done: files are changed by `edit`, then `args` run; what is to be done `once` is so when it was done."""

    args: tuple[str, ...]
    edit: Callable[[Path], None] = lambda _: None
    from_nothing: bool = False
    once: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it writes vectors or indexes, not records alone."""
        return self.args[0] in ("ingest", "index", "docs", "backup", "restore")


JOBS: Mapping[str, Job] = {
    "first ingest": Job(("ingest", "course"), from_nothing=True),
    "ingest of edits": Job(("ingest", "course"), lambda p: write(p / "course", EDITED)),
    "ingest of all again": Job(("ingest", "course", "--force")),
    "rebuild": Job(("ingest", "course", "--rebuild")),
    "index": Job(("index", "--force")),
    "removal": Job(("docs", "remove", "python/*", "service/*"), once=True),
    "faq add": Job(("faq", "add", "图书馆在哪里？", "在二楼。")),
    "faq import": Job(("faq", "import", "course/service/常见问题.csv")),
    "faq remove": Job(("faq", "remove", "{faq}"), once=True),
    "pending answer": Job(("pending", "answer", "{pending}", "十一点半开门。"), once=True),
    "pending reject": Job(("pending", "reject", "{pending}"), once=True),
    "ask": Job(("ask", "死锁的必要条件是什么？")),
    "ask in a conversation": Job(("ask", "学习率太大时会怎样？", "--session", "a"), once=True),
    "conversation removed": Job(("sessions", "remove", "a"), once=True),
    "backup": Job(("backup", "backup.zip", "--force")),
    "restore": Job(("restore", "../backup.zip", "--force")),
}


def seen(project: Path) -> Seen:
    """Documents with all their parts, and the records, as a reader of the catalog finds them."""
    path = project / ".edu" / "catalog.sqlite"
    if not path.exists():
        return {"documents": {}, "faq": {}, "pending": {}, "sessions": {}}
    with closing(open_records(path)) as records:
        documents: dict[str, list[Any]] = {}
        for parent in Catalog(records.database).export():
            documents.setdefault(parent.doc, []).append(parent)
        return {
            "documents": documents,
            "faq": {entry.question: entry.answer for entry in records.faq("", None)},
            "pending": {one.question: one.status for one in records.pending("")},
            "sessions": {name: _turns(records, name) for name, *_ in records.sessions("") if name == "a"},
        }


def _turns(records: Records, name: str) -> list[str]:
    found = records.session("", name)
    return [turn.question for turn in found.turns] if found else []


class World:
    """A project that a job is done to. `before` and `after` are what is seen around a run that nothing disturbed."""

    def __init__(self, edu: WarmEdu, job: Job, base: Path, place: Path) -> None:
        self._edu, self._job, self._base = edu, job, base
        self.project = place / "p"
        self.before = seen(self.fresh())
        self.done = self.attempt()
        assert self.done.code in (0, 4), self.done.err
        self.after = seen(self.project)

    def fresh(self) -> Path:
        """The project as it is before the job, its files edited already."""
        shutil.rmtree(self.project / ".edu", ignore_errors=True)
        shutil.rmtree(self.project / "course", ignore_errors=True)
        if self._job.from_nothing:
            write(self.project / "course", COURSE)
        else:
            shutil.copytree(self._base, self.project, dirs_exist_ok=True)
        self._job.edit(self.project)
        return self.project

    def attempt(self, **disturbed: Any) -> Ran:
        """The job, disturbed as `WarmEdu.run` says."""
        return self._edu.run(self.project, *self._args(), **disturbed)

    def check(self, what: str) -> None:
        """Half-way every document is the old or the new one; the job done again leads where it always does."""
        half = seen(self.project)
        for kind in half:
            for key in {*half[kind], *self.before[kind], *self.after[kind]}:
                states = (self.before[kind].get(key), self.after[kind].get(key))
                assert half[kind].get(key) in states, f"{what}: {kind} {key} is neither old nor new"
        is_over = half == self.after and self._job.once
        again = self._edu.run(self.project, "index") if is_over else self.attempt()
        assert again.code in (0, 4), f"{what}: {again.err}"
        assert seen(self.project) == self.after, what

    def found(self) -> list[tuple[str, str, float]]:
        """What a search finds, in all legs."""
        ran = self._edu.run(self.project, "search", "怎样减少死锁", "--json", "-k", "5")
        assert ran.code in (0, 4), ran.err
        assert not ran.err, ran.err
        return [(hit["doc"], hit["text"], round(hit["score"], 5)) for hit in json.loads(ran.out)["hits"]]

    def _args(self) -> Sequence[str]:
        if not any("{" in arg for arg in self._job.args):
            return self._job.args
        with closing(open_records(self.project / ".edu" / "catalog.sqlite")) as records:
            names = {"pending": records.pending("")[0].pending_id, "faq": records.own_faq("")[0].faq_id}
        return [arg.format(**names) for arg in self._job.args]
