"""Speed of a search, and what BM25 loses over children instead of whole parents: `python bench/retrieval.py PROJECT`.

PROJECT was made by `edu ingest` and holds dataset.jsonl (see fit_search.py). JSON to stdout: milliseconds a question by
stage (median and 95th percentile, one thread, questions encoded anew), and nDCG@10 of BM25 by the unit of its index.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from exact import open_measured

from edu_cli.cli.search import result_json
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.catalog import open_catalog
from edu_cli.index.lexical import build_lexical, open_lexical
from edu_cli.index.tokens import open_tokenizer
from edu_cli.project import Project
from edu_cli.types import Hit, IndexRow, Scope
from edu_cli.wiring.asking import open_searcher
from edu_cli.wiring.ingesting import child_text

DISCOUNT = 1 / np.log2(np.arange(2, 12))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--most", type=int, default=300, help="questions, by lot")
    options = parser.parse_args()
    measured = open_measured(options.project, most=options.most, seed=1)
    questions = measured.questions
    measured.close()
    found = {"project": options.project.name, "questions": len(questions)}
    print(
        json.dumps(
            found | {"ms": speed(options.project, questions), "bm25": units(options.project, questions)}, indent=1
        )
    )


def speed(folder: Path, questions: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Milliseconds of each stage, through the project's own stores; the first question, which loads them, apart."""
    settings = load_settings(folder, os.environ)
    with open_searcher(Project(folder), settings) as searcher:
        first = result_json(searcher.search("预热", k=10))["seconds"]
        spent = [result_json(searcher.search(question["question"], k=10))["seconds"] for question in questions]
    stages: dict[str, dict[str, float]] = {"first": {"total": round(first["total"] * 1000, 1)}}
    for name in first:
        values = sorted(one[name] * 1000 for one in spent)
        p95 = values[int(len(values) * 0.95)]
        stages[name] = {"median": round(statistics.median(values), 2), "p95": round(p95, 2)}
    return stages


def units(folder: Path, questions: Sequence[dict[str, Any]]) -> dict[str, float]:
    """nDCG@10 of BM25 over whole parents (the project's index) and over children (built for this)."""
    settings, project = load_settings(folder, os.environ), Project(folder)
    catalog = open_catalog(project.catalog_path)
    rows = {row.child_id: row for row in catalog.child_rows()}
    docs = {row.doc_id: row.doc for row in rows.values()}
    tokenizer = open_tokenizer(None, cache_dir(settings))
    with tempfile.TemporaryDirectory() as folder_of_children:
        path = Path(folder_of_children) / "bm25"
        build_lexical(
            [IndexRow(r.child_id, r.parent_id, r.doc_id, r.subject, r.tenant, r.text_key) for r in rows.values()],
            lambda asked: [child_text(rows[row.child_id]) for row in asked],
            path,
            tokenizer=tokenizer,
            settings=settings.lexical,
            fingerprint="bench",
        )
        by_unit = {"parents": open_lexical(project.bm25_path, tokenizer), "children": open_lexical(path, tokenizer)}
        found = {
            unit: round(_mean(questions, lambda text, index=index: index.search(text, 200, Scope()), docs), 4)
            for unit, index in by_unit.items()
        }
    catalog.close()
    return found


def _mean(questions: Sequence[dict[str, Any]], search: Callable[[str], Sequence[Hit]], docs: dict[str, str]) -> float:
    total = 0.0
    for question in questions:
        grades = {entry["doc"]: float(entry.get("grade", 1)) for entry in question["relevant"]}
        ranked = list(dict.fromkeys(docs[hit.doc_id] for hit in search(question["question"])))[:10]
        best = sorted(grades.values(), reverse=True)[:10]
        gain = sum(grades.get(doc, 0.0) * discount for doc, discount in zip(ranked, DISCOUNT, strict=False))
        total += gain / float((best * DISCOUNT[: len(best)]).sum())
    return total / len(questions)


if __name__ == "__main__":
    main()
