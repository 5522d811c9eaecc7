"""What keeps: the catalog, vectors, BM25 and the records, as the stages see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from edu_cli.types import (
    Scope,
)

if TYPE_CHECKING:  # for annotations only: `--help` and most verbs do without numpy's 0.1 s
    import numpy as np
    import numpy.typing as npt

    from edu_cli.types import (
        CachedVectors,
        CatalogDocument,
        ChildRow,
        EncoderPin,
        FaqRecord,
        FileStamp,
        Hit,
        KnownDocument,
        Root,
        SearchRequest,
        SearchResult,
        Session,
        SessionTurn,
        SparseVector,
        StoredParent,
        VectorRow,
    )


class VectorSearch(Protocol):
    """What searches need of children's vectors."""

    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        """At most k hits by cosine, best first, equal scores by child id."""
        ...

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits by inner product (> 0), best first, equal scores by child id."""
        ...

    def dense_of(self, child_ids: Sequence[str]) -> Mapping[str, npt.NDArray[np.float32]]:
        """The children's dense vectors, of length 1; children without vectors are left out."""
        ...


class VectorStore(VectorSearch, Protocol):
    """Children's vectors. Writes are durable and seen by searches after `flush`."""

    def upsert(self, rows: Sequence[VectorRow]) -> None: ...
    def delete(self, child_ids: Sequence[str]) -> None: ...
    def flush(self) -> None: ...
    def count(self) -> int: ...
    def ids(self) -> Iterator[str]: ...
    def close(self) -> None: ...


class LexicalIndex(Protocol):
    """BM25 over the corpus's words."""

    def search(self, question: str, k: int, scope: Scope) -> list[Hit]:
        """At most k hits with a score above 0, best first, equal scores by child id.

        Where the rows of the index are whole parents, a hit's `child_id` is its parent's id.
        """
        ...

    def tokens(self, text: str) -> Sequence[str]:
        """The words of a text as the index cuts them, repeats included."""
        ...

    def idf(self, tokens: Sequence[str]) -> npt.NDArray[np.float32]:
        """ln((N + 1) / (n + .5)) of each word that n of N rows hold; a word that none holds weighs most."""
        ...


class ParentSource(Protocol):
    """What retrieval reads of the catalog."""

    def parents(self, parent_ids: Sequence[str]) -> Mapping[str, StoredParent]:
        """The parents that exist, by id; one query whatever their number."""
        ...

    def child_vectors(self, child_ids: Sequence[str]) -> Mapping[str, npt.NDArray[np.float32]]:
        """Dense vectors of children from the vector cache, by child id; absent ones are left out."""
        ...


class PassageSearch(Protocol):
    """Question -> passages; what `ask` and `eval` need of retrieval."""

    def search(self, request: SearchRequest) -> SearchResult:
        """At most k distinct parents, best first, and the confidence that they hold the answer. Safe in threads."""
        ...


class VectorCache(Protocol):
    """Vectors by the hash of the text that was encoded, for one encoder."""

    def find(self, text_keys: Sequence[str]) -> Mapping[str, CachedVectors]:
        """Vectors by key; keys without vectors are left out."""
        ...

    def put(self, vectors: Mapping[str, CachedVectors]) -> None: ...


class IngestCatalog(Protocol):
    """What ingest reads and writes of the catalog, as the holder of the project's lock."""

    def roots(self) -> Sequence[Root]: ...
    def known(self, root_id: int) -> Sequence[KnownDocument]: ...
    def unsettled(self) -> Sequence[str]: ...
    def child_rows(self, child_ids: Sequence[str]) -> Iterator[ChildRow]: ...
    def child_ids(self) -> set[str]: ...
    def children_of(self, doc_ids: Sequence[str]) -> set[str]: ...
    def n_children(self) -> int: ...
    def corpus_hash(self) -> str: ...
    def encoder(self) -> EncoderPin | None: ...
    def meta(self, key: str) -> str | None: ...
    def add_root(self, tenant: str, path: str, *, whole: bool, subject: str | None = None) -> Root: ...
    def drop_empty_roots(self) -> None: ...
    def restamp(self, stamps: Mapping[str, FileStamp]) -> None: ...
    def unsettle(self, child_ids: Sequence[str]) -> None: ...
    def settle(self, child_ids: Sequence[str]) -> None: ...
    def remember(self, key: str, value: str) -> None: ...
    def swap(self, documents: Sequence[CatalogDocument], gone: Sequence[str] = ()) -> Sequence[str]:
        """Puts documents in the place of those with the same ids and drops the `gone`, all or nothing.

        Returns the ids of children that no longer exist; they are unsettled until `settle`.
        """
        ...


class ScopeWish(Protocol):
    """What the scope flags of a verb say; `filters` are (key, value) pairs."""

    @property
    def tenant(self) -> str: ...
    @property
    def subject(self) -> str | None: ...
    @property
    def doc(self) -> str | None: ...
    @property
    def filters(self) -> Sequence[tuple[str, str]]: ...


class AskRecords(Protocol):
    """What answers read and leave behind; every call is of one tenant and sees nothing of another."""

    def faq(self, tenant: str, subject: str | None) -> Sequence[FaqRecord]:
        """Entries of people and of ingested tables; where a subject is given, its own and those of none."""
        ...

    def faq_mark(self) -> str:
        """Changes whenever an entry does."""
        ...

    def queue_pending(self, tenant: str, subject: str, question: str, confidence: float, nearest: Sequence[str]) -> str:
        """The id under which the question waits for a teacher; asking it again only counts."""
        ...

    def session(self, tenant: str, session_id: str) -> Session | None: ...
    def last_session(self, tenant: str) -> str | None: ...
    def add_turn(self, tenant: str, session_id: str, turn: SessionTurn) -> None: ...
    def fold_session(self, tenant: str, session_id: str, summary: str, folded: int) -> None: ...
    def cached(self, tenant: str, key: str) -> Mapping[str, Any] | None: ...
    def cache(self, tenant: str, key: str, corpus: str, value: Mapping[str, Any]) -> None: ...

    def add_trace(self, tenant: str, answer: Mapping[str, Any], exchanges: Sequence[Mapping[str, Any]]) -> None:
        """Keeps the steps of an answer (as in the contract's JSON) and the LLM's prompts and replies."""
        ...

    def corpus(self) -> str:
        """The corpus hash: answers made from another corpus are stale."""
        ...
