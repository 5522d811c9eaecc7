"""An inverted file as flat arrays: for each term, the rows that hold it and how much (CSC), memory-mapped.

Entries are ordered by term, then by row. How it is written: merging.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.index.rows import read_array

Terms = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int32]
Values = npt.NDArray[np.float32]


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

    def rows_at(self, at: int) -> Rows:
        """The rows that hold the term at this position."""
        return self.rows[self.ends[at] : self.ends[at + 1]]

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


def read_postings(folder: Path, values: str = "values", prefix: str = "") -> Postings:
    """The postings, memory-mapped, with the values of that name. Raises OSError or ValueError for damaged files."""
    names = ("terms", "ends", "rows", values)
    terms, ends, rows, held = (read_array(folder / f"{prefix}{name}.npy") for name in names)
    if len(ends) != len(terms) + 1 or not ends[-1] == len(rows) == len(held):
        raise ValueError("the arrays do not belong together")
    return Postings(terms, ends, rows, held)
