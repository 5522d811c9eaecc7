from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fakes import MemoryStore
from hypothesis import given
from hypothesis import strategies as st
from store_contract import DIM, StoreContract, copy_of, dense, found, row, sparse

from edu_cli.errors import LockedError, StoreError
from edu_cli.index.milvus import MilvusStore, collection_name
from edu_cli.index.milvus_connect import MilvusTarget
from edu_cli.index.milvus_names import NAME_BYTES, quoted, scope_filter, stored_name
from edu_cli.protocols import VectorStore
from edu_cli.types import Scope

NAME = collection_name("project", "encoder-1")
OPEN = (  # for a process of its own, which is given the path
    "import sys; from edu_cli.index.milvus import MilvusStore; from edu_cli.index.milvus_connect import MilvusTarget; "
    f"store = MilvusStore(MilvusTarget(sys.argv[1], {NAME!r}, {DIM})); "
)


def open_store(uri, *, name=NAME, sparse=None) -> MilvusStore:
    return MilvusStore(MilvusTarget(str(uri), name, DIM, timeout_s=5), sparse=sparse)


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore()


class TestMilvusLite(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        store: VectorStore = open_store(tmp_path / "milvus.db")
        yield store
        store.close()


def test_what_was_flushed_is_there_after_reopening(tmp_path):
    path = tmp_path / "课程 库" / "milvus.db"
    store = open_store(path)
    store.upsert([row("a", dense(1, 0)), row("b", dense(0, 1))])
    store.flush()
    store.close()
    again = open_store(path)
    assert again.count() == 2
    assert found(again, dense(0, 1), k=1) == ["b"]
    again.close()


def test_projects_and_encoders_have_collections_of_their_own(tmp_path):
    names = {collection_name(p, e) for p in ("p1", "p2") for e in ("e1", "e2")}
    assert len(names) == 4
    assert all(name.isidentifier() and name.isascii() for name in names)
    first = open_store(tmp_path / "m.db", name=collection_name("p1", "e1"))
    second = open_store(tmp_path / "m.db", name=collection_name("p2", "e1"))
    first.upsert([row("a", dense(1))])
    first.flush()
    assert (first.count(), second.count()) == (1, 0)
    first.close()
    second.close()


def test_a_reader_makes_no_collection_and_says_that_there_is_none(tmp_path):
    path = tmp_path / "milvus.db"
    target = MilvusTarget(str(path), NAME, DIM)
    with pytest.raises(StoreError, match="holds no vectors of this project") as caught:
        MilvusStore(target, create=False)
    assert "edu ingest" in caught.value.hint
    open_store(path).close()
    MilvusStore(target, create=False).close()


def test_a_database_in_use_names_the_process_that_has_it(tmp_path):
    path = tmp_path / "milvus.db"
    code = f"{OPEN}print('open', flush=True); sys.stdin.read(); store.close()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(LockedError, match="in use by another process") as caught:
            open_store(path)
        if sys.platform == "linux":
            assert f"PID {holder.pid}" in caught.value.message
    finally:
        holder.communicate("")
    open_store(path).close()


def test_lite_opens_behind_a_proxy_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_grpc_proxy", raising=False)
    open_store(tmp_path / "milvus.db").close()


def test_a_server_that_is_down_is_named():
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        open_store("http://127.0.0.1:9")


def test_a_path_that_is_no_database_is_named(tmp_path):
    path = tmp_path / "milvus.db"
    path.write_text("not a database", encoding="utf-8")
    with pytest.raises(StoreError, match=r"milvus\.db cannot be opened"):
        open_store(path)


def test_nothing_reaches_stderr_when_milvus_fails(tmp_path):
    path = tmp_path / "milvus.db"
    path.write_text("not a database", encoding="utf-8")
    code = f"from edu_cli.errors import StoreError\ntry:\n {OPEN}\nexcept StoreError: pass"
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_sparse_leg_is_answered_by_the_copy_with_idf(tmp_path):
    rows = [row("a", dense(1), terms={1: 1.0, 2: 1.0}), row("b", dense(1), terms={1: 1.5})]
    copy = copy_of(rows, tmp_path / "copy", dim=0, uses_idf=True)
    store = open_store(tmp_path / "milvus.db", sparse=copy)
    store.upsert(rows)
    store.flush()
    assert [h.child_id for h in store.search_sparse(sparse({1: 1.0, 2: 1.0}), 5, Scope())] == ["a", "b"]
    assert found(store, dense(1)) == ["a", "b"]
    store.close()


@pytest.mark.parametrize("name", ["", "ai", "数学 与 统计", "x" * NAME_BYTES, 'quote"', "%"])
def test_a_plain_name_is_stored_as_it_is(name):
    assert stored_name(name) == name


@pytest.mark.parametrize("name", ["x" * 257, "长" * 86, "a\x00b", "a\nb", "\ud800", "#x"])
def test_a_name_that_milvus_cannot_hold_is_stored_by_its_hash(name):
    assert stored_name(name).startswith("#")
    assert len(stored_name(name).encode()) <= NAME_BYTES


@given(st.text(st.characters(), max_size=300), st.text(st.characters(), max_size=300))
def test_two_names_are_never_stored_alike(first, second):
    assert (stored_name(first) == stored_name(second)) == (first == second)
    assert stored_name(stored_name(first)) == stored_name(first) or stored_name(first).startswith("#")


def test_the_filter_quotes_what_it_is_given():
    assert scope_filter(Scope(tenant='" or 1 == 1 or "')) == r'tenant == "\" or 1 == 1 or \""'
    assert scope_filter(Scope("t", "数学", frozenset({"b", "a"}))) == (
        'tenant == "t" and subject == "数学" and doc_id in ["a", "b"]'
    )


def test_control_characters_are_never_quoted():
    with pytest.raises(StoreError, match="control characters"):
        quoted("a\x07b")


@pytest.mark.slow
def test_lite_does_not_quarrel_about_pings_while_nothing_is_stored(tmp_path: Path) -> None:
    """Encoding a long batch leaves the connection idle; gRPC's C core would complain on stderr itself."""
    code = (
        "import os, sys, time\nfrom pathlib import Path\nos.environ['GRPC_VERBOSITY'] = 'INFO'\n"
        "from edu_cli.index.milvus_connect import MilvusTarget, connect, release\n"
        "target = MilvusTarget(sys.argv[1], 'c', 8)\nclient = connect(target)\nclient.list_collections()\n"
        "time.sleep(50)\nassert client.list_collections() == []\nrelease(Path(target.uri))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "idle.db")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "too_many_pings" not in done.stderr
