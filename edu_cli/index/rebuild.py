"""What a derived index must read anew, and what it can take from the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.index.rows import RowTable, as_bytes, merge_tables, positions, table_of
from edu_cli.protocols import Progress
from edu_cli.types import IndexRow

_BATCH = 2000  # rows read at once, so that memory stays flat


@dataclass(frozen=True, slots=True)
class BuildCounts:
    """What a build came to: rows in all, those that had to be read anew, and distinct terms."""

    rows: int
    read: int
    terms: int


@dataclass(frozen=True, slots=True)
class RowSource:
    """Where an index's rows come from: the digests of all documents by id, and the rows of those that are named."""

    digests: Mapping[str, str]
    rows: Callable[[Sequence[str]], Iterable[IndexRow]]


@dataclass(frozen=True, slots=True)
class Changes:
    """The table that is to be, where each row of the old one stands in it, and the rows that are to be read anew.

    -1 is the place of a row that has gone or changed: it is the same when its child id and its key are.
    """

    table: RowTable
    moved_to: npt.NDArray[np.int64]
    missing: list[int]


def find_changes(old: RowTable | None, source: RowSource) -> Changes:
    """What is to be done to a table; rows of documents that are as they were are not even asked for."""
    if old is None or not len(old):
        table = table_of(source.rows(list(source.digests)), source.digests)
        return Changes(table, np.full(0, -1, np.int64), list(range(len(table))))
    known = dict(zip(old.doc_ids.tolist(), old.digests.tolist(), strict=True))
    others = [doc_id for doc_id, digest in source.digests.items() if known.pop(doc_id.encode(), b"") != digest.encode()]
    fresh = table_of(source.rows(others), source.digests)
    gone = as_bytes(sorted({*others, *(doc_id.decode() for doc_id in known)}))
    stays = ~np.isin(old.doc_ids, gone)[old.docs]
    table, kept_at, fresh_at = merge_tables(old, stays, fresh)
    moved_to = np.full(len(old), -1, np.int64)
    moved_to[stays] = kept_at
    changed = np.flatnonzero(~stays)
    at = positions(fresh.child_ids, np.asarray(old.child_ids)[changed])
    same = at >= 0
    same[same] = old.keys[changed[same]] == fresh.keys[at[same]]
    moved_to[changed[same]] = fresh_at[at[same]]
    unread = np.ones(len(table), np.bool_)
    unread[moved_to[moved_to >= 0]] = False
    return Changes(table, moved_to, np.flatnonzero(unread).tolist())


def batches(rows: Sequence[int], stage: str, progress: Progress | None) -> Iterator[list[int]]:
    """The rows in lists of bounded length, each shown as done when the next one is asked for."""
    if progress and rows:
        progress.start(stage, len(rows))
    for start in range(0, len(rows), _BATCH):
        batch = list(rows[start : start + _BATCH])
        yield batch
        if progress:
            progress.advance(stage, len(batch))
