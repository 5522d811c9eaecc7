"""Start times in multiples of `python -c pass`, interleaved, as JSON: `python bench/start.py [--rounds N]`.

Makes a small project of its own (BM25 words only, so no model is in the figures but where named). CPU seconds are
those of the process and its children; they bear a busy machine better than wall seconds. Targets: help, version,
status and completion at most 4, answers of the front (greeting, FAQ, cache) at most 10.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from processes import NOT_SURE, spend

EDU = Path(sys.executable).with_name("edu")
PAGE = "# 栈\n\n栈是后进先出的线性表。压栈和弹栈都在栈顶进行。\n\n## 应用\n\n括号匹配用栈来做。\n"


@dataclass(frozen=True)
class Command:
    name: str
    words: Sequence[str]
    most: float | None
    env: Mapping[str, str] = field(default_factory=dict)


COMMANDS = (
    Command("python -c pass", (sys.executable, "-c", "pass"), None),
    Command("--version", (str(EDU), "--version"), 4),
    Command("--help", (str(EDU), "--help"), 4),
    Command("ask --help", (str(EDU), "ask", "--help"), 4),
    Command(
        "completion",
        (str(EDU),),
        4,
        {"_EDU_COMPLETE": "complete_bash", "COMP_WORDS": "edu se", "COMP_CWORD": "1"},
    ),
    Command("status", (str(EDU), "status"), 4),
    Command("ask: greeting", (str(EDU), "ask", "你好"), 10),
    Command("ask: FAQ", (str(EDU), "ask", "补考什么时候"), 10),
    Command("ask: cache", (str(EDU), "ask", "压栈和弹栈在哪里进行？"), 10),
    Command("search: words", (str(EDU), "search", "括号匹配"), None),
)
SERVED = (
    Command("serve: search", (str(EDU), "search", "括号匹配"), None),
    Command("serve: ask", (str(EDU), "ask", "压栈和弹栈在哪里进行？", "--no-cache"), None),
)


def measured(command: Command, folder: Path, env: Mapping[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of one run."""
    spent = spend(command.words, cwd=folder, env={**env, **command.env}, fine=(0, NOT_SURE))
    return spent.cpu_s, spent.wall_s


def project(folder: Path, env: Mapping[str, str]) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "栈.md").write_text(PAGE, encoding="utf-8")
    for words in (
        ["ingest", "files", "--encoder", "none"],
        ["faq", "add", "补考什么时候？", "第二周。"],
        ["ask", "压栈和弹栈在哪里进行？"],
    ):
        subprocess.run([str(EDU), *words], cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)


def rounds_of(commands: Sequence[Command], folder: Path, env: Mapping[str, str], rounds: int) -> dict[str, list]:
    times: dict[str, list] = {command.name: [] for command in commands}
    for _ in range(rounds):
        for command in commands:
            times[command.name].append(measured(command, folder, env))
    return times


def report(commands: Sequence[Command], times: Mapping[str, list]) -> list[dict]:
    """Medians; the multiple is of CPU seconds, against the first command."""
    bare = statistics.median(cpu for cpu, _ in times[commands[0].name])
    rows = []
    for command in commands:
        cpu = [one for one, _ in times[command.name]]
        wall = [one for _, one in times[command.name]]
        rows.append(
            {
                "command": command.name,
                "cpu_s": round(statistics.median(cpu), 4),
                "cpu_min_s": round(min(cpu), 4),
                "wall_s": round(statistics.median(wall), 4),
                "wall_min_s": round(min(wall), 4),
                "multiple": round(statistics.median(cpu) / bare, 2),
                "most": command.most,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    env = {k: v for k, v in os.environ.items() if not k.startswith(("EDU_", "OPENAI_", "PYTHON"))}
    env |= {"EDU_ASK_THRESHOLD": "0.05"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project(folder, env)
        rows = report(COMMANDS, rounds_of(COMMANDS, folder, env, rounds))
        server = subprocess.Popen([str(EDU), "serve", "-q", "--json"], cwd=folder, env=env, stdout=subprocess.PIPE)
        if not (server.stdout and server.stdout.readline()):
            raise SystemExit("edu serve did not start")
        served = (COMMANDS[0], *SERVED)
        rows += report(served, rounds_of(served, folder, env, rounds))[1:]
        server.terminate()
        server.wait()
    machine = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version()}
    print(json.dumps({"rounds": rounds, "machine": machine, "commands": rows}, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
