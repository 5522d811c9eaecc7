"""Prepared documents -> vector store and catalog, so that a kill at any moment leaves nothing that is not mended.

The order for a batch: its new children are noted as unsettled; their vectors go to the store; one transaction swaps
the documents in the catalog and notes the children that are no more; these are deleted from the store. Once the store
has flushed, all of them are settled. `repair` looks at what a killed run left unsettled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from edu_cli.errors import IndexMismatchError
from edu_cli.ingest.prepare import Prepared
from edu_cli.protocols import Encoder, IngestCatalog, Progress, VectorCache, VectorStore
from edu_cli.types import CachedVectors, CatalogDocument, VectorRow

SLICE = 256  # children encoded and written at once: 0.4 MB of vectors, some seconds of the bundled encoder
_STEP = 64  # texts encoded between two moves of the progress bar
_BATCH_DOCUMENTS = 200  # documents swapped in one transaction
_FLUSH_ROWS = 20_000  # rows between two flushes: each makes a segment of its own in Milvus


@dataclass(frozen=True, slots=True)
class VectorTools:
    """The vector side of a project; `close` gives it up again."""

    texts: TextVectors
    store: VectorStore
    close: Callable[[], None]


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Where a text's vectors come from: the cache, else the encoder, which is loaded at the first call."""

    cache: VectorCache
    encoder: Callable[[], Encoder]
    fingerprint: str


@dataclass(slots=True)
class Tally:
    """What a run has done so far."""

    encoded: int = 0
    reused: int = 0
    deleted: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"load": 0.0, "split": 0.0, "encode": 0.0, "store": 0.0})


class LazyVectors:
    """The vector side, opened when it is first needed: a run that changes no chunk does without Milvus."""

    def __init__(self, open_vectors: Callable[[], VectorTools]) -> None:
        self._open = open_vectors
        self._lock = threading.Lock()
        self.opened: VectorTools | None = None

    def get(self) -> VectorTools:
        """The open vector side."""
        with self._lock:
            if self.opened is None:
                self.opened = self._open()
            return self.opened

    def close(self) -> None:
        """Closes what was opened."""
        if self.opened:
            self.opened.close()


class Encoding:
    """Encoding texts -> vectors, counted and shown."""

    def __init__(self, source: TextVectors, progress: Progress, tally: Tally) -> None:
        self._source = source
        self._progress = progress
        self._tally = tally

    def vectors(self, texts: Mapping[str, str]) -> dict[str, CachedVectors]:
        """Vectors of all texts, by key."""
        start = time.perf_counter()
        found = dict(self._source.cache.find(list(texts)))
        missing = [key for key in texts if key not in found]
        self._tally.reused += len(found)
        self._progress.advance("encode", len(found))
        for i in range(0, len(missing), _STEP):
            step = missing[i : i + _STEP]
            fresh = self._encode(step, texts)
            self._source.cache.put(fresh)
            found |= fresh
            self._tally.encoded += len(step)
            self._progress.advance("encode", len(step))
        self._tally.seconds["encode"] += time.perf_counter() - start
        return found

    def _encode(self, keys: Sequence[str], texts: Mapping[str, str]) -> dict[str, CachedVectors]:
        encoder = self._source.encoder()
        if encoder.fingerprint != self._source.fingerprint:
            raise IndexMismatchError(
                f"This project's vectors were made by another version of {encoder.name}.",
                hint="run `edu ingest PATH --rebuild` to encode everything again",
            )
        dual = encoder.encode_passages([texts[key] for key in keys])
        return {key: CachedVectors(dual.dense[i], dual.sparse[i]) for i, key in enumerate(keys)}


