"""Small stand-ins that satisfy the protocols: deterministic, in memory, named by how they work."""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import LoadError
from edu_cli.ingest.workers.pool import Loaded
from edu_cli.protocols import Encoder, Progress, VectorStore
from edu_cli.types import Block, Document, DualVectors, Hit, Scope, SparseVector, VectorRow


class HashEncoder:
    """Vectors from hashes of a text's characters and pairs: equal texts are equal, similar texts are near."""

    name = "hash"
    uses_idf = False

    def __init__(self, dim: int = 16, fingerprint: str = "hash-1") -> None:
        self.dim = dim
        self.fingerprint = fingerprint
        self.encoded: list[str] = []

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        self.encoded += texts
        return self._vectors(texts)

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> DualVectors:
        dense = np.zeros((len(texts), self.dim), np.float32)
        sparse = []
        for row, text in enumerate(texts):
            terms = {_hash32(gram): 1.0 for i in range(len(text)) for gram in (text[i], text[i : i + 2])} or {0: 1e-6}
            for term, weight in terms.items():
                dense[row, term % self.dim] += weight
            dense[row] /= np.linalg.norm(dense[row]) or 1.0
            ids = np.array(sorted(terms), np.uint32)
            sparse.append(SparseVector(ids, np.array([terms[int(i)] for i in ids], np.float32)))
        return DualVectors(dense, sparse)


class MemoryStore:
    """A vector store in a dict; what was not flushed is lost by `crash`."""

    def __init__(self) -> None:
        self.rows: dict[str, VectorRow] = {}
        self._flushed: dict[str, VectorRow] = {}

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        self.rows.update((row.child_id, row) for row in rows)

    def delete(self, child_ids: Sequence[str]) -> None:
        for child_id in child_ids:
            self.rows.pop(child_id, None)

    def flush(self) -> None:
        self._flushed = dict(self.rows)

    def crash(self) -> None:
        self.rows = dict(self._flushed)

    def count(self) -> int:
        return len(self.rows)

    def ids(self) -> Iterator[str]:
        return iter(list(self.rows))

    def search_dense(self, vector: npt.NDArray[np.float32], k: int, scope: Scope) -> list[Hit]:
        scored = [(float(row.dense @ vector), row) for row in self._seen(scope)]
        return _ranked(scored, k)

    def search_sparse(self, vector: SparseVector, k: int, scope: Scope) -> list[Hit]:
        asked = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
        scored = []
        for row in self._seen(scope):
            held = zip(row.sparse.indices.tolist(), row.sparse.values.tolist(), strict=True)
            scored.append((sum(asked.get(i, 0.0) * weight for i, weight in held), row))
        return _ranked([(score, row) for score, row in scored if score > 0], k)

    def dense_of(self, child_ids: Sequence[str]) -> dict[str, np.ndarray]:
        return {child_id: self.rows[child_id].dense for child_id in child_ids if child_id in self.rows}

    def close(self) -> None:
        """Nothing to close: the rows outlive it, as a database's do."""

    def _seen(self, scope: Scope) -> list[VectorRow]:
        return [
            row
            for row in self.rows.values()
            if row.tenant == scope.tenant
            and scope.subject in (None, row.subject)
            and (scope.doc_ids is None or row.doc_id in scope.doc_ids)
        ]


class FileStore(MemoryStore):
    """A memory store that writes each call through to a SQLite file, so that it outlives a killed process."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = sqlite3.connect(path, check_same_thread=False)
        self._file.execute("CREATE TABLE IF NOT EXISTS rows (child_id TEXT PRIMARY KEY, row BLOB)")
        for child_id, row in self._file.execute("SELECT child_id, row FROM rows"):
            self.rows[child_id] = pickle.loads(row)  # noqa: S301 - what this class wrote

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        super().upsert(rows)
        with self._file:
            pickled = [(row.child_id, pickle.dumps(row)) for row in rows]
            self._file.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", pickled)

    def delete(self, child_ids: Sequence[str]) -> None:
        super().delete(child_ids)
        with self._file:
            self._file.executemany("DELETE FROM rows WHERE child_id = ?", [(i,) for i in child_ids])

    def close(self) -> None:
        self._file.close()


class QuietProgress:
    """Keeps the notices."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self, stage: str, total: int | None) -> None: ...

    def advance(self, stage: str, n: int = 1) -> None: ...

    def note(self, message: str) -> None:
        self.notes.append(message)


def load_plainly(paths: Sequence[Path]) -> Iterator[Loaded]:
    """Loads text files by the simplest rules: lines that start with # are headings, an empty file is an error."""
    for path in paths:
        yield Loaded(path, _plain(path), 0.0)


def _plain(path: Path) -> Document | LoadError:
    text = path.read_text(encoding="utf-8")
    if not text.strip():
        return LoadError(f"{path.name} is empty.", code="empty")
    blocks = []
    for line in filter(str.strip, text.splitlines()):
        level = len(line) - len(line.lstrip("#"))
        blocks.append(Block("heading" if level else "paragraph", line.lstrip("# "), level))
    return Document("markdown", "", tuple(blocks), encoding="utf-8")


def _hash32(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little")


def _ranked(scored: list[tuple[float, VectorRow]], k: int) -> list[Hit]:
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].child_id))[:k]
    return [Hit(r.child_id, r.parent_id, r.doc_id, score, i) for i, (score, r) in enumerate(best, start=1)]


_encoder: Encoder = HashEncoder()
_store: VectorStore = MemoryStore()
_progress: Progress = QuietProgress()
