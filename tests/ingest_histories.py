"""Random histories of a folder: add, edit, rename, swap, delete, copy; and ingests of it that are killed.

Run by tests as a process of its own: `python ingest_histories.py FOLDER FIRST N` plays the histories with the N seeds
from FIRST on, each in a folder below FOLDER, and prints JSON: `runs`, `killed`, and the seeds whose end is `wrong`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from fakes import FileStore
from ingest_project import FakeProject

_WORDS = ("梯度", "下降", "是", "一种", "优化", "方法", "回归", "分类", "树", "图", "B+ 树", "TCP/IP")
_NAMES = ("a.md", "b.md", "ai/a.md", "ai/c.md", "ml/深/d.md", "ml/深/b.md")
_KILLED_SHARE = 0.7  # of the runs; some of them end before the signal comes
_FIRST_GUESS_S = 0.03


def change(project: FakeProject, rng: random.Random) -> None:
    """One thing that a user may do to the files of the project."""
    there = sorted(path for path in project.files.rglob("*.md"))
    action = rng.choice(("add", "add", "edit", "rename", "swap", "delete", "touch", "copy"))
    if action == "add" or not there:
        project.write(rng.choice(_NAMES), _text(rng))
        return
    one, other = rng.choice(there), rng.choice(there)
    target = project.files / rng.choice(_NAMES)
    target.parent.mkdir(parents=True, exist_ok=True)
    if action == "edit":
        one.write_text(_text(rng), encoding="utf-8")
    elif action == "rename":
        one.replace(target)
    elif action == "swap" and one != other:
        aside = one.with_suffix(".aside")
        one.rename(aside)
        other.rename(one)
        aside.rename(other)
    elif action == "delete":
        one.unlink()
    elif action == "touch":
        one.write_bytes(one.read_bytes())
    elif action == "copy":
        target.write_bytes(one.read_bytes())


def some_path(project: FakeProject, rng: random.Random) -> Path:
    """What the user names: mostly the whole folder, else a file or folder in it."""
    if rng.random() < 0.3:
        return rng.choice([path for path in (project.files, *project.files.rglob("*")) if path.suffix != ".aside"])
    return project.files


def _text(rng: random.Random) -> str:
    if rng.random() < 0.1:
        return " \n"  # a file that fails to load
    lines = []
    for _ in range(rng.randint(1, 4)):
        lines.append("#" * rng.randint(1, 2) + " " + rng.choice(_WORDS))
        lines += ["".join(rng.choices(_WORDS, k=rng.randint(1, 5))) + "。" for _ in range(rng.randint(0, 3))]
    return "\n".join(lines) + "\n"


def _opened(folder: Path) -> FakeProject:
    return FakeProject(folder, store=FileStore(folder / "store.sqlite"))


class _Killer:
    """Ingests in a forked process and kills some of them, at a moment within the time that the last whole run took."""

    def __init__(self) -> None:
        self.runs = self.killed = 0
        self._whole_s = _FIRST_GUESS_S

    def ingest(self, folder: Path, rng: random.Random) -> None:
        path, force = some_path(FakeProject(folder), rng), rng.random() < 0.1
        doomed, moment = rng.random() < _KILLED_SHARE, rng.random()
        start = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _opened(folder).ingest(path, force=force)
            os._exit(0)
        if doomed:
            time.sleep(moment * self._whole_s)
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        self.runs += 1
        self.killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status):
            if status:
                raise SystemExit(f"an ingest failed in {folder}")
            self._whole_s = time.monotonic() - start


def _ends_clean(folder: Path, seed: int, killer: _Killer) -> bool:
    folder.mkdir()
    rng = random.Random(seed)
    for _ in range(rng.randint(2, 6)):
        for _ in range(rng.randint(1, 4)):
            change(FakeProject(folder), rng)
        killer.ingest(folder, rng)
    project = _opened(folder)
    project.ingest()
    return project.dump() == project.clean_dump()


def _main(folder: Path, first: int, n: int) -> None:
    killer = _Killer()
    wrong = [seed for seed in range(first, first + n) if not _ends_clean(folder / str(seed), seed, killer)]
    json.dump({"runs": killer.runs, "killed": killer.killed, "wrong": wrong}, sys.stdout)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
