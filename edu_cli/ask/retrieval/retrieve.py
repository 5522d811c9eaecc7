"""Question -> the hits of each leg, the legs side by side; a question is encoded once a process."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.protocols import Encoder, LexicalIndex, VectorSearch
from edu_cli.types import Hit, Leg, Scope, SparseVector

LEGS: tuple[Leg, ...] = ("dense", "sparse", "bm25")
_REMEMBERED = 512  # encoded questions: about 1 MB


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """One question as the encoder gives it."""

    dense: npt.NDArray[np.float32]
    sparse: SparseVector


class QuestionEncoder:
    """Encodes questions and remembers the last ones, so that strategies, the FAQ and retrieval share one encoding."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, QuestionVectors] = {}
        self._lock = threading.Lock()

    def __call__(self, question: str) -> QuestionVectors:
        """The vectors of a question. Raises EncoderError."""
        with self._lock:
            found = self._known.pop(question, None)
            if found is None:
                vectors = self._encoder.encode_questions([question])
                found = QuestionVectors(vectors.dense[0], vectors.sparse[0])
                if len(self._known) >= _REMEMBERED:
                    del self._known[next(iter(self._known))]
            self._known[question] = found  # the latest used stands last
            return found


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
