"""Warm searches: `python bench/serve.py PROJECT QUESTIONS.jsonl [--questions 100] [--commands 10]`, JSON out.

First whole `edu search` commands without the server, then `edu serve` is started and asked over one connection (the
server's own time, and what the wire adds), then by whole commands again; each command in turn with a bare interpreter.
The questions over the wire are new to the server, so that their encoding is in the figures. `warm` is as `edu search`
asks, without the reranker; `warm_reranked` as `edu search --rerank` does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from processes import NOT_SURE, spend

from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.serve.client import open_remote
from edu_cli.types import SearchRequest


def spread(values: Sequence[float]) -> dict[str, float]:
    values = sorted(values)
    picks = {f"p{part}": values[min(len(values) - 1, len(values) * part // 100)] for part in (50, 95)}
    return {name: round(value * 1000, 2) for name, value in {**picks, "min": values[0]}.items()}


def over_the_wire(project: Project, questions: Sequence[str], *, rerank: bool = False) -> dict[str, Any]:
    """Milliseconds: the server's own, and of the whole call."""
    asker, link = open_remote(project, load_settings(project.root, os.environ))
    own: list[float] = []
    parts: dict[str, list[float]] = {}
    whole: list[float] = []
    for question in questions:
        start = time.perf_counter()
        result = asker.search(SearchRequest(question, k=10, rerank=rerank))
        whole.append(time.perf_counter() - start)
        own.append(result.seconds["total"])
        for name, seconds in result.seconds.items():
            parts.setdefault(name, []).append(seconds)
    start = time.process_time()
    for question in questions:
        asker.search(SearchRequest(question, k=10, rerank=rerank))
    again = time.process_time() - start
    status = link.call("status")
    link.close()
    return {
        "own_ms": spread(own),
        "parts_p50_ms": {name: spread(times)["p50"] for name, times in parts.items()},
        "call_ms": spread(whole),
        "client_cpu_ms": round(again / len(questions) * 1000, 2),
        "rss_mb": status["rss_mb"],
    }


def commands(project: Project, questions: Sequence[str], flags: Sequence[str]) -> dict[str, Any]:
    """Wall and CPU milliseconds of `edu search`, and of a bare interpreter in turn with it."""
    bare: list[tuple[float, float]] = []
    edu: list[tuple[float, float]] = []
    for question in questions:
        bare.append(ran([sys.executable, "-c", "pass"], project.root))
        edu.append(ran([str(Path(sys.executable).with_name("edu")), "search", question, *flags], project.root))
    return {
        "wall_ms": spread([wall for wall, _ in edu]),
        "cpu_ms": spread([cpu for _, cpu in edu]),
        "bare_wall_ms": spread([wall for wall, _ in bare]),
        "bare_cpu_ms": spread([cpu for _, cpu in bare]),
        "multiple_of_cpu": round(statistics.median(c for _, c in edu) / statistics.median(c for _, c in bare), 1),
    }


def ran(words: Sequence[str], folder: Path) -> tuple[float, float]:
    spent = spend(words, cwd=folder, fine=(0, NOT_SURE))
    return spent.wall_s, spent.cpu_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("dataset", type=Path, help="JSON lines with a question each")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--commands", type=int, default=10)
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the commands would be compiled anew in every run
    project = Project(args.project.resolve())
    rows = [json.loads(line) for line in args.dataset.read_text(encoding="utf-8").splitlines() if line.strip()]
    asked = list(dict.fromkeys(row["question"] for row in rows))
    cold = commands(project, asked[: args.commands], ())
    start = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "edu_cli", "serve", "-q", "--json"], cwd=project.root, stdout=subprocess.PIPE
    )
    try:
        if not (server.stdout and server.stdout.readline()):
            raise SystemExit("edu serve did not start")
        ready_s = time.perf_counter() - start
        wire = over_the_wire(project, asked[args.commands : args.commands + args.questions])
        reranked = over_the_wire(project, asked[-max(1, args.questions // 4) :], rerank=True)
        shown = commands(project, asked[: args.commands], ())
        as_json = commands(project, asked[: args.commands], ("--json",))
    finally:
        server.terminate()
        server.wait()
    machine = {"cores": os.cpu_count(), "load": [round(one, 1) for one in os.getloadavg()]}
    report = {
        "machine": machine,
        "ready_s": round(ready_s, 2),
        "warm": wire,
        "warm_reranked": reranked,
        "command": shown,
        "command_json": as_json,
        "without_serve": cold,
    }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
