"""Checks of the derived stores against the catalog: each must hold the same rows, and find what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np

from edu_cli.errors import LockedError, NoVectorsError, StoreError
from edu_cli.index.catalog import Catalog
from edu_cli.index.generations import damaged_files
from edu_cli.index.lexical import Bm25Index, open_lexical
from edu_cli.index.lexical_place import LexicalPlace
from edu_cli.index.refresh import check_lexical, is_copy_fresh
from edu_cli.index.tokens import open_tokenizer
from edu_cli.index.vector_copy import open_copy
from edu_cli.ingest.split.splitter import encoding_text
from edu_cli.project import Project
from edu_cli.protocols import Encoder, LexicalIndex, Progress, VectorCache, VectorStore
from edu_cli.types import EncoderPin, Scope
from edu_cli.upkeep.results import FIX, CheckResult, mendable
from edu_cli.upkeep.watched import watched

BM25, WORDS, COPY, VECTORS = "BM25 index", "words", "vector index", "vectors"
SAMPLE_CHILDREN, SAMPLE_DOCUMENTS, SAMPLE_TERMS = 16, 20, 8
_LEAST_COSINE = 0.999  # another processor rounds the quantised encoder's sums differently; other weights differ by far
T = TypeVar("T")


def sample(items: Iterable[T], n: int) -> list[T]:
    """At most n of the items, evenly spread, the same ones each time."""
    known = list(items)
    return known if len(known) <= n else [known[i * len(known) // n] for i in range(n)]


def check_bm25(catalog: Catalog, place: LexicalPlace) -> tuple[CheckResult, Bm25Index | None]:
    """Whether the BM25 index is of this corpus and holds a row a parent; the index, where it can be searched."""
    report = check_lexical(catalog, place)
    n_parents = catalog.counts()["parents"]
    if not n_parents and report.status == "stale":
        return CheckResult(BM25, "pass", "nothing to index"), None
    try:
        index = open_lexical(place.path, open_tokenizer(place.user_dict, place.cache))
    except StoreError as error:
        return mendable(BM25, "fail", error.message), None
    if damaged := damaged_files(place.path):
        return mendable(BM25, "fail", f"{place.path} is damaged: {', '.join(damaged)}"), None
    if report.status == "stale":
        return mendable(BM25, "warn", f"stale: {report.reason}"), index
    return _check_rows(index, n_parents), index


def _check_rows(index: Bm25Index, n_parents: int) -> CheckResult:
    if len(index.table) != n_parents:
        return mendable(BM25, "fail", f"{len(index.table)} rows of {n_parents}")
    if not index.is_as_bm25s_has_it(SAMPLE_TERMS):
        return mendable(BM25, "fail", "bm25s gives rows other scores")
    n_terms = len(index.postings.terms)
    return CheckResult(BM25, "pass", f"fresh, {n_parents} rows, {n_terms} terms, scores as bm25s has them")


def check_words(catalog: Catalog, index: LexicalIndex) -> CheckResult:
    """Finds each of some documents by its rarest word."""
    wanted = sample(_documents_with_text(catalog), SAMPLE_DOCUMENTS)
    n_found, lost = 0, ""
    for doc_id, tenant, path in wanted:
        word = _rarest_word(catalog, doc_id, index)
        hits = index.search(word, 1, Scope(tenant, None, frozenset({doc_id}))) if word else []
        if hits or not word:
            n_found += 1
        else:
            lost = lost or f"{path} is not found by its word {word!r}"
    if lost:
        return mendable(WORDS, "fail", f"{len(wanted) - n_found} of {len(wanted)} documents are not found: {lost}")
    return CheckResult(WORDS, "pass", f"{len(wanted)} sampled documents are found by a word of theirs")


def check_copy(catalog: Catalog, project: Project, pin: EncoderPin, *, dense: bool) -> CheckResult:
    """Whether the vector copy is of this corpus and holds a row a child; `dense`: with dense vectors."""
    wanted = catalog.n_children()
    if not wanted:
        return CheckResult(COPY, "pass", "nothing to index")
    fault, n_rows = _copy_state(project.copy_path)
    if fault:
        return mendable(COPY, "fail", fault)
    if not is_copy_fresh(catalog, project.copy_path, pin, dense=dense):
        return mendable(COPY, "warn", "stale: texts or encoder have changed")
    if n_rows != wanted:
        return mendable(COPY, "fail", f"{n_rows} rows of {wanted}")
    return CheckResult(COPY, "pass", f"fresh, {wanted} rows")


def _copy_state(path: Path) -> tuple[str, int]:
    """What is wrong with the copy's files, "" for nothing, and how many rows it has."""
    try:
        copy = open_copy(path, uses_idf=False)
    except StoreError as error:
        return error.message, 0
    if copy is None:
        return f"{path} holds none", 0
    damaged = damaged_files(path)
    return (f"{path} is damaged: {', '.join(damaged)}" if damaged else ""), len(copy)


