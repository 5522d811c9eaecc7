from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fakes import HashEncoder, MemoryStore, QuietProgress
from ingest_project import FakeProject

from edu_cli.errors import LockedError, StoreError
from edu_cli.index.catalog_write import CatalogWriter
from edu_cli.index.vector_cache import VectorCache, open_vector_cache
from edu_cli.ingest.request import IngestTools
from edu_cli.types import DualVectors, Hit, Scope
from edu_cli.upkeep.store_checks import check_reproduction, check_vectors, check_words, sample, unopened_vectors
from edu_cli.wiring.ingesting import IngestSession
from edu_cli.wiring.mending import refill


@pytest.fixture
def made(tmp_path: Path) -> FakeProject:
    made = FakeProject(tmp_path)
    for i in range(4):
        made.write(f"{i}.md", f"# 第{i}章\n\n这是第{i}章的内容，讲的是{'甲乙丙丁'[i]}。\n")
    made.ingest()
    return made


@pytest.fixture
def catalog(made: FakeProject) -> Iterator[CatalogWriter]:
    catalog = made.catalog()
    yield catalog
    catalog.close()


@pytest.fixture
def cache(made: FakeProject) -> Iterator[VectorCache]:
    cache = open_vector_cache(made.state / "vectors.sqlite", made.encoder.fingerprint)
    yield cache
    cache.close()


def _session(made: FakeProject, catalog: CatalogWriter) -> IngestSession:
    def refresh(_: bool) -> None:
        raise AssertionError("not asked for here")

    tools = IngestTools(catalog, made.load_all, made._open, lambda: "same", QuietProgress())
    return IngestSession(tools, catalog, refresh, lambda: None)  # type: ignore[arg-type]


def test_a_sample_is_spread_and_the_same_each_time() -> None:
    assert sample(range(10), 20) == list(range(10))
    assert sample(range(100), 4) == [0, 25, 50, 75]
    assert sample((), 4) == []


def test_a_store_with_the_catalogs_ids_passes(made: FakeProject, catalog: CatalogWriter) -> None:
    assert check_vectors(catalog, made.store, "it", QuietProgress()).status == "pass"


class _OneWord:
    """An index that cuts between spaces and finds everything but one document."""

    def __init__(self, lost: str) -> None:
        self.lost = lost

    def search(self, question: str, k: int, scope: Scope) -> list[Hit]:
        (doc_id,) = scope.doc_ids or ("",)
        return [] if doc_id == self.lost else [Hit("c", "p", doc_id, 1.0, 1)]

    def tokens(self, text: str) -> list[str]:
        return text.split()

    def idf(self, tokens: Sequence[str]) -> np.ndarray:
        return np.array([len(token) for token in tokens], np.float32)


def test_a_document_that_its_words_do_not_find_fails(catalog: CatalogWriter) -> None:
    assert check_words(catalog, _OneWord("")).status == "pass"
    lost = catalog.known(catalog.roots()[0].root_id)[0]
    found = check_words(catalog, _OneWord(lost.doc_id))
    assert (found.status, found.fix) == ("fail", "edu doctor --fix")
    assert f"1 of 4 documents are not found: {lost.path}" in found.message


def test_a_wrong_row_fails_although_the_number_is_right_and_refilling_mends_it(
    made: FakeProject, catalog: CatalogWriter
) -> None:
    child_id, row = next(iter(made.store.rows.items()))
    made.store.delete([child_id])
    made.store.upsert([replace(row, child_id="stray")])
    found = check_vectors(catalog, made.store, "it", QuietProgress())
    assert (found.status, found.mendable) == ("fail", True)
    assert "lacks 1 of 4 vectors and has 1 others" in found.message
    refilled = refill(_session(made, catalog), None)
    assert (refilled.missing, refilled.stray) == (1, 1)
    assert made.dump() == made.clean_dump()
    assert check_vectors(catalog, made.store, "it", QuietProgress()).status == "pass"


