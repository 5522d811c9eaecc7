from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edu_cli.index.vector_cache import VectorCache, open_vector_cache
from edu_cli.types import CachedVectors, SparseVector


def _vectors(number: float) -> CachedVectors:
    sparse = SparseVector(np.array([1, 7], np.uint32), np.array([number, 0.5], np.float32))
    return CachedVectors(np.array([number, 1.0], np.float32), sparse)


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return open_vector_cache(tmp_path / "vectors.sqlite", "e5")


def test_vectors_come_back_bit_for_bit(cache: VectorCache) -> None:
    cache.put({"a": _vectors(0.1), "b": _vectors(0.2)})
    found = cache.find(["b", "nobody", "a"])
    assert set(found) == {"a", "b"}
    assert found["a"].dense.tolist() == _vectors(0.1).dense.tolist()
    assert found["a"].sparse.indices.tolist() == [1, 7]
    assert found["a"].sparse.values.tolist() == _vectors(0.1).sparse.values.tolist()
    assert cache.find_dense(["b"])["b"].tolist() == _vectors(0.2).dense.tolist()


def test_a_text_without_terms_is_kept_too(cache: VectorCache) -> None:
    empty = SparseVector(np.array([], np.uint32), np.array([], np.float32))
    cache.put({"a": CachedVectors(np.zeros(2, np.float32), empty)})
    assert len(cache.find(["a"])["a"].sparse.indices) == 0


def test_vectors_of_two_encoders_never_mix(tmp_path: Path, cache: VectorCache) -> None:
    cache.put({"a": _vectors(0.1)})
    other = open_vector_cache(tmp_path / "vectors.sqlite", "bge")
    assert other.find(["a"]) == {}
    other.put({"a": _vectors(0.9)})
    assert cache.find_dense(["a"])["a"][0] == np.float32(0.1)


def test_what_is_there_is_not_replaced(cache: VectorCache) -> None:
    cache.put({"a": _vectors(0.1)})
    cache.put({"a": _vectors(0.9)})
    assert cache.find_dense(["a"])["a"][0] == np.float32(0.1)


def test_pruning_takes_the_oldest_that_nobody_uses(cache: VectorCache) -> None:
    cache.put({str(i): _vectors(i) for i in range(10)})
    assert cache.prune(10, lambda: pytest.fail("nothing to prune: who is in use is not asked")) == 0
    assert cache.prune(4, lambda: {"0", "3"}) == 6
    assert set(cache.find([str(i) for i in range(10)])) == {"0", "3", "8", "9"}
    assert cache.prune(1, lambda: {"0", "3", "8", "9"}) == 0


def test_more_keys_than_one_query_takes(cache: VectorCache) -> None:
    keys = [str(i) for i in range(1201)]
    cache.put({key: _vectors(1.0) for key in keys})
    assert list(cache.find(keys)) != []
    assert len(cache.find(keys)) == len(keys)


@pytest.mark.parametrize("damage", [b"", b"\0" * 9000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_damaged_cache_is_put_aside_and_made_anew(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(damage)
    cache = open_vector_cache(path, "e5")
    assert cache.find(["a"]) == {}
    if damage:
        assert cache.set_aside is not None
        assert cache.set_aside.read_bytes() == damage


def test_a_folder_in_its_place_is_put_aside_too(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").mkdir()
    assert open_vector_cache(tmp_path / "vectors.sqlite", "e5").count() == 0
