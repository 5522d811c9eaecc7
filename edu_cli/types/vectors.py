"""Dense and sparse vectors, and rows of the vector store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # for annotations only: most verbs do without numpy's 0.1 s
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (uint32, ascending) and their weights (float32 > 0), equally long."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DualVectors:
    """What an encoder gives for n texts: dense (n, dim) float32 rows of length 1, and n sparse vectors."""

    dense: npt.NDArray[np.float32]
    sparse: Sequence[SparseVector]


@dataclass(frozen=True, slots=True)
class VectorRow:
    """One child as it stands in the vector store."""

    child_id: str
    parent_id: str
    doc_id: str
    subject: str
    tenant: str
    dense: npt.NDArray[np.float32]
    sparse: SparseVector


class IndexRow(NamedTuple):
    """One row of a derived index (vectors, BM25). Equal `child_id` and `key`: equal content, not read again.

    A tuple, since a row a child is made for every refresh, however little has changed.
    """

    child_id: str
    parent_id: str
    doc_id: str
    subject: str
    tenant: str
    key: str