def check_vectors(catalog: Catalog, store: VectorStore, where: str, progress: Progress) -> CheckResult:
    """Whether the store holds exactly the children of the catalog. Raises StoreError."""
    wanted = catalog.child_ids()
    progress.start(VECTORS, len(wanted))
    held = set(watched(store.ids(), VECTORS, progress))
    n_missing, n_stray = len(wanted - held), len(held - wanted)
    if n_missing or n_stray:
        return mendable(VECTORS, "fail", f"{where} lacks {n_missing} of {len(wanted)} vectors and has {n_stray} others")
    if (n_counted := store.count()) != len(wanted):
        return mendable(VECTORS, "fail", f"{where} counts {n_counted} vectors of {len(wanted)}")
    return CheckResult(VECTORS, "pass", f"{where} holds all {len(wanted)}")


def unopened_vectors(error: StoreError | LockedError, *, is_lite: bool) -> CheckResult:
    """What it means that the store could not be read: Milvus Lite, and a collection that is gone, can be filled anew; a
    server that is away must be seen to.
    """
    if isinstance(error, LockedError):
        return CheckResult(VECTORS, "warn", f"not checked: {error.message}", error.hint)
    can_fill = is_lite or isinstance(error, NoVectorsError)
    return CheckResult(VECTORS, "fail", error.message, FIX if can_fill else error.hint, mendable=can_fill)


def check_reproduction(catalog: Catalog, encoder: Encoder, store: VectorStore, cache: VectorCache) -> CheckResult:
    """Encodes some children again and compares them with the vectors that the store and the cache have of them."""
    rows = list(catalog.child_rows(sample(sorted(catalog.child_ids()), SAMPLE_CHILDREN)))
    if not rows:
        return CheckResult("re-encoding", "pass", "nothing to encode")
    fresh = encoder.encode_passages([encoding_text(row.title, row.parent, row.child) for row in rows]).dense
    cached = cache.find([row.text_key for row in rows])
    stored = store.dense_of([row.child_id for row in rows])
    in_cache = [
        _cosine(cached[row.text_key].dense, vector)
        for row, vector in zip(rows, fresh, strict=True)
        if row.text_key in cached
    ]
    in_store = [  # whether any is missing there is check_vectors' to tell
        _cosine(stored[row.child_id], vector) for row, vector in zip(rows, fresh, strict=True) if row.child_id in stored
    ]
    if not in_cache and not in_store:
        return CheckResult("re-encoding", "pass", f"none of {len(rows)} sampled chunks has a vector to compare with")
    lowest = min([*in_cache, *in_store])
    message = f"{len(rows)} sampled chunks, lowest cosine {lowest:.5f}"
    if lowest < _LEAST_COSINE:
        where = "the store" if lowest in in_store else "the vector cache"
        fix = "edu ingest --rebuild"
        return CheckResult("re-encoding", "fail", f"vectors of {where} do not reproduce: {message}", fix)
    return CheckResult("re-encoding", "pass", message)


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) or 1.0))


def _documents_with_text(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [
        (row[0], row[1], row[2])
        for row in catalog.database.rows(
            """SELECT doc_id, tenant, path FROM documents
               WHERE doc_id IN (SELECT doc_id FROM parents) ORDER BY doc_id"""
        )
    ]


def _rarest_word(catalog: Catalog, doc_id: str, index: LexicalIndex) -> str:
    """The word of the document's first parents with any that fewest rows hold; "" for a document without words."""
    for parent in catalog.export([doc_id]):
        words = [word for word in dict.fromkeys(index.tokens(parent.text)) if word in index.tokens(word)]
        if words:
            return words[int(np.argmax(index.idf(words)))]
    return ""
