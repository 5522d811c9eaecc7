"""Speed of a search, and what BM25 loses over children instead of whole parents: `python bench/retrieval.py PROJECT`.

PROJECT was made by `edu ingest` and holds dataset.jsonl (see fit_search.py). JSON to stdout: milliseconds a question by
stage (median and 95th percentile, one thread, questions encoded anew), and nDCG@10 of BM25 by the unit of its index.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from measured import Question, judged_questions

from edu_cli.cli.search import result_json
from edu_cli.config import load_settings
from edu_cli.evaluate.measures import Judged, ndcg
from edu_cli.index.catalog import open_catalog
from edu_cli.index.lexical import build_lexical, open_lexical
from edu_cli.index.rebuild import RowSource
from edu_cli.index.tokens import open_tokenizer
from edu_cli.project import Project
from edu_cli.types import Hit, Scope, SearchRequest
from edu_cli.types.spread import spread_of
from edu_cli.wiring.asking import open_searcher
from edu_cli.wiring.ingesting import child_text
from edu_cli.wiring.overview import lexical_place

DEPTH = 200  # hits asked for, since several may be of one document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--most", type=int, default=300, help="questions, by lot")
    options = parser.parse_args()
    questions = judged_questions(options.project, most=options.most, seed=1)
    found = {"project": options.project.name, "questions": len(questions)}
    print(
        json.dumps(
            found | {"ms": speed(options.project, questions), "bm25": units(options.project, questions)}, indent=1
        )
    )


def speed(folder: Path, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    """Milliseconds of each stage, through the project's own stores; the first question, which loads them, apart."""
    settings = load_settings(folder, os.environ)
    with open_searcher(Project(folder), settings) as searcher:
        first = result_json(searcher.search(SearchRequest("预热", k=10)))["seconds"]
        spent = [
            result_json(searcher.search(SearchRequest(question["question"], k=10)))["seconds"] for question in questions
        ]
    stages: dict[str, dict[str, float]] = {"first": {"total": round(first["total"] * 1000, 1)}}
    for name in first:
        spread = spread_of([one[name] * 1000 for one in spent])
        stages[name] = {"median": round(spread.p50, 2), "p95": round(spread.p95, 2)}
    return stages


def units(folder: Path, questions: Sequence[Question]) -> dict[str, float]:
    """nDCG@10 of BM25 over whole parents (the project's index) and over children (built for this)."""
    settings, project = load_settings(folder, os.environ), Project(folder)
    place = lexical_place(project, settings)
    tokenizer = open_tokenizer(place.user_dict, place.cache)
    catalog = open_catalog(project.catalog_path)
    rows = {row.child_id: row for row in catalog.child_rows()}
    docs = {row.doc_id: row.doc for row in rows.values()}
    with tempfile.TemporaryDirectory() as folder_of_children:
        path = Path(folder_of_children) / "bm25"
        build_lexical(
            RowSource(catalog.digests(), catalog.index_children),
            lambda asked: [child_text(rows[row.child_id]) for row in asked],
            path,
            tokenizer=tokenizer,
            settings=settings.lexical,
            fingerprint="bench",
        )
        by_unit = {"parents": open_lexical(place.path, tokenizer), "children": open_lexical(path, tokenizer)}
        found = {
            unit: round(_mean(questions, lambda text, index=index: index.search(text, DEPTH, Scope()), docs), 4)
            for unit, index in by_unit.items()
        }
    catalog.close()
    return found


def _mean(questions: Sequence[Question], search: Callable[[str], Sequence[Hit]], docs: Mapping[str, str]) -> float:
    """The mean nDCG@10, of documents ranked by their best hit."""
    gains = []
    for question in questions:
        grades = {entry["doc"]: entry.get("grade", 1) for entry in question["relevant"]}
        ranked = dict.fromkeys(docs[hit.doc_id] for hit in search(question["question"]))
        gains.append(ndcg(Judged(tuple(grades.get(doc, 0) for doc in ranked), tuple(grades.values())), 10))
    return float(np.mean(gains))


if __name__ == "__main__":
    main()
