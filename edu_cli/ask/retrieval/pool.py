"""Hits of the legs -> the parents they point at, one row each, as arrays that fusion can weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.types import Hit, Leg

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """The parents that any leg saw, in the order of their ids, so that a stable sort breaks ties by id.

    `scores[leg]` is the best score of a parent's hits in that leg, NaN where the leg did not bring it; `ranks[leg]` is
    its rank among parents, 0 where missing; `children[i]` are the children that hit, in the order legs and ranks gave.
    """

    parent_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    children: tuple[tuple[str, ...], ...]
    scores: Mapping[Leg, Floats]
    ranks: Mapping[Leg, npt.NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.parent_ids)

    def rows(self, rows: npt.NDArray[np.intp]) -> Pool:
        """Some rows of the pool, in the order given; scores and ranks stay what they were in the whole."""
        return Pool(
            tuple(self.parent_ids[i] for i in rows),
            tuple(self.doc_ids[i] for i in rows),
            tuple(self.children[i] for i in rows),
            {leg: scores[rows] for leg, scores in self.scores.items()},
            {leg: ranks[rows] for leg, ranks in self.ranks.items()},
        )


def pool_of(hits: Mapping[Leg, Sequence[Hit]]) -> Pool:
    """The pool of some legs' hits, each leg's best first."""
    docs: dict[str, str] = {}
    children: dict[str, dict[str, None]] = {}
    for found in hits.values():
        for hit in found:
            docs[hit.parent_id] = hit.doc_id
            of_parent = children.setdefault(hit.parent_id, {})
            if hit.child_id != hit.parent_id:  # a row of the BM25 index may be a whole parent
                of_parent.setdefault(hit.child_id)
    ids = sorted(docs)
    place = {parent_id: i for i, parent_id in enumerate(ids)}
    scores: dict[Leg, Floats] = {}
    ranks: dict[Leg, npt.NDArray[np.int64]] = {}
    for leg, found in hits.items():
        scores[leg], ranks[leg] = _column(found, place)
    return Pool(tuple(ids), tuple(docs[i] for i in ids), tuple(tuple(children[i]) for i in ids), scores, ranks)


def minmax(scores: Floats) -> Floats:
    """Scores as 0 (the leg's worst hit, and what the leg did not bring) to 1 (its best).

    A leg whose hits all score alike says only which parents it brought: 1 for those.
    """
    brought = ~np.isnan(scores)
    if not brought.any():
        return np.zeros(len(scores))
    low, high = scores[brought].min(), scores[brought].max()
    if high - low < 1e-9:
        return brought.astype(np.float64)
    return np.where(brought, (np.nan_to_num(scores, nan=low) - low) / (high - low), 0.0)


def _column(hits: Sequence[Hit], place: Mapping[str, int]) -> tuple[Floats, npt.NDArray[np.int64]]:
    scores = np.full(len(place), np.nan)
    ranks = np.zeros(len(place), np.int64)
    seen = 0
    for hit in hits:
        at = place[hit.parent_id]
        if ranks[at] == 0:
            seen += 1
            ranks[at], scores[at] = seen, hit.score
    return scores, ranks
