"""Vectors in Milvus: Lite in the project's folder or a server, by one code path; only the URI differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.errors import NoVectorsError, StoreError
from edu_cli.index.milvus_connect import MilvusTarget, connect, release, told
from edu_cli.index.milvus_names import scope_filter, stored_name
from edu_cli.index.milvus_schema import open_collection
from edu_cli.index.vector_copy import VectorCopy
from edu_cli.text import content_id
from edu_cli.types import Hit, Scope, SparseVector, VectorRow

_BATCH = 1000  # rows a request: some 2 MB at 384 dimensions, far below the server's 64 MB
_EF = 512  # HNSW's beam; at 9,655 children recall@100 is .986 with 116, 1.000 with 512, at the same cost
_WRITE_S = 60.0  # a flush of many rows takes a server its time
_SPARE = 16  # rows asked for beyond k, so that equal scores at the cut are decided by child id
_NOT_LOADED = 101  # Milvus's code for a collection that is not in memory
_EMPTY_SPARSE = {0: 1e-6}  # Milvus refuses a sparse vector without a weight
# Lite holds each row as Python floats until it flushes, 12 KB and more, and twice that while it does: 480 MB at its
# peak for 10,000 rows, a hundred less for 5,000; each flush more costs .08 s of CPU. A course of 7,568 rows is one.
_LITE_ROWS = 8_000
# The heaviest sparse weights that Lite is given: each passes through Python there, and the copy has them all. All 95 of
# a child took 2.4 s of CPU for 7,568 rows instead of 1.2 s.
_LITE_WEIGHTS = 4


def collection_name(project_id: str, encoder_fingerprint: str) -> str:
    """Letters, digits and _ only, as a server demands; projects that share a server do not share a collection."""
    return f"edu_{content_id(project_id, encoder_fingerprint)}"


class MilvusStore:
    """protocols.VectorStore on Milvus.

    The sparse leg is answered by the copy in `sparse` where one is given, as it must be where the encoder's weights are
    to be multiplied by document frequencies, which Milvus does not know.
    """

    def __init__(
        self, target: MilvusTarget, *, sparse: VectorCopy | None = None, create: bool = True, check: bool = False
    ) -> None:
        """Opens the collection; `check` reads all of it that a search would, Milvus Lite's own indexes included.

        Raises LockedError, StoreError where it is damaged, and NoVectorsError where it is absent and not to be created.
        """
        self._target = target
        self._loaded = False
        self._unflushed = 0
        self._sparse = sparse
        self._read_s = target.limit_s
        self._write_s = max(target.limit_s, _WRITE_S) if target.limit_s else None
        self._client = connect(target)
        try:
            with self._told():
                found = open_collection(self._client, target, create=create)
                if found and (check or not target.is_lite):
                    self._load()
                if found and target.is_lite:  # it writes and counts without, and is spared its indexes by it
                    self._release()
            if not found:
                raise NoVectorsError(f"{target.name} holds no vectors of this project.", hint="run `edu ingest PATH`")
        except StoreError:
            self.close()
            raise

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Adds rows or replaces those of the same child id. Raises StoreError."""
        most = _LITE_WEIGHTS if self._target.is_lite else None
        with self._told():
            for i in range(0, len(rows), _BATCH):
                entities = [_entity(row, most) for row in rows[i : i + _BATCH]]
                self._client.upsert(self._target.collection, entities, timeout=self._write_s)
        self._unflushed += len(rows)
        if self._target.is_lite and self._unflushed >= _LITE_ROWS:
            self.flush()

    def delete(self, child_ids: Sequence[str]) -> None:
        """Removes these children; ones that are not there are no error. Raises StoreError."""
        with self._told():
            for i in range(0, len(child_ids), _BATCH):
                self._client.delete(self._target.collection, ids=list(child_ids[i : i + _BATCH]), timeout=self._write_s)

    def flush(self) -> None:
        """Makes what was written durable, and quick to search. Raises StoreError."""
        with self._told():
            self._client.flush(self._target.collection, timeout=self._write_s)
        self._unflushed = 0

    def count(self) -> int:
        """Rows, deletions taken off. Raises StoreError."""
        with self._told():
            found = self._client.query(
                self._target.collection, filter="", output_fields=["count(*)"], timeout=self._read_s
            )
        return int(found[0]["count(*)"])

    def ids(self) -> Iterator[str]:
        """The child ids, in no order. Raises StoreError."""
        with self._told():
            self._load()
            pages = self._client.query_iterator(
                self._target.collection, batch_size=_BATCH, filter="", output_fields=["child_id"], timeout=self._read_s
            )
            try:
                while page := pages.next():
                    yield from (row["child_id"] for row in page)
            finally:
                pages.close()

    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        """At most k hits by cosine, best first, equal scores by child id. Raises StoreError."""
        params = {"metric_type": "COSINE", "params": {"ef": max(_EF, k + _SPARE)}}
        return self._search(np.asarray(vector, dtype=np.float32), "dense", params, k, scope)

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        """At most k hits by inner product (> 0), best first, equal scores by child id. Raises StoreError."""
        if self._sparse is not None:
            return self._sparse.search_sparse(vector, k, scope)
        if not len(vector.indices):
            return []
        hits = self._search(_weights(vector), "sparse", {"metric_type": "IP"}, k, scope)
        return [hit for hit in hits if hit.score > 0]

    def dense_of(self, child_ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The children's vectors. Raises StoreError."""
        found: dict[str, npt.NDArray[np.float32]] = {}
        for i in range(0, len(child_ids), _BATCH):
            ids, fields = list(child_ids[i : i + _BATCH]), ["child_id", "dense"]
            rows = self._loaded_read("get", ids=ids, output_fields=fields, timeout=self._read_s)
            found.update((row["child_id"], np.asarray(row["dense"], np.float32)) for row in rows)
        return {child_id: vector / np.float32(np.linalg.norm(vector) or 1) for child_id, vector in found.items()}

    def drop(self) -> None:
        """Removes all rows and the collection itself; the store can only be closed after it."""
        with self._told():
            self._client.drop_collection(self._target.collection, timeout=self._write_s)

    def close(self) -> None:
        """Closes the connection; on Lite also the database, so that another process can open it."""
        with self._told():
            self._client.close()
        if self._target.is_lite:
            release(Path(self._target.uri))

    def _search(self, vector: Any, field: str, params: dict[str, Any], k: int, scope: Scope) -> list[Hit]:
        if k <= 0 or scope.doc_ids == frozenset():
            return []
        found = self._loaded_read(
            "search",
            data=[vector],
            anns_field=field,
            search_params=params,
            limit=k + _SPARE,
            filter=scope_filter(scope),
            output_fields=["parent_id", "doc_id"],
            timeout=self._read_s,
        )[0]
        best = sorted(found, key=lambda row: (-row["distance"], row["child_id"]))[:k]
        return [
            Hit(row["child_id"], row["entity"]["parent_id"], row["entity"]["doc_id"], float(row["distance"]), rank)
            for rank, row in enumerate(best, start=1)
        ]

    def _loaded_read(self, name: str, **asked: Any) -> Any:
        """A call that reads; once more where the collection is not loaded after all: its server has restarted."""
        from pymilvus import MilvusException

        with self._told():
            self._load()
            try:
                return getattr(self._client, name)(self._target.collection, **asked)
            except MilvusException as error:
                if error.code != _NOT_LOADED:
                    raise
            self._loaded = False
            self._load()
            return getattr(self._client, name)(self._target.collection, **asked)

    def _load(self) -> None:
        """Milvus reads from a loaded collection only."""
        if not self._loaded:
            self._client.load_collection(self._target.collection, timeout=self._write_s)
            self._loaded = True

    def _release(self) -> None:
        if self._loaded:
            self._client.release_collection(self._target.collection, timeout=self._read_s)
            self._loaded = False

    @contextmanager
    def _told(self) -> Iterator[None]:
        with told(self._target):
            yield


def _entity(row: VectorRow, most: int | None) -> dict[str, Any]:
    return {
        "child_id": row.child_id,
        "parent_id": row.parent_id,
        "doc_id": row.doc_id,
        "subject": stored_name(row.subject),
        "tenant": stored_name(row.tenant),
        "dense": row.dense,
        "sparse": _weights(row.sparse, most) or _EMPTY_SPARSE,
    }


def _weights(vector: SparseVector, most: int | None = None) -> dict[int, float]:
    """The weights by term, or the `most` heaviest of them."""
    terms, values = vector.indices, vector.values
    if most is not None and len(values) > most:
        heaviest = np.argpartition(values, -most)[-most:]
        terms, values = terms[heaviest], values[heaviest]
    return dict(zip(terms.tolist(), values.tolist(), strict=True))
