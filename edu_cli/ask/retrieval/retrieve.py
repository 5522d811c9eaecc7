"""Question -> the hits of each leg, the legs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.protocols import Encoder, LexicalIndex, VectorSearch
from edu_cli.types import Hit, Leg, Scope, SparseVector

LEGS: tuple[Leg, ...] = ("dense", "sparse", "bm25")


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """One question as the encoder gives it."""

    dense: npt.NDArray[np.float32]
    sparse: SparseVector


def encoded(encoder: Encoder, question: str) -> QuestionVectors:
    """The vectors of a question. Raises EncoderError."""
    vectors = encoder.encode_questions([question])
    return QuestionVectors(vectors.dense[0], vectors.sparse[0])


class Retriever:
    """The legs over their stores. A leg whose store is absent gives no hits."""

    def __init__(self, store: VectorSearch | None, lexical: LexicalIndex | None) -> None:
        self._store = store
        self._lexical = lexical
        self._threads = ThreadPoolExecutor(len(LEGS), thread_name_prefix="leg")

    def retrieve(
        self, question: str, vectors: QuestionVectors | None, legs: Sequence[Leg], *, k: int, scope: Scope
    ) -> Mapping[Leg, Sequence[Hit]]:
        """At most k hits of each leg asked for, best first. Raises what a leg raises: a missing leg would go unseen."""
        running: dict[Leg, Future[list[Hit]]] = {}
        if vectors is not None and self._store is not None:
            if "dense" in legs:
                running["dense"] = self._threads.submit(self._store.search_dense, vectors.dense, k, scope)
            if "sparse" in legs:
                running["sparse"] = self._threads.submit(self._store.search_sparse, vectors.sparse, k, scope)
        if "bm25" in legs and self._lexical is not None:
            running["bm25"] = self._threads.submit(self._lexical.search, question, k, scope)
        return {leg: running[leg].result() if leg in running else [] for leg in legs}
