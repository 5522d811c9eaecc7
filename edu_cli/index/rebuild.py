"""What a derived index must read anew, and what it can take from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from edu_cli.index.rows import RowTable, positions

_BATCH = 2000  # rows read at once, so that memory stays flat


@dataclass(frozen=True, slots=True)
class BuildCounts:
    """What a build came to: rows in all, those that had to be read anew, and distinct terms."""

    rows: int
    read: int
    terms: int


def changes(old: RowTable | None, new: RowTable) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Where each old row stands in `new` (-1: gone or changed), and the rows of `new` that are to be read.

    A row is the same when its child id and its key are.
    """
    if old is None or not len(old) or not len(new):
        return np.full(len(old) if old else 0, -1, dtype=np.int64), list(range(len(new)))
    moved_to = positions(new.child_ids, np.asarray(old.child_ids))
    same = moved_to >= 0
    same[same] = old.keys[same] == new.keys[moved_to[same]]
    moved_to[~same] = -1
    unread = np.ones(len(new), dtype=np.bool_)
    unread[moved_to[same]] = False
    return moved_to, np.flatnonzero(unread).tolist()


def batches(rows: Iterable[int]) -> Iterator[list[int]]:
    """The rows in lists of bounded length."""
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
