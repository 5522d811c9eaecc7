"""A project opened for measuring: dense search is exact and in memory, so that scores do not hang on a store's beam.

Used by the scripts beside this file; what a product search would see differs by HNSW's misses only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.search import Searcher
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.catalog import Catalog, open_catalog
from edu_cli.index.encoders.choose import open_encoder
from edu_cli.index.lexical import open_lexical
from edu_cli.index.tokens import open_tokenizer
from edu_cli.index.vector_cache import open_vector_cache
from edu_cli.index.vector_copy import VectorCopy, open_copy
from edu_cli.project import Project
from edu_cli.types import ChildRow, Hit, Scope, SparseVector, StoredParent
from edu_cli.wiring.places import lexical_place, vectors_path

Vector = npt.NDArray[np.float32]


class ExactStore:
    """protocols.VectorStore's searches over all vectors."""

    def __init__(self, rows: Sequence[ChildRow], vectors: Mapping[str, Vector], sparse: VectorCopy) -> None:
        self._rows = rows
        self._vectors = np.stack([vectors[row.text_key] for row in rows])
        self._docs = np.array([row.doc_id for row in rows])
        self._sparse = sparse

    def search_dense(self, vector: Vector, k: int, scope: Scope) -> list[Hit]:
        scores = self._vectors @ vector
        if scope.doc_ids is not None:
            scores[~np.isin(self._docs, list(scope.doc_ids))] = -2
        best = np.argsort(-scores, kind="stable")[:k]
        rows = [(self._rows[i], float(scores[i])) for i in best if scores[i] > -2]
        return [
            Hit(row.child_id, row.parent_id, row.doc_id, score, rank) for rank, (row, score) in enumerate(rows, start=1)
        ]

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        return self._sparse.search_sparse(vector, k, scope)


class MemoryParents:
    """protocols.ParentSource that reads each parent once."""

    def __init__(self, catalog: Catalog, rows: Sequence[ChildRow], vectors: Mapping[str, Vector]) -> None:
        self._catalog = catalog
        self._vectors = {row.child_id: vectors[row.text_key] for row in rows}
        self._known: dict[str, StoredParent] = {}

    def parents(self, parent_ids: Sequence[str]) -> dict[str, StoredParent]:
        missing = [parent_id for parent_id in parent_ids if parent_id not in self._known]
        if missing:
            self._known |= self._catalog.parents(missing)
        return {parent_id: self._known[parent_id] for parent_id in parent_ids if parent_id in self._known}

    def child_vectors(self, child_ids: Sequence[str]) -> dict[str, Vector]:
        return {child_id: self._vectors[child_id] for child_id in child_ids if child_id in self._vectors}


@dataclass(frozen=True)
class Measured:
    """A project with its questions: `questions` are lines of its dataset.jsonl that have relevant documents."""

    name: str
    searcher: Searcher
    questions: list[dict[str, Any]]
    doc_ids: Mapping[str, str]
    close: Callable[[], None]


def open_measured(folder: Path, *, most: int, seed: int) -> Measured:
    """`folder` is a project made by `edu ingest` with the set's dataset.jsonl in it; `most` questions by lot."""
    project = Project(folder)
    settings = load_settings(folder, os.environ)
    catalog = open_catalog(project.catalog_path)
    pin = catalog.encoder()
    if pin is None:
        raise SystemExit(f"{folder} holds no project")
    cache = open_vector_cache(vectors_path(project, settings), pin.fingerprint)
    rows = list(catalog.child_rows())
    vectors = cache.find_dense([row.text_key for row in rows])
    sparse = open_copy(project.copy_path, uses_idf=True)
    if sparse is None:
        raise SystemExit(f"{folder} has no vector index: run edu ingest")
    place = lexical_place(project, settings)
    searcher = Searcher(
        encoder=open_encoder(pin.name, settings.encoder, cache_dir(settings)),
        store=ExactStore(rows, vectors, sparse),  # type: ignore[arg-type]  # it is only searched
        lexical=open_lexical(place.path, open_tokenizer(place.user_dict, place.cache)),
        parents=MemoryParents(catalog, rows, vectors),
        settings=settings.search,
    )
    lines = (folder / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [question for question in map(json.loads, lines) if question["relevant"]]
    if len(questions) > most:
        chosen = np.random.default_rng(seed).choice(len(questions), most, replace=False)
        questions = [questions[i] for i in sorted(chosen)]
    doc_ids = {row.doc: row.doc_id for row in rows}

    def close() -> None:
        cache.close()
        catalog.close()

    return Measured(folder.name, searcher, questions, doc_ids, close)
