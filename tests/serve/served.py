"""What tests of the warm process share: a project of a few files, `edu` run in it, and a server in a thread."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from edu_runs import SETTINGS, edu

from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.serve.server import Server, only_server
from edu_cli.wiring.serving import WarmProject

FILES = {
    "ds/栈.md": "# 栈\n\n栈是后进先出的线性表。压栈和弹栈都在栈顶进行。\n\n## 应用\n\n括号匹配用栈来做。\n",
    "ds/队列.md": "# 队列\n\n队列是先进先出的线性表。入队在队尾，出队在队头。\n",
    "os/进程.md": "# 进程\n\n进程是资源分配的单位，线程是调度的单位。\n",
}


def make_project(root: Path, files: Mapping[str, str] = FILES) -> Project:
    """A project whose files are searched by words only."""
    for name, text in files.items():
        file = root / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    done = edu(root, "ingest", "files", "-q")
    assert done.code == 0, done.err
    return Project(root)


@dataclass(frozen=True)
class Running:
    server: Server
    warm: WarmProject
    lines: list[str]
    faults: list[str]

    @property
    def asked(self) -> dict[str, int]:
        return self.server.tally.facts()["requests"]


@contextmanager
def serving(project: Project, *, idle_exit_s: float = 0.0, encoder: str = "none") -> Iterator[Running]:
    """The project's warm process, in a thread of this one; it has left when the block ends."""
    lines: list[str] = []
    faults: list[str] = []
    warm = WarmProject(project)
    warm.warm_up(load_settings(project.root, {**os.environ, **SETTINGS, "EDU_ENCODER": encoder}))
    server = Server(project, warm, idle_exit_s=idle_exit_s, log=lines.append, alarm=faults.append)
    ready = threading.Event()

    def serve() -> None:
        with only_server(project):
            server.run(ready.set)

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60)
    try:
        yield Running(server, warm, lines, faults)
    finally:
        server.stop()
        thread.join(60)
        warm.close()
    assert not thread.is_alive()


def eventually(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def without_times(text: str) -> str:
    """Output with everything that a clock decides, and the ids of conversations and traces, left out."""
    text = re.sub(r'"seconds": (\{[^}]*\}|[\d.e-]+)', '"seconds": 0', text)
    return re.sub(r" *\d+(\.\d+)? ?m?s\b", " 0 s", text)