def test_refilling_takes_vectors_from_the_cache_and_changes_nothing_twice(
    made: FakeProject, catalog: CatalogWriter
) -> None:
    made.store.delete(list(made.store.rows))
    made.encoder.encoded.clear()
    assert refill(_session(made, catalog), None).missing == 4
    assert made.encoder.encoded == []
    assert refill(_session(made, catalog), None).missing == 0


class _Broken(MemoryStore):
    """A store whose files cannot be read."""

    def ids(self) -> Iterator[str]:
        raise StoreError("it is damaged")


def test_a_database_that_cannot_be_read_is_put_aside_for_a_new_one(made: FakeProject, catalog: CatalogWriter) -> None:
    lite = made.state / "milvus.db"
    sound = MemoryStore()
    made.store = _Broken()

    class Reopened(_Broken):
        def close(self) -> None: ...

    session = _session(made, catalog)
    lite.mkdir()
    (lite / "LOCK").write_bytes(b"")
    opened = session.tools.open_vectors
    assert opened is not None

    def open_vectors():  # the second time the folder is gone, and Milvus Lite makes a new one
        tools = opened()
        return tools if lite.exists() else replace(tools, store=sound)

    session = replace(session, tools=replace(session.tools, open_vectors=open_vectors))
    refilled = refill(session, lite)
    assert refilled.put_aside == made.state / "milvus.db.damaged"
    assert (refilled.put_aside / "LOCK").exists()
    assert set(sound.rows) == catalog.child_ids()


def test_a_server_that_cannot_be_read_is_left_alone(made: FakeProject, catalog: CatalogWriter) -> None:
    made.store = _Broken()
    with pytest.raises(StoreError):
        refill(_session(made, catalog), None)
    assert not unopened_vectors(StoreError("down", hint="start it"), is_lite=False).mendable
    assert unopened_vectors(StoreError("damaged"), is_lite=True).fix == "edu doctor --fix"
    assert unopened_vectors(LockedError("in use"), is_lite=True).status == "warn"


class _OtherWeights(HashEncoder):
    """The same name, other numbers."""

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        dual = super().encode_passages(texts)
        return DualVectors(np.roll(dual.dense, 1, axis=1), dual.sparse)


def test_vectors_that_reproduce_pass_and_those_of_other_weights_fail(
    made: FakeProject, catalog: CatalogWriter, cache: VectorCache
) -> None:
    assert check_reproduction(catalog, made.encoder, made.store, cache).status == "pass"
    found = check_reproduction(catalog, _OtherWeights(), made.store, cache)
    assert (found.status, found.fix) == ("fail", "edu ingest --rebuild")


def test_one_changed_vector_in_the_store_or_the_cache_fails(
    made: FakeProject, catalog: CatalogWriter, cache: VectorCache
) -> None:
    child_id, row = next(iter(made.store.rows.items()))
    made.store.upsert([replace(row, dense=np.roll(row.dense, 1))])
    found = check_reproduction(catalog, made.encoder, made.store, cache)
    assert found.status == "fail"
    assert "the store" in found.message
    made.store.upsert([row])
    key = catalog.text_keys([child_id])[child_id]
    entry = cache.find([key])[key]
    cache.forget([key])
    cache.put({key: replace(entry, dense=np.roll(entry.dense, 1))})
    found = check_reproduction(catalog, made.encoder, made.store, cache)
    assert found.status == "fail"
    assert "the vector cache" in found.message


def test_vectors_that_are_missing_are_not_said_to_be_wrong(
    made: FakeProject, catalog: CatalogWriter, cache: VectorCache
) -> None:
    made.store.delete(list(made.store.rows)[:1])
    assert check_reproduction(catalog, made.encoder, made.store, cache).status == "pass"
    made.store.delete(list(made.store.rows))
    found = check_reproduction(catalog, made.encoder, made.store, cache)
    assert found.status == "pass"
