"""What the stages need from outside themselves; `wiring` gives each an adapter, tests give fakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from edu_cli.types import ChatReply, DualVectors, Hit, Message, Scope, SparseVector, StoredParent, VectorRow


class Encoder(Protocol):
    """Text -> dense and sparse vectors in one call.

    `fingerprint` names model, weights and format: vectors of two fingerprints never mix. `uses_idf` tells that the
    sparse weights are term frequencies, so that a search must weigh the question's terms by the corpus's IDF.
    """

    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def uses_idf(self) -> bool: ...

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        """Vectors in the order of `texts`; [] gives zero rows. A text's vectors do not depend on its neighbours."""
        ...

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        """As `encode_passages`, for the asking side."""
        ...


class Reranker(Protocol):
    """Question x passages -> a probability each that the passage answers the question."""

    @property
    def name(self) -> str: ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score in 0..1 a passage, in the order given; [] gives []."""
        ...


class ChatModel(Protocol):
    """An LLM that answers a list of messages."""

    @property
    def model(self) -> str: ...

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        """One whole reply. Raises ChatError."""
        ...

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        """Pieces of text as the server sends them, then the ChatReply of the whole. Raises ChatError."""
        ...


class OcrLine(Protocol):
    """A recognised line: its text, confidence 0..1 and box (x0, y0, x1, y1) in pixels."""

    @property
    def text(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def box(self) -> tuple[float, float, float, float]: ...


class OcrEngine(Protocol):
    """Picture -> lines of text."""

    def read(self, image: npt.NDArray[np.uint8]) -> Sequence[OcrLine]:
        """Lines of an (height, width, 3) RGB picture, unordered; [] for a blank one."""
        ...


class VectorStore(Protocol):
    """Children's vectors. Writes are durable and seen by searches after `flush`."""

    def upsert(self, rows: Sequence[VectorRow]) -> None: ...
    def delete(self, child_ids: Sequence[str]) -> None: ...
    def flush(self) -> None: ...
    def count(self) -> int: ...
    def ids(self) -> Iterator[str]: ...
    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        """At most k hits by cosine, best first, equal scores by child id."""
        ...

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits by inner product (> 0), best first, equal scores by child id."""
        ...

    def close(self) -> None: ...


class LexicalIndex(Protocol):
    """BM25 over the corpus's words."""

    def search(self, question: str, k: int, scope: Scope) -> list[Hit]:
        """At most k hits with a score above 0, best first, equal scores by child id."""
        ...


class Progress(Protocol):
    """What a long stage tells whoever watches; the core never prints."""

    def start(self, stage: str, total: int | None) -> None: ...
    def advance(self, stage: str, n: int = 1) -> None: ...
    def note(self, message: str) -> None: ...


class ParentSource(Protocol):
    """What retrieval reads of the catalog."""

    def parents(self, parent_ids: Sequence[str]) -> Mapping[str, StoredParent]:
        """The parents that exist, by id; one query whatever their number."""
        ...

    def child_vectors(self, child_ids: Sequence[str]) -> Mapping[str, npt.NDArray[np.float32]]:
        """Dense vectors of children from the vector cache, by child id; absent ones are left out."""
        ...
