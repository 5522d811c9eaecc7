"""A project's vectors as memory-mapped files: what searches read where Milvus is not a server.

Milvus Lite is opened by one process at a time, costs every process .7 s of imports and rebuilds its sparse index in
Python in each; this copy opens in milliseconds for any number of readers, its answers are exact, and it weighs a
question's terms by the corpus's IDF where the encoder wants it.

Vectors lie in segments, which never change. Row r of the table (ordered by child id) has slot `slots[r]`, counted
through all segments; slots that no row has belong to children that have gone. How it is written: copy_build.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.bm25_scores import lucene_idf
from edu_cli.index.generations import Generation, open_current, reading
from edu_cli.index.postings import Postings, read_postings
from edu_cli.index.rows import Ints, Mask, RowTable, as_bytes, positions, read_array, read_table, top_rows
from edu_cli.types import Hit, Scope, SparseVector

Matrix = npt.NDArray[np.float32]
Positions = npt.NDArray[np.intp]

DENSE, SLOTS = "dense.npy", "slots.npy"
_NAME = "vector index"
_NEAR = 1e-5  # BLAS sums a float32 product of 1,024 within 1e-6, and not alike in every row
_SCARCE = 8  # a scope of less than one slot in so many has its vectors gathered instead of all of them scanned


@dataclass(frozen=True, slots=True)
class Segment:
    """The vectors of `size` slots; `dense` has no columns where a server searches them."""

    name: str
    size: int
    dense: Matrix
    postings: Postings


@dataclass(frozen=True, slots=True)
class VectorCopy:
    """protocols.VectorSearch over the copy. With `uses_idf` a question's sparse weights are multiplied by the IDF."""

    table: RowTable
    slots: Ints
    segments: tuple[Segment, ...]
    uses_idf: bool

    def __len__(self) -> int:
        return len(self.table)

    @property
    def dim(self) -> int:
        """Dimensions of the dense vectors, 0 where there are none."""
        return self.segments[0].dense.shape[1] if self.segments else 0

    @property
    def n_slots(self) -> int:
        """Slots of all segments, those of children that have gone included."""
        return sum(segment.size for segment in self.segments)

    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        """At most k hits by cosine, best first, equal scores by child id; exact. Raises StoreError."""
        with reading(_NAME):
            mask = self.table.mask(scope)
            rows = np.arange(len(self)) if mask is None else np.flatnonzero(mask)
            if k <= 0 or not len(rows):
                return []
            question = unit(vector[None])[0]
            rows = rows[_near_best(self._cosines(question, rows, mask), k)]
            # summed anew in one fixed order, so that equal vectors have equal scores wherever they lie
            exact = np.einsum("ij,j->i", self._vectors(rows).astype(np.float64), question.astype(np.float64))
            scores = exact.astype(np.float32)
            order = np.argsort(-scores, kind="stable")[:k]
            return self.table.hits(rows[order], scores[order])

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits by inner product (> 0), best first, equal scores by child id. Raises StoreError."""
        with reading(_NAME):
            scores = self._inner_products(vector)[self.slots]
            rows = top_rows(scores, k, self.table.mask(scope))
            return self.table.hits(rows, scores[rows])

    def dense_of(self, child_ids: Sequence[str]) -> dict[str, Matrix]:
        """The children's vectors; without a dense side there are none. Raises StoreError."""
        if not self.dim or not child_ids:
            return {}
        with reading(_NAME):
            rows = positions(self.table.child_ids, as_bytes(child_ids))
            here = np.flatnonzero(rows >= 0)
            found = self._vectors(rows[here])
            return {child_ids[i]: vector for i, vector in zip(here.tolist(), found, strict=True)}

    def close(self) -> None:
        """Nothing: the files are unmapped with the arrays."""

    def _cosines(self, question: Matrix, rows: Positions, mask: Mask | None) -> npt.NDArray[np.float32]:
        """The scores of these rows, up to rounding."""
        if len(rows) * _SCARCE < self.n_slots:
            return self._vectors(rows) @ question
        scores = np.concatenate([segment.dense @ question for segment in self.segments])[self.slots]
        return scores if mask is None else scores[rows]

    def _vectors(self, rows: Positions) -> Matrix:
        """The dense vectors of these rows."""
        slots = self.slots[rows]
        if len(self.segments) == 1:
            return self.segments[0].dense[slots]
        found = np.empty((len(rows), self.segments[0].dense.shape[1]), np.float32)
        first = 0
        for segment in self.segments:
            here = (slots >= first) & (slots < first + segment.size)
            found[here] = segment.dense[slots[here] - first]
            first += segment.size
        return found

    def _inner_products(self, vector: SparseVector) -> npt.NDArray[np.float32]:
        """The score of every slot."""
        terms = vector.indices.astype(np.uint64)
        found = [segment.postings.find(terms) for segment in self.segments]
        weights = vector.values.astype(np.float32)
        if self.uses_idf:
            weights = weights * lucene_idf(self._counts(found, len(terms)), len(self))
        parts = [
            segment.postings.scores(at[at >= 0], weights[at >= 0], segment.size)
            for segment, at in zip(self.segments, found, strict=True)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _counts(self, found: Sequence[npt.NDArray[np.int64]], n_terms: int) -> npt.NDArray[np.int64]:
        """In how many rows each term stands; `found` has its places in the segments."""
        counts = np.zeros(n_terms, np.int64)
        alive = np.zeros(self.n_slots, np.bool_)
        alive[self.slots] = True
        first = 0
        for segment, at in zip(self.segments, found, strict=True):
            here = alive[first : first + segment.size]
            held = np.flatnonzero(at >= 0)
            if here.all():
                counts[held] += segment.postings.row_counts(at[held])
            else:
                live = (int(here[segment.postings.rows_at(t)].sum()) for t in at[held].tolist())
                counts[held] += np.fromiter(live, np.int64, len(held))  # a list of none would be of floats
            first += segment.size
        return counts


def open_copy(path: Path, *, uses_idf: bool) -> VectorCopy | None:
    """The copy, memory-mapped; None where there is none. Raises StoreError for a damaged one."""
    return open_current(path, lambda found: read_copy(found, uses_idf=uses_idf), "vector index")


def read_copy(generation: Generation, *, uses_idf: bool) -> VectorCopy:
    """The copy of a generation. Raises one of UNREADABLE where it is damaged."""
    segments = tuple(
        Segment(
            str(name),
            int(size),
            read_array(generation.path / f"{name}.{DENSE}"),
            read_postings(generation.path, prefix=f"{name}."),
        )
        for name, size in generation.facts["segments"]
    )
    return VectorCopy(read_table(generation.path), read_array(generation.path / SLOTS), segments, uses_idf)


def unit(vectors: Matrix) -> Matrix:
    """Rows of length 1, so that inner products are cosines; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _near_best(scores: npt.NDArray[np.float32], k: int) -> Positions:
    """Where the k highest scores stand, and those that rounding may keep from being among them; ascending."""
    if len(scores) <= k:
        return np.arange(len(scores))
    worst = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.flatnonzero(scores >= worst - _NEAR)
