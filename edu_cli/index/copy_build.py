"""Writes the vector copy: what changed goes into a new segment, the others are handed on as they are.

A new segment takes in what lives of the segments before it that are at most twice its size, so there are about log n of
them and a vector is written about log n times over the life of a project; a segment most of whose slots are dead is
taken in as well.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from edu_cli.errors import StoreError
from edu_cli.index.arrays import forget, write_array, write_header
from edu_cli.index.generations import UNREADABLE, Generation, current, damaged_among, publish
from edu_cli.index.merging import Kept, NewRow, write_merged
from edu_cli.index.rebuild import BuildCounts, RowSource, batches, find_changes
from edu_cli.index.rows import RowTable, write_table
from edu_cli.index.vector_copy import DENSE, SLOTS, Segment, VectorCopy, read_copy, unit
from edu_cli.protocols import Progress
from edu_cli.types import CachedVectors, IndexRow

Vectors = Callable[[Sequence[IndexRow]], Sequence[CachedVectors]]
_PIECE = 4096  # vectors copied at once
_TAKEN_IN = 2  # a segment of at most so many times the new one's rows is taken in by it


@dataclass(frozen=True, slots=True, eq=False)
class _Old:
    """A segment of the copy in force, and the row of the new table that each of its slots stands for (-1: none)."""

    segment: Segment
    rows: npt.NDArray[np.int64]
    generation: Generation

    @property
    def live(self) -> npt.NDArray[np.int64]:
        """The rows of the new table that its slots stand for, in their order."""
        return self.rows[self.rows >= 0]

    def is_damaged(self) -> bool:
        """Whether its files are not what was written; reads all of them."""
        return bool(damaged_among(self.generation.path, _files_of(self.segment.name, self.generation)))

    def hand_on(self, folder: Path) -> None:
        """Its files as those of the next generation."""
        for name in _files_of(self.segment.name, self.generation):
            self.generation.hand_on(name, folder)


def build_copy(
    source: RowSource,
    vectors: Vectors,
    path: Path,
    *,
    dim: int,
    fingerprint: str,
    afresh: bool = False,
    progress: Progress | None = None,
) -> BuildCounts:
    """Brings the copy at `path` to hold exactly the rows of `source`, in one atomic step.

    Rows that it holds already (equal child id and key) are taken from it; `vectors` gives the others, in the order
    asked; `afresh` takes none. `dim` 0 keeps sparse vectors only. `fingerprint` is kept among its facts.

    Raises StoreError.
    """
    generation, old = (None, None) if afresh else _reusable(path, dim)
    found = find_changes(old.table if old else None, source)
    kept, chosen = _choose(_old_segments(generation, old, found.moved_to), len(found.missing))
    taken_in = [one for one in chosen if not one.is_damaged()]
    lost = [row for one in chosen if one not in taken_in for row in one.live.tolist()]
    plan = _Plan(found.table, kept, taken_in, np.array(sorted([*found.missing, *lost]), np.int64), progress)

    def write(folder: Path) -> dict[str, object]:
        return {"fingerprint": fingerprint, "dim": dim, "segments": plan.write(folder, dim, vectors)}

    publish(path, write, generation)
    return BuildCounts(len(found.table), len(plan.missing), 0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The segments that stay, those that the new one takes in, and the rows whose vectors are to be read."""

    table: RowTable
    kept: Sequence[_Old]
    taken_in: Sequence[_Old]
    missing: npt.NDArray[np.int64]
    progress: Progress | None

    def write(self, folder: Path, dim: int, vectors: Vectors) -> list[tuple[str, int]]:
        """Fills the folder; names and sizes of its segments."""
        slots = np.empty(len(self.table), np.int32)
        segments: list[tuple[str, int]] = []
        first = 0
        for one in self.kept:
            one.hand_on(folder)
            slots[one.live] = first + np.flatnonzero(one.rows >= 0)
            segments.append((one.segment.name, one.segment.size))
            first += one.segment.size
        new = np.concatenate([*(one.live for one in self.taken_in), self.missing])
        if len(new) or not segments:
            slots[new] = np.arange(first, first + len(new))
            fresh = _read(self.table, batches(self.missing.tolist(), "vectors", self.progress), vectors)
            segments.append((_write_segment(folder, self.taken_in, len(new), dim, fresh), len(new)))
        write_table(self.table, folder)
        write_array(folder / SLOTS, slots)
        return segments


