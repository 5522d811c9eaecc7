"""The sparse vectors as a memory-mapped inverted file beside the database.

Milvus Lite rebuilds its sparse index in Python in every process (seconds at 20,000 rows) and knows no document
frequencies; this copy opens in milliseconds and weighs a question's terms by the corpus's IDF where the encoder wants
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import StoreError
from edu_cli.index.bm25_scores import lucene_idf
from edu_cli.index.generations import current, damaged_files, publish, reading
from edu_cli.index.merging import NewRow, write_merged
from edu_cli.index.postings import EMPTY, Postings, read_postings
from edu_cli.index.rebuild import BuildCounts, batches, changes
from edu_cli.index.rows import RowTable, read_table, table_of, top_rows, write_table
from edu_cli.types import Hit, IndexRow, Scope, SparseVector

Vectors = Callable[[Sequence[IndexRow]], Sequence[SparseVector]]


@dataclass(frozen=True, slots=True)
class SparseIndex:
    """Inner product over sparse vectors; with `uses_idf` the question's weights are multiplied by BM25's IDF."""

    table: RowTable
    postings: Postings
    uses_idf: bool

    def search(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits above 0, best first, equal scores by child id."""
        with reading("sparse index"):
            scores = self._scores(vector)
            rows = top_rows(scores, k, self.table.mask(scope))
            return self.table.hits(rows, scores[rows])

    def score_children(self, vector: SparseVector, child_ids: Sequence[str]) -> npt.NDArray[np.float32]:
        """The exact score of each child, 0 for one that is not in the index."""
        with reading("sparse index"):
            return scores_at(self._scores(vector), self.table.rows_of(child_ids))

    def idf(self, terms: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
        """IDF of each term in this corpus; a term that no child holds weighs most."""
        return lucene_idf(self.postings.counts_of(terms.astype(np.uint64)), len(self.table))

    def _scores(self, vector: SparseVector) -> npt.NDArray[np.float32]:
        at = self.postings.find(vector.indices.astype(np.uint64))
        known = at >= 0
        at, weights = at[known], vector.values[known]
        if self.uses_idf:
            weights = weights * lucene_idf(self.postings.row_counts(at), len(self.table))
        return self.postings.scores(at, weights, len(self.table))


def scores_at(scores: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """The scores of these rows, 0 for row -1."""
    if not len(scores):
        return np.zeros(len(rows), dtype=np.float32)
    return np.where(rows >= 0, scores[np.maximum(rows, 0)], np.float32(0))


def build_sparse(rows: Iterable[IndexRow], vectors: Vectors, path: Path, *, fingerprint: str) -> BuildCounts:
    """Brings the inverted file at `path` to hold exactly `rows`, in one atomic step.

    Rows that the file holds already (equal child id and key) are taken from it; `vectors` gives the others, in the
    order asked. `fingerprint` is kept among its facts. Raises StoreError.
    """
    table = table_of(rows)
    old = _reusable(path)
    moved_to, missing = changes(old.table if old else None, table)
    fresh = (
        NewRow(row, vector.indices, vector.values)
        for batch in batches(missing)
        for row, vector in zip(batch, vectors([table.row(r) for r in batch]), strict=True)
    )
    counts = BuildCounts(0, 0, 0)

    def write(folder: Path) -> dict[str, object]:
        nonlocal counts
        write_table(table, folder)
        terms, _ = write_merged(folder, old.postings if old else EMPTY, moved_to, fresh)
        counts = BuildCounts(len(table), len(missing), len(terms))
        return {"fingerprint": fingerprint}

    publish(path, write)
    return counts


def open_sparse(path: Path, *, uses_idf: bool) -> SparseIndex | None:
    """The inverted file, memory-mapped; None where there is none. Raises StoreError for a damaged one."""
    found = current(path)
    if found is None:
        return None
    try:
        return SparseIndex(read_table(found.path), read_postings(found.path), uses_idf)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise StoreError(f"The sparse index {path} is damaged: {error}.", hint="run `edu index --force`") from error


def _reusable(path: Path) -> SparseIndex | None:
    """The file in force, where it can be read; a damaged one is built anew from nothing."""
    try:
        return None if damaged_files(path) else open_sparse(path, uses_idf=False)
    except StoreError:
        return None
