"""Writes an inverted file from what changed, in memory that does not grow with the corpus.

The entries of new rows are sorted in runs, which are put aside on disk; then one range of terms after the other is
gathered from the old file and the runs, sorted and appended. One changed file costs its own rows and a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from edu_cli.index.arrays import forget, write_array, write_header
from edu_cli.index.postings import EMPTY, Postings, Rows, Terms, Values
from edu_cli.index.rows import read_array

_RUN = 500_000  # entries that are sorted at once: 8 MB, and as much again while they are
_RANGE = 500_000  # entries that are gathered at once


@dataclass(frozen=True, slots=True)
class NewRow:
    """The distinct terms of a row that is not in the old file, with their values."""

    row: int
    terms: npt.NDArray[np.unsignedinteger]
    values: npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class _Run:
    """Entries sorted by term, then row."""

    terms: Terms
    rows: Rows
    values: Values

    def cuts(self, lows: Terms) -> npt.NDArray[np.int64]:
        """Where the ranges begin whose lowest terms these are, and where the last one ends."""
        return _cuts(self.terms, lows)

    def within(self, start: int, end: int) -> _Run:
        """The entries between two cuts."""
        return _Run(self.terms[start:end], self.rows[start:end], self.values[start:end])

    def forget(self) -> None:
        """Holds no memory of what was read."""
        forget(self.terms, self.rows, self.values)

    def __len__(self) -> int:
        return len(self.terms)


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays of an old file: row r stands at `moved_to[r]` now, -1 where it has gone."""

    old: Postings
    moved_to: npt.NDArray[np.int64]

    def cuts(self, lows: Terms) -> npt.NDArray[np.int64]:
        """As of a run."""
        return _cuts(self.old.terms, lows)

    def within(self, start: int, end: int) -> _Run:
        """As of a run."""
        span = slice(self.old.ends[start], self.old.ends[end])
        rows = self.moved_to[self.old.rows[span]]
        stays = rows >= 0
        terms = np.repeat(self.old.terms[start:end], np.diff(self.old.ends[start : end + 1]))
        return _Run(terms[stays], rows[stays].astype(np.int32), self.old.values[span][stays].astype(np.float32))

    def forget(self) -> None:
        """As of a run."""
        forget(self.old.terms, self.old.ends, self.old.rows, self.old.values)

    def bounds(self, step: int) -> Terms:
        """Terms between which about `step` entries stand."""
        if not len(self.old.terms):
            return self.old.terms[:0]
        at = np.searchsorted(self.old.ends[:-1], np.arange(0, self.old.ends[-1], step))
        return self.old.terms[at[at < len(self.old.terms)]]


_DTYPES = {"terms": np.uint64, "ends": np.int64, "rows": np.int32, "values": np.float32}
_NOTHING = _Run(EMPTY.terms, EMPTY.rows, EMPTY.values)


def write_merged(
    folder: Path, kept: Sequence[Kept], fresh: Iterable[NewRow], prefix: str = ""
) -> tuple[Terms, npt.NDArray[np.int64]]:
    """Writes terms, ends, rows and values (.npy) of the rows that stay and the fresh ones.

    Returns terms and ends, memory-mapped.
    """
    with ExitStack() as stack:
        aside = stack.enter_context(TemporaryDirectory(dir=folder, prefix="runs-"))
        runs = list(_runs(fresh, Path(aside)))
        raws = {name: stack.enter_context((folder / f"{prefix}{name}.raw").open("wb")) for name in _DTYPES}
        total = 0
        raws["ends"].write(np.zeros(1, np.int64).tobytes())
        sources = (*kept, *runs)
        lows = _lows(kept, runs)
        cuts = [source.cuts(lows).tolist() for source in sources]
        for n in range(len(lows)):
            for source in sources:
                source.forget()
            part = _merged([one.within(*cut[n : n + 2]) for one, cut in zip(sources, cuts, strict=True)])
            starts = np.flatnonzero(_first_of_each(part.terms))
            ends = total + np.append(starts[1:], len(part)) if len(part) else starts
            columns = {"terms": part.terms[starts], "ends": ends, "rows": part.rows, "values": part.values}
            for name, column in columns.items():
                raws[name].write(column.tobytes())
            total += len(part)
    for name, dtype in _DTYPES.items():
        _as_npy(folder / f"{prefix}{name}.raw", np.dtype(dtype))
    return read_array(folder / f"{prefix}terms.npy"), read_array(folder / f"{prefix}ends.npy")


