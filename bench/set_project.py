"""A set of questions as a project: ingested and scored by `edu` as a program. Used by eval_sets.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Rows = Iterable[Mapping[str, Any]]
Report = Mapping[str, Any]


class Bench:
    """Where the sets are, where the work goes, and how `edu eval` is called."""

    def __init__(self, data: Path, work: Path, *, limit: int | None, compare: str | None) -> None:
        self.data = data
        self.work = work
        self.limit = ["--limit", str(limit)] if limit else []
        self.compare = ["--compare", compare] if compare else []

    def ingest(self, name: str, documents: Mapping[str, str]) -> Path:
        """The project of these documents, by file name."""
        docs, project = self.work / name / "docs", self.work / name / "p"
        docs.mkdir(parents=True, exist_ok=True)
        for path, text in documents.items():
            if not (docs / path).exists():
                (docs / path).write_text(text, encoding="utf-8")
        edu("ingest", docs, "--project", project, "-q", "--json")
        return project

    def score(self, project: Path, what: str, items: Rows, *flags: object) -> Report:
        """The report of `edu eval` on these items."""
        dataset, out = project.parent / f"{what}.jsonl", project.parent / f"{what}.report.json"
        lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        dataset.write_text("".join(lines), encoding="utf-8")
        edu("eval", dataset, "--project", project, "--out", out, "-q", *flags, *self.limit)
        return json.loads(out.read_text(encoding="utf-8"))


def edu(*words: object) -> None:
    """Runs the program; what it warns of goes to stderr."""
    command = [sys.executable, "-m", "edu_cli", *map(str, words)]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        sys.exit(f"edu {words[0]} ended with exit code {done.returncode}")


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ranks(report: Report) -> dict[str, Any]:
    part = report["retrieval"]
    found = {"questions": part["judged"]}
    found |= {name: part["measures"][name]["mean"] for name in ("nDCG@10", "Recall@10", "MRR@10")}
    if "modes" in part:
        found["modes"] = {mode: measures["nDCG@10"]["mean"] for mode, measures in part["modes"].items()}
    return found | {"p50_s": report["latency"]["p50"], "notes": part.get("notes", [])}
