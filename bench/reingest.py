"""What a second `edu ingest` costs: nothing changed, and one file changed, over N small files. JSON on stdout.

    python bench/reingest.py [--files 5000] [--encoder none|e5-small] [--rounds 5]

Whole processes, in turn with a bare interpreter and a bare walk with stat, in CPU seconds (medians): `unchanged_ratio`
is what a re-ingest costs over what any program must pay. `looked_again` is the first run after an edit that finds
nothing changed; `one_file_costs` is what the run with the edit takes above it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from processes import spend

WALK = """
import os, sys
todo = [sys.argv[1]]
while todo:
    for entry in os.scandir(todo.pop()):
        if entry.is_dir():
            todo.append(entry.path)
        else:
            entry.stat()
"""


def cpu_seconds(command: list[str], cwd: Path) -> float:
    """User and system time of a process and its children."""
    return spend(command, cwd=cwd).cpu_s


def write_files(folder: Path, n_files: int) -> None:
    for i in range(n_files):
        part = folder / f"{i // 100:03d}"
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{i}.md").write_text(f"# 第{i}讲\n\n这一讲说的是第 {i * 7919 % 1000} 号题目。\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--encoder", choices=("none", "e5-small"), default="none")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_files(folder / "files", args.files)
        time.sleep(2.5)  # stamps younger than two seconds are not trusted, see edu_cli/ingest/plan.py
        edu = [sys.executable, "-m", "edu_cli", "ingest", "files", "-q", "--encoder", args.encoder]
        first = cpu_seconds(edu, folder)
        figures: dict[str, list[float]] = {
            "start": [],
            "walk": [],
            "unchanged": [],
            "one_changed": [],
            "looked_again": [],
        }
        for i in range(args.rounds):
            start = cpu_seconds([sys.executable, "-c", "pass"], folder)
            figures["start"].append(start)
            figures["walk"].append(cpu_seconds([sys.executable, "-c", WALK, "files"], folder) - start)
            figures["unchanged"].append(cpu_seconds(edu, folder))
            (folder / "files" / "000" / "0.md").write_text(f"# 改过\n\n第 {i} 次改动。\n", encoding="utf-8")
            figures["one_changed"].append(cpu_seconds(edu, folder))
            time.sleep(2.5)
            figures["looked_again"].append(cpu_seconds(edu, folder))  # it trusts the new stamp from now on
        medians = {name: round(statistics.median(values), 3) for name, values in figures.items()}
        result = {
            "files": args.files,
            "encoder": args.encoder,
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "cpu_seconds": {"first": round(first, 2), **medians},
            "unchanged_ratio": round(medians["unchanged"] / (medians["start"] + medians["walk"]), 2),
            "one_file_costs": round(medians["one_changed"] - medians["looked_again"], 3),
        }
        sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
