"""Milvus Lite in volumes, here of a few rows each."""

from __future__ import annotations

import fcntl
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_contract import DIM, StoreContract, dense, found, row

from edu_cli.errors import StoreError
from edu_cli.index import milvus_volumes
from edu_cli.index.milvus import MilvusStore, collection_name
from edu_cli.index.milvus_connect import MilvusTarget
from edu_cli.index.milvus_volumes import LiteVolumes
from edu_cli.types import Scope

NAME = collection_name("project", "encoder-1")


def target(folder: Path) -> MilvusTarget:
    return MilvusTarget(str(folder / "milvus.db"), NAME, DIM)


def volumes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "milvus.db" / "volumes" / NAME).glob("*.db"))


def filled(folder: Path, n: int) -> LiteVolumes:
    store = LiteVolumes(target(folder), trusted=True)
    store.upsert([row(f"c{i:02}", dense(1, i)) for i in range(n)])
    store.flush()
    return store


@pytest.fixture(autouse=True)
def small_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_volumes, "FIRST_ROWS", 3)
    monkeypatch.setattr(milvus_volumes, "NEXT_ROWS", 3)


class TestManyVolumes(StoreContract):
    MOST: ClassVar = {"test_more_rows_than_a_batch_holds": 1000, "test_scope_holds_for_hostile_names": 15}  # others: 2

    @pytest.fixture
    def store(
        self, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[LiteVolumes]:
        for name in ("FIRST_ROWS", "NEXT_ROWS"):
            monkeypatch.setattr(milvus_volumes, name, self.MOST.get(request.node.name, 2))
        store = LiteVolumes(target(tmp_path))
        yield store
        store.close()


def test_a_volume_that_is_full_is_followed_by_another(tmp_path):
    store = filled(tmp_path, 8)
    assert volumes(tmp_path) == ["1.db", "2.db"]
    assert store.count() == 8
    assert found(store, dense(1, 4), k=1) == ["c04"]
    store.close()


def test_what_was_written_is_there_after_reopening_whoever_opens_it(tmp_path):
    filled(tmp_path, 8).close()
    for how in ({"trusted": True}, {"check": True}, {"create": False}):
        store = LiteVolumes(target(tmp_path), **how)
        assert store.count() == 8
        assert sorted(store.ids()) == [f"c{i:02}" for i in range(8)]
        assert set(store.dense_of(["c00", "c05", "c07"])) == {"c00", "c05", "c07"}
        store.close()


def test_a_row_is_replaced_in_the_volume_that_has_it(tmp_path):
    store = filled(tmp_path, 8)
    store.upsert([row("c04", dense(0, 1), doc="d9"), row("new", dense(1))])
    store.flush()
    assert store.count() == 9
    assert store.search_dense(dense(0, 1), 1, Scope())[0].doc_id == "d9"
    store.close()


def test_a_row_that_is_deleted_and_written_again_stays(tmp_path):
    store = filled(tmp_path, 4)
    store.delete(["c00", "c03"])
    store.upsert([row("c03", dense(0, 1))])
    store.flush()
    assert sorted(store.ids()) == ["c01", "c02", "c03"]
    store.close()


@pytest.mark.slow
def test_volumes_from_which_much_is_deleted_are_filled_up_again(tmp_path):
    store = filled(tmp_path, 12)
    for batch in range(1, 5):
        store.delete([f"c{i:02}" for i in range(12)] if batch == 1 else [f"b{batch - 1}{i:02}" for i in range(12)])
        store.upsert([row(f"b{batch}{i:02}", dense(1, i)) for i in range(12)])
        store.flush()
    assert store.count() == 12
    assert len(volumes(tmp_path)) <= 8
    store.close()


def test_one_volume_is_open_besides_the_first(tmp_path):
    from milvus_lite.server_manager import server_manager_instance

    store = filled(tmp_path, 12)
    list(store.ids())
    assert len([path for path in server_manager_instance._servers if str(tmp_path) in path]) == 2
    store.close()
    assert not [path for path in server_manager_instance._servers if str(tmp_path) in path]


def test_the_lock_is_not_given_up_between_two_volumes(tmp_path):
    store = filled(tmp_path, 8)
    with (tmp_path / "milvus.db" / "LOCK").open("rb") as handle:  # opened again, as by another process
        for _ in store.ids():
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    store.close()


@pytest.mark.parametrize("damage", ["lost", "garbage", "of another store"])
def test_where_rows_are_is_found_out_again_where_the_record_is_not_to_be_trusted(tmp_path, damage):
    filled(tmp_path, 8).close()
    places = tmp_path / "milvus.db" / "volumes" / NAME / "places.sqlite"
    if damage == "lost":
        places.unlink()
    elif damage == "garbage":
        places.write_bytes(b"garbage" * 1000)
    else:
        with sqlite3.connect(places) as connection:
            connection.execute("UPDATE places SET volume = 0")
        connection.close()
    store = LiteVolumes(target(tmp_path), check=True)
    store.delete(["c07", "c00"])
    store.upsert([row("c05", dense(0, 1))])
    store.flush()
    assert sorted(store.ids()) == [f"c{i:02}" for i in range(1, 7)]
    assert store.count() == 6
    store.close()


def test_a_collection_of_before_there_were_volumes_is_the_first_one(tmp_path):
    store = MilvusStore(target(tmp_path))
    store.upsert([row(f"c{i:02}", dense(1, i)) for i in range(5)])
    store.flush()
    store.close()
    again = LiteVolumes(target(tmp_path), trusted=True)
    again.delete(["c00"])
    again.upsert([row("new", dense(0, 1))])
    again.flush()
    assert sorted(again.ids()) == ["c01", "c02", "c03", "c04", "new"]
    assert volumes(tmp_path) == ["1.db"]
    again.close()


def test_a_row_that_stands_in_two_volumes_is_kept_once(tmp_path):
    filled(tmp_path, 4).close()
    volume = MilvusStore(MilvusTarget(str(tmp_path / "milvus.db" / "volumes" / NAME / "1.db"), NAME, DIM))
    volume.upsert([row("c00", dense(0, 1))])
    volume.flush()
    volume.close()
    store = LiteVolumes(target(tmp_path), check=True)
    assert store.count() == 4
    assert sorted(store.ids()) == ["c00", "c01", "c02", "c03"]
    store.close()


def test_a_volume_that_was_removed_is_missed_and_can_be_filled_again(tmp_path):
    filled(tmp_path, 8).close()
    shutil.rmtree(tmp_path / "milvus.db" / "volumes" / NAME / "1.db")
    store = LiteVolumes(target(tmp_path), check=True)
    held = set(store.ids())
    assert store.count() == len(held) == 5
    store.upsert([row(f"c{i:02}", dense(1, i)) for i in range(8) if f"c{i:02}" not in held])
    store.flush()
    assert store.count() == 8
    store.close()


def test_a_damaged_volume_is_a_store_error_and_nothing_stays_open(tmp_path):
    filled(tmp_path, 8).close()
    for file in (tmp_path / "milvus.db" / "volumes" / NAME / "1.db").rglob("*.parquet"):
        file.write_bytes(b"garbage")
    with pytest.raises(StoreError):
        LiteVolumes(target(tmp_path), check=True)
    MilvusStore(target(tmp_path)).close()


CHANGES = st.lists(
    st.tuples(st.sampled_from(["upsert", "delete", "flush", "reopen"]), st.sets(st.integers(0, 9), max_size=5)),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHANGES)
def test_any_history_ends_as_a_dictionary_would(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("store")
    store, held = LiteVolumes(target(folder), trusted=True), set()
    for kind, numbers in changes:
        names = [f"c{i}" for i in sorted(numbers)]
        if kind == "upsert":
            store.upsert([row(name, dense(1)) for name in names])
            held |= set(names)
        elif kind == "delete":
            store.delete(names)
            held -= set(names)
        else:
            store.flush()
            if kind == "reopen":
                store.close()
                store = LiteVolumes(target(folder), trusted=True)
    assert store.count() == len(held)
    assert set(store.ids()) == held
    store.close()