class Storing:
    """Writes batches behind the encoder's back, in order, in one thread. Use as a context manager."""

    def __init__(self, catalog: IngestCatalog, vectors: LazyVectors | None, progress: Progress, tally: Tally) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._tally = tally
        self._progress = progress
        self._encoding: Encoding | None = None
        self._behind = ThreadPoolExecutor(1, thread_name_prefix="edu-store")
        self._running: list[Future[None]] = []
        self._unflushed: list[str] = []
        self._to_encode = 0

    def __enter__(self) -> Storing:
        return self

    def __exit__(self, *_: object) -> None:
        self._behind.shutdown(cancel_futures=True)

    def add(self, batch: Sequence[Prepared]) -> None:
        """Encodes what is new in a batch and puts it in place. Errors of earlier batches are raised here."""
        documents = [prepared.document for prepared in batch]
        if self._vectors:
            texts = {key: text for prepared in batch for key, text in prepared.texts.items()}
            present = self._catalog.children_of([document.doc_id for document in documents])
            for children in _new_children(documents, present):
                self._to_encode += len({child.text_key for child in children})
                self._progress.start("encode", self._to_encode)
                vectors = self._encode({child.text_key: texts[child.text_key] for child in children})
                self._submit(self._upsert, [child.row(vectors[child.text_key]) for child in children])
        self._submit(self._swap, documents, [])

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Takes documents out of the catalog and the store."""
        self._submit(self._swap, [], doc_ids)

    def finish(self) -> None:
        """Waits for all that was given, and flushes."""
        self._submit(self._flush)
        for future in self._running:
            future.result()

    def _encode(self, texts: Mapping[str, str]) -> Mapping[str, CachedVectors]:
        if self._encoding is None:
            self._encoding = Encoding(self._tools.texts, self._progress, self._tally)
        return self._encoding.vectors(texts)

    def _submit(self, work: Callable[..., None], *arguments: object) -> None:
        while len(self._running) >= 2:  # two slices in memory besides the one being encoded
            self._running.pop(0).result()
        self._running.append(self._behind.submit(self._timed, work, *arguments))

    def _timed(self, work: Callable[..., None], *arguments: object) -> None:
        start = time.perf_counter()
        work(*arguments)
        self._tally.seconds["store"] += time.perf_counter() - start

    def _upsert(self, rows: Sequence[VectorRow]) -> None:
        ids = [row.child_id for row in rows]
        self._catalog.unsettle(ids)
        self._tools.store.upsert(rows)
        self._unflushed += ids

    def _swap(self, documents: Sequence[CatalogDocument], gone: Sequence[str]) -> None:
        dropped = self._catalog.swap(documents, gone)
        self._tally.deleted += len(dropped)
        if not self._vectors:
            self._catalog.settle(dropped)
            return
        if dropped:
            self._tools.store.delete(dropped)
            self._unflushed += dropped
        if len(self._unflushed) >= _FLUSH_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._unflushed:
            self._tools.store.flush()
            self._catalog.settle(self._unflushed)
            self._unflushed = []

    @property
    def _tools(self) -> VectorTools:
        if self._vectors is None:
            raise AssertionError("there is no vector side without an encoder")
        return self._vectors.get()


def batches(prepared: Iterator[Prepared]) -> Iterator[list[Prepared]]:
    """Documents in batches of about one slice of children, so that small files are encoded together."""
    batch: list[Prepared] = []
    n_children = 0
    for item in prepared:
        batch.append(item)
        n_children += len(item.texts)
        if n_children >= SLICE or len(batch) >= _BATCH_DOCUMENTS:
            yield batch
            batch, n_children = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _NewChild:
    text_key: str
    child_id: str
    parent_id: str
    document: CatalogDocument

    def row(self, vectors: CachedVectors) -> VectorRow:
        d = self.document
        return VectorRow(self.child_id, self.parent_id, d.doc_id, d.subject, d.tenant, vectors.dense, vectors.sparse)


def _new_children(documents: Sequence[CatalogDocument], present: set[str]) -> Iterator[list[_NewChild]]:
    """Children that the store lacks, a slice at a time."""
    new = (
        _NewChild(child.text_key, child.child_id, parent.parent_id, document)
        for document in documents
        for parent in document.parents
        for child in parent.children
        if child.child_id not in present
    )
    while piece := list(islice(new, SLICE)):
        yield piece