def _reusable(path: Path, dim: int) -> tuple[Generation | None, VectorCopy | None]:
    """The copy in force, where it can be read and who its rows are is sound; else all is built anew."""
    try:
        found = current(path)
        if found is None or found.facts.get("dim") != dim:
            return None, None
        copy = read_copy(found, uses_idf=False)
    except (StoreError, *UNREADABLE):
        return None, None
    ours = {name for segment in copy.segments for name in _files_of(segment.name, found)}
    table = {name: measure for name, measure in found.files.items() if name not in ours}
    return (None, None) if damaged_among(found.path, table) else (found, copy)


def _files_of(segment: str, generation: Generation) -> dict[str, tuple[int, int]]:
    return {name: measure for name, measure in generation.files.items() if name.startswith(f"{segment}.")}


def _old_segments(
    generation: Generation | None, copy: VectorCopy | None, moved_to: npt.NDArray[np.int64]
) -> list[_Old]:
    if generation is None or copy is None:
        return []
    row_of = np.full(copy.n_slots, -1, np.int64)
    row_of[copy.slots] = moved_to
    ends = np.cumsum([segment.size for segment in copy.segments])
    parts = np.split(row_of, ends[:-1])
    return [_Old(segment, rows, generation) for segment, rows in zip(copy.segments, parts, strict=True)]


def _choose(before: Sequence[_Old], n_new: int) -> tuple[list[_Old], list[_Old]]:
    """The segments that are handed on, and those that the new one takes in."""
    kept, taken_in = [], []
    for one in sorted(before, key=lambda old: len(old.live)):
        n_live = len(one.live)
        if n_live <= one.segment.size / 2 or n_live <= _TAKEN_IN * n_new:
            taken_in.append(one)
            n_new += n_live
        else:
            kept.append(one)
    return kept, taken_in


def _read(table: RowTable, pieces: Iterable[list[int]], vectors: Vectors) -> Iterator[Sequence[CachedVectors]]:
    for batch in pieces:
        found = vectors(table.rows(batch))
        if len(found) != len(batch):
            raise AssertionError("a vector for each row that was asked for")
        yield found


def _write_segment(
    folder: Path, taken_in: Sequence[_Old], size: int, dim: int, fresh: Iterator[Sequence[CachedVectors]]
) -> str:
    """A segment of what lives of others, then of fresh vectors, `size` slots in all; its name."""
    name = f"s-{uuid.uuid4().hex[:12]}"
    kept: list[Kept] = []
    first = 0
    with (folder / f"{name}.{DENSE}").open("wb") as dense:
        write_header(dense, np.float32, (size, dim))
        for one in taken_in:
            slots = np.flatnonzero(one.rows >= 0)
            moved_to = np.full(one.segment.size, -1, np.int64)
            moved_to[slots] = np.arange(first, first + len(slots))
            kept.append(Kept(one.segment.postings, moved_to))
            first += len(slots)
            for start in range(0, len(slots), _PIECE):
                dense.write(one.segment.dense[slots[start : start + _PIECE]].tobytes())
                forget(one.segment.dense)
        write_merged(folder, kept, _sparse_of(fresh, first, dense if dim else None), prefix=f"{name}.")
    return name


def _sparse_of(fresh: Iterator[Sequence[CachedVectors]], first: int, dense: IO[bytes] | None) -> Iterator[NewRow]:
    """The sparse side of the vectors; the dense one is appended to `dense` in passing."""
    slots = count(first)
    for batch in fresh:
        if dense:
            dense.write(unit(np.stack([one.dense for one in batch])).tobytes())
        for one in batch:
            yield NewRow(next(slots), one.sparse.indices, one.sparse.values)
