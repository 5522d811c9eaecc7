"""A project opened for measuring, with its questions. Used by the scripts beside this file.

Searches read the project's mapped copy of the vectors, which is exact, so that scores do not hang on a store's beam.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edu_cli.ask.retrieval.search import Searcher
from edu_cli.config import load_settings
from edu_cli.index.catalog import open_catalog
from edu_cli.project import Project
from edu_cli.wiring.asking import open_searcher

Question = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """A project's search, fused and not reranked, with its questions and the ids of its documents by path."""

    searcher: Searcher
    questions: Sequence[Question]
    doc_ids: Mapping[str, str]


@contextmanager
def open_measured(folder: Path, *, most: int, seed: int) -> Iterator[Measured]:
    """`folder` is a project made by `edu ingest` with the set's dataset.jsonl in it; `most` questions by lot."""
    project = Project(folder)
    catalog = open_catalog(project.catalog_path)
    doc_ids = {row.doc: row.doc_id for row in catalog.child_rows()}
    catalog.close()
    settings = load_settings(folder, os.environ)
    with open_searcher(project, settings, reranker_of=lambda _settings, _pin: None) as searcher:
        yield Measured(searcher, judged_questions(folder, most=most, seed=seed), doc_ids)


def judged_questions(folder: Path, *, most: int, seed: int) -> list[Question]:
    """The lines of its dataset.jsonl that have relevant documents; `most` by lot."""
    lines = (folder / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [question for question in map(json.loads, lines) if question["relevant"]]
    if len(questions) <= most:
        return questions
    return [questions[i] for i in sorted(np.random.default_rng(seed).choice(len(questions), most, replace=False))]
