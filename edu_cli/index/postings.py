"""An inverted file as flat arrays: for each term, the rows that hold it and how much (CSC), built from what changed.

Entries are ordered by term, then by row. `merge` keeps the entries of rows that stay and adds those of new rows, so
that one changed file costs its own rows and a copy of the arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.rows import read_array

Terms = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int32]
Values = npt.NDArray[np.float32]
Entries = npt.NDArray[np.uint64]
_ROW_BITS = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Postings:
    """Sorted distinct `terms`; the entries of term t are `rows[ends[t]:ends[t + 1]]` and `values[…]`."""

    terms: Terms
    ends: npt.NDArray[np.int64]
    rows: Rows
    values: Values

    def find(self, terms: Terms) -> npt.NDArray[np.int64]:
        """The position of each term, -1 for one that no row holds."""
        if not len(self.terms):
            return np.full(len(terms), -1, dtype=np.int64)
        at = np.searchsorted(self.terms, terms)
        at[at == len(self.terms)] = 0
        return np.where(self.terms[at] == terms, at, -1)

    def row_counts(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """In how many rows the terms at these positions stand."""
        return self.ends[at + 1] - self.ends[at]

    def counts_of(self, terms: Terms) -> npt.NDArray[np.int64]:
        """In how many rows each term stands, 0 for unknown ones."""
        at = self.find(terms)
        counts = np.zeros(len(terms), dtype=np.int64)
        counts[at >= 0] = self.row_counts(at[at >= 0])
        return counts

    def scores(self, at: npt.NDArray[np.int64], weights: Values, n_rows: int) -> Values:
        """For every row, the sum of weight x value over the terms at these positions."""
        total = np.zeros(n_rows, dtype=np.float32)
        for t, weight in zip(at.tolist(), weights.tolist(), strict=True):
            span = slice(self.ends[t], self.ends[t + 1])
            total[self.rows[span]] += self.values[span] * np.float32(weight)  # a row stands once in a term's span
        return total


EMPTY = Postings(np.empty(0, np.uint64), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class NewRow:
    """The distinct terms of a row that is not in the old postings, with their values."""

    row: int
    terms: npt.NDArray[np.unsignedinteger]
    values: npt.NDArray[np.floating]


def merge(old: Postings, moved_to: npt.NDArray[np.int64], fresh: Iterable[NewRow]) -> Postings:
    """The postings of the rows that stay and of the fresh ones.

    `moved_to[r]` is where old row r stands now, -1 where it has gone; rows that stay keep their order.
    """
    new_terms, new_rows, new_values = _sorted_entries(fresh)
    terms = np.union1d(old.terms, new_terms)
    kept, kept_values = _kept(old, np.searchsorted(terms, old.terms), moved_to)
    new = _entries(np.searchsorted(terms, new_terms), new_rows)
    at = np.searchsorted(kept, new)
    entries = np.insert(kept, at, new)
    counts = np.bincount((entries >> _ROW_BITS).astype(np.int64), minlength=len(terms))
    held = counts > 0  # a term whose last row has gone leaves with it
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[held])])
    rows = entries.astype(np.uint32).astype(np.int32)
    return Postings(terms[held], ends, rows, np.insert(kept_values, at, new_values))


def write_postings(postings: Postings, folder: Path) -> None:
    """Writes the arrays as .npy files."""
    for name in ("terms", "ends", "rows", "values"):
        np.save(folder / f"{name}.npy", getattr(postings, name), allow_pickle=False)


def read_postings(folder: Path) -> Postings:
    """The postings, memory-mapped. Raises OSError or ValueError for damaged files."""
    terms, ends, rows, values = (read_array(folder / f"{name}.npy") for name in ("terms", "ends", "rows", "values"))
    if len(ends) != len(terms) + 1 or not ends[-1] == len(rows) == len(values):
        raise ValueError("the arrays do not belong together")
    return Postings(terms, ends, rows, values)


def _kept(old: Postings, at: npt.NDArray[np.int64], moved_to: npt.NDArray[np.int64]) -> tuple[Entries, Values]:
    rows = moved_to[old.rows] if len(old.rows) else np.empty(0, np.int64)
    stays = rows >= 0
    return _entries(np.repeat(at, np.diff(old.ends))[stays], rows[stays]), np.asarray(old.values)[stays]


def _entries(terms_at: npt.NDArray[np.int64], rows: npt.NDArray[np.integer]) -> Entries:
    """One sortable number an entry: the position of its term, then its row."""
    return (terms_at.astype(np.uint64) << _ROW_BITS) | rows.astype(np.uint64)


def _sorted_entries(fresh: Iterable[NewRow]) -> tuple[Terms, Rows, Values]:
    terms, rows, values = [EMPTY.terms], [EMPTY.rows], [EMPTY.values]
    for new in fresh:
        terms.append(new.terms.astype(np.uint64))
        rows.append(np.full(len(new.terms), new.row, dtype=np.int32))
        values.append(new.values.astype(np.float32))
    all_terms, all_rows, all_values = np.concatenate(terms), np.concatenate(rows), np.concatenate(values)
    order = np.lexsort((all_rows, all_terms))
    return all_terms[order], all_rows[order], all_values[order]