def _lows(kept: Sequence[Kept], runs: Sequence[_Run]) -> Terms:
    """The lowest terms of ranges that are gathered at once, each with about as many entries from each source."""
    step = max(1, _RANGE // (len(kept) + len(runs) + 1))
    bounds = [*(old.bounds(step) for old in kept), *(run.terms[::step] for run in runs)]
    return np.unique(np.concatenate([np.zeros(1, np.uint64), *bounds]))


def _cuts(terms: Terms, lows: Terms) -> npt.NDArray[np.int64]:
    return np.append(np.searchsorted(terms, lows), len(terms))


def _runs(fresh: Iterable[NewRow], aside: Path) -> Iterator[_Run]:
    """Sorted runs; all but the last lie on disk."""
    held: list[NewRow] = []
    n = 0
    for new in fresh:
        held.append(new)
        n += len(new.terms)
        if n >= _RUN:
            yield _put_aside(_run_of(held), aside)
            held, n = [], 0
    if held:
        yield _run_of(held)


def _run_of(rows: Sequence[NewRow]) -> _Run:
    """The rows, which come in ascending order, as a run."""
    terms = np.concatenate([new.terms for new in rows]).astype(np.uint64)
    order = _by_term(terms) if len(terms) else np.empty(0, np.int64)
    places = np.repeat(np.array([new.row for new in rows], np.int32), [len(new.terms) for new in rows])
    values = np.concatenate([new.values for new in rows]).astype(np.float32)
    return _Run(terms[order], places[order], values[order])


def _put_aside(run: _Run, aside: Path) -> _Run:
    number = len(list(aside.iterdir()))
    paths = [aside / f"{number:06}-{name}.npy" for name in ("terms", "rows", "values")]
    for path, array in zip(paths, (run.terms, run.rows, run.values), strict=True):
        write_array(path, array)
    return _Run(*(read_array(path) for path in paths))


def _merged(parts: Sequence[_Run]) -> _Run:
    """The entries of several runs as one. A stable sort finds the runs in them and only merges."""
    filled = [part for part in parts if len(part)]
    if len(filled) < 2:  # most ranges of a small change are of the old file alone
        return filled[0] if filled else _NOTHING
    firsts = [_first_of_each(part.terms) for part in filled]
    known = np.unique(np.concatenate([part.terms[first] for part, first in zip(filled, firsts, strict=True)]))
    numbers = [
        np.searchsorted(known, part.terms[first]).astype(np.uint64)[np.cumsum(first) - 1]
        for part, first in zip(filled, firsts, strict=True)
    ]
    rows = np.concatenate([part.rows for part in filled])
    order = np.argsort((np.concatenate(numbers) << np.uint64(32)) | rows.astype(np.uint64), kind="stable")
    terms = np.concatenate([part.terms for part in filled])
    values = np.concatenate([part.values for part in filled])
    return _Run(terms[order], rows[order], values[order])


def _first_of_each(terms: Terms) -> npt.NDArray[np.bool_]:
    """Where in a run a new term begins."""
    first = np.ones(len(terms), np.bool_)
    first[1:] = terms[1:] != terms[:-1]
    return first


def _by_term(terms: Terms) -> npt.NDArray[np.int64]:
    """The order of the terms, equal ones as they stand.

    An encoder's terms have 32 bits: with their places in one number they are sorted nine times as fast.
    """
    if terms.max() >> np.uint64(32):
        return np.argsort(terms, kind="stable")
    packed = (terms << np.uint64(32)) | np.arange(len(terms), dtype=np.uint64)
    packed.sort()
    return (packed & np.uint64(2**32 - 1)).astype(np.int64)


def _as_npy(raw: Path, dtype: np.dtype[np.generic]) -> None:
    """The raw file as .npy: a header, then its bytes, copied a piece at a time."""
    count = raw.stat().st_size // dtype.itemsize
    with raw.with_suffix(".npy").open("wb") as out, raw.open("rb") as source:
        write_header(out, dtype, (count,))
        while piece := source.read(1 << 22):
            out.write(piece)
    raw.unlink()
