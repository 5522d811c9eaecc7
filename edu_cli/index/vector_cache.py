"""Vectors by what was encoded: moving, renaming, re-splitting or adding a text again costs no encoding.

The key of a row is the encoder's fingerprint and the hash of the text, so that several projects may share one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import EduError, StoreError
from edu_cli.index.database import Database, damaged_path
from edu_cli.index.schema import VECTOR_STEPS, VECTORS_ID
from edu_cli.types import CachedVectors, SparseVector

_BATCH = 500
# a row whose vectors are not as they were stored counts as missing, so that its text is encoded again
_SOUND = "vectors.sum IS blob_sum(vectors.dense, vectors.term_ids, vectors.weights)"


class VectorCache:
    """The vectors of one encoder in a cache file; rows are never changed, only added and pruned."""

    def __init__(self, database: Database, fingerprint: str) -> None:
        self._database = database
        self.set_aside: Path | None = None  # where the damaged file went that stood here before
        self._fingerprint = fingerprint
        self._encoder = self._number()

    def _number(self) -> int | None:
        """The encoder's number in this file, None where it has no vectors yet."""
        return self._database.one("SELECT encoder FROM encoders WHERE fingerprint = ?", (self._fingerprint,))

    def missing(self, text_keys: Sequence[str]) -> list[str]:
        """The keys without vectors, each once, in the order given."""
        present: set[str] = set()
        for batch in _batches(text_keys):
            rows = self._database.rows(
                f"""SELECT text_key FROM vectors
                   WHERE encoder = ? AND text_key IN (SELECT value FROM json_each(?)) AND {_SOUND}""",  # noqa: S608
                (self._encoder, batch),
            )
            present.update(row[0] for row in rows)
        return [key for key in dict.fromkeys(text_keys) if key not in present]

    def find(self, text_keys: Sequence[str]) -> dict[str, CachedVectors]:
        """Dense and sparse vectors by key; keys without vectors are left out."""
        found: dict[str, CachedVectors] = {}
        for batch in _batches(text_keys):
            rows = self._database.rows(
                f"""SELECT text_key, dense, term_ids, weights FROM vectors
                   WHERE encoder = ? AND text_key IN (SELECT value FROM json_each(?)) AND {_SOUND}""",  # noqa: S608
                (self._encoder, batch),
            )
            for key, dense, term_ids, weights in rows:
                sparse = SparseVector(np.frombuffer(term_ids, np.uint32), np.frombuffer(weights, np.float32))
                found[key] = CachedVectors(np.frombuffer(dense, np.float32), sparse)
        return found

    def find_dense(self, text_keys: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """Dense vectors only, by key; keys without vectors are left out."""
        found: dict[str, npt.NDArray[np.float32]] = {}
        for batch in _batches(text_keys):
            rows = self._database.rows(
                f"""SELECT text_key, dense FROM vectors
                   WHERE encoder = ? AND text_key IN (SELECT value FROM json_each(?)) AND {_SOUND}""",  # noqa: S608
                (self._encoder, batch),
            )
            found.update((key, np.frombuffer(dense, np.float32)) for key, dense in rows)
        return found

    def put(self, vectors: Mapping[str, CachedVectors]) -> None:
        """Adds vectors by key; a key that is there already, and sound, keeps its own. Raises StoreError."""
        if self._encoder is None:
            self._database.write("INSERT OR IGNORE INTO encoders (fingerprint) VALUES (?)", [(self._fingerprint,)])
            self._encoder = self._number()
        self._database.write(
            f"""INSERT INTO vectors (encoder, text_key, dense, term_ids, weights, sum)
                VALUES (?1, ?2, ?3, ?4, ?5, blob_sum(?3, ?4, ?5)) ON CONFLICT (encoder, text_key) DO UPDATE
                SET dense = excluded.dense, term_ids = excluded.term_ids, weights = excluded.weights, sum = excluded.sum
                WHERE NOT ({_SOUND})""",  # noqa: S608
            [
                (
                    self._encoder,
                    key,
                    np.ascontiguousarray(entry.dense, np.float32).tobytes(),
                    np.ascontiguousarray(entry.sparse.indices, np.uint32).tobytes(),
                    np.ascontiguousarray(entry.sparse.values, np.float32).tobytes(),
                )
                for key, entry in vectors.items()
            ],
        )

    def prune(self, most: int, in_use: Callable[[], set[str]]) -> int:
        """Drops the oldest rows (of any encoder) until at most `most` remain, never those in use; how many went."""
        surplus = self.count() - most
        if surplus <= 0:
            return 0
        kept = in_use()
        oldest = self._database.rows("SELECT vector, encoder, text_key FROM vectors ORDER BY vector")
        unused = [row[0] for row in oldest if not (row[1] == self._encoder and row[2] in kept)][:surplus]
        self._database.write("DELETE FROM vectors WHERE vector = ?", [(vector,) for vector in unused])
        return len(unused)

    def forget(self, text_keys: Iterable[str]) -> None:
        """Drops vectors, so that their texts are encoded again."""
        rows = [(self._encoder, key) for key in text_keys]
        self._database.write("DELETE FROM vectors WHERE encoder = ? AND text_key = ?", rows)

    def count(self) -> int:
        """Rows in the file, those of other encoders included."""
        return self._database.one("SELECT count(*) FROM vectors")

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


def open_vector_cache(path: Path, fingerprint: str) -> VectorCache:
    """The cache file, made where there is none; a damaged one is put aside, since all of it can be made again.

    Raises StoreError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return VectorCache(_opened(path), fingerprint)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}.", hint="check EDU_CACHE_DIR") from error
    except StoreError as error:
        if error.code != "damaged":
            raise
        for part in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            if part.exists():
                part.replace(damaged_path(part))
        cache = VectorCache(_opened(path), fingerprint)
        cache.set_aside = damaged_path(path)
        return cache


def read_vector_cache(path: Path, fingerprint: str) -> VectorCache | None:
    """The cache file for those who only read, who can do without: None where there is none that can be read.

    Nothing is made, mended or put aside.
    """
    if not path.is_file():
        return None
    try:
        return VectorCache(_opened(path), fingerprint)
    except (OSError, EduError):
        return None


def _opened(path: Path) -> Database:
    return Database(path, VECTOR_STEPS, VECTORS_ID, durable=False)


def _batches(keys: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(keys), _BATCH):
        yield json.dumps(keys[start : start + _BATCH])
