from __future__ import annotations

import math
import random
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_contract import DIM, StoreContract, copy_of, dense, row, source_of, sparse

from edu_cli.errors import StoreError
from edu_cli.index import copy_build, merging
from edu_cli.index.copy_build import build_copy
from edu_cli.index.generations import facts_of
from edu_cli.index.vector_copy import open_copy
from edu_cli.protocols import VectorStore
from edu_cli.types import CachedVectors, Hit, IndexRow, Scope, VectorRow


class CopiedStore:
    """protocols.VectorStore whose searches read the copy as the last flush left it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, VectorRow] = {}
        self._copy = copy_of([], path)

    def upsert(self, rows) -> None:
        self._rows.update((one.child_id, one) for one in rows)

    def delete(self, child_ids) -> None:
        for child_id in child_ids:
            self._rows.pop(child_id, None)

    def flush(self) -> None:
        self._copy = copy_of(self._rows.values(), self._path)

    def count(self) -> int:
        return len(self._copy)

    def ids(self) -> Iterator[str]:
        return (raw.decode() for raw in self._copy.table.child_ids.tolist())

    def search_dense(self, vector, k, scope) -> list[Hit]:
        return self._copy.search_dense(vector, k, scope)

    def search_sparse(self, vector, k, scope) -> list[Hit]:
        return self._copy.search_sparse(vector, k, scope)

    def dense_of(self, child_ids):
        return self._copy.dense_of(child_ids)

    def close(self) -> None:
        self._copy.close()


class TestVectorCopy(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        store: VectorStore = CopiedStore(tmp_path)
        return store


def build(path, contents, *, fingerprint="f", asked=None):
    """`contents`: child id -> sparse weights, which make its dense vector too."""

    def vectors(rows):
        if asked is not None:
            asked.extend(r.child_id for r in rows)
        return [CachedVectors(made(contents[r.child_id]), sparse(contents[r.child_id])) for r in rows]

    rows = [
        IndexRow(child, f"p-{child}", f"d{ord(child[-1]) % 3}", "ai", "", repr(weights))
        for child, weights in contents.items()
    ]
    return build_copy(source_of(rows), vectors, path, dim=DIM, fingerprint=fingerprint)


def made(weights):
    return dense(*np.random.default_rng(zlib.crc32(repr(sorted(weights.items())).encode())).normal(size=DIM))


def opened(path, *, uses_idf=False):
    copy = open_copy(path, uses_idf=uses_idf)
    assert copy is not None
    return copy


def found(copy, weights, k=10, scope=None):
    return [(h.child_id, round(h.score, 4)) for h in copy.search_sparse(sparse(weights), k, scope or Scope())]


def test_the_questions_weights_are_multiplied_by_idf(tmp_path):
    build(tmp_path, {"a": {1: 1.0, 2: 1.0}, "b": {1: 1.0}, "c": {1: 1.0}})
    rare = math.log(1 + (3 - 1 + 0.5) / 1.5)
    common = math.log(1 + 0.5 / 3.5)
    wanted = [("a", round(2 * rare + common, 4)), ("b", round(common, 4)), ("c", round(common, 4))]
    assert found(opened(tmp_path, uses_idf=True), {1: 1.0, 2: 2.0}) == wanted


def test_document_frequencies_count_the_living_only(tmp_path):
    contents = {f"c{i}": {1: 1.0, 10 + i: 1.0} for i in range(9)}
    build(tmp_path, contents)
    grown = {child: weights for child, weights in contents.items() if child != "c3"} | {"new": {1: 2.0}}
    build(tmp_path, grown)
    assert len(opened(tmp_path).segments) == 2, "else nothing is dead"
    clean = tmp_path / "clean"
    build(clean, grown)
    question = {1: 1.0, 13: 1.0, 14: 1.0}
    assert found(opened(tmp_path, uses_idf=True), question) == found(opened(clean, uses_idf=True), question)


def test_unknown_terms_and_empty_questions_find_nothing(tmp_path):
    build(tmp_path, {"a": {1: 1.0}})
    copy = opened(tmp_path, uses_idf=True)
    assert found(copy, {7: 1.0}) == []
    assert found(copy, {}) == []
    assert found(copy, {1: 1.0}, k=0) == []
    assert copy.search_dense(dense(1), 0, Scope()) == []


def test_a_vector_of_zeros_and_a_question_of_zeros_have_cosine_zero(tmp_path):
    nothing = np.zeros(DIM, np.float32)
    copy = copy_of([row("a", nothing), row("b", dense(1))], tmp_path)
    assert [(h.child_id, h.score) for h in copy.search_dense(dense(-1), 2, Scope())] == [("a", 0.0), ("b", -1.0)]
    assert [h.score for h in copy.search_dense(nothing, 2, Scope())] == [0.0, 0.0]


def test_a_narrow_scope_finds_what_a_scan_of_everything_finds(tmp_path):
    rng = np.random.default_rng(1)
    rows = [row(f"c{i:03}", dense(*rng.normal(size=DIM)), doc=f"d{i % 50}") for i in range(200)]
    copy_of(rows[:150], tmp_path)
    copy = copy_of(rows, tmp_path)
    question = dense(*rng.normal(size=DIM))
    everything = copy.search_dense(question, 200, Scope())
    for width in (1, 3, 40):
        docs = frozenset(f"d{i}" for i in range(width))
        wanted = [(h.child_id, h.score) for h in everything if h.doc_id in docs]
        got = copy.search_dense(question, 200, Scope(doc_ids=docs))
        assert [(h.child_id, h.score) for h in got] == wanted


def test_only_new_and_changed_rows_are_read_again(tmp_path):
    first = {c: {ord(c): 1.0} for c in "abcd"}
    build(tmp_path, first)
    second = {"a": first["a"], "c": {5: 2.0}, "e": {ord("a"): 4.0}, "b": first["b"]}
    asked = []
    counts = build(tmp_path, second, fingerprint="g", asked=asked)
    assert sorted(asked) == ["c", "e"]
    assert (counts.rows, counts.read) == (4, 2)
    assert facts_of(tmp_path).get("fingerprint") == "g"
    copy = opened(tmp_path)
    assert found(copy, {ord("a"): 1.0}) == [("e", 4.0), ("a", 1.0)]
    assert found(copy, {ord("d"): 1.0}) == []
    assert len(list(tmp_path.iterdir())) == 2, "the generation before is removed"


def test_a_small_change_writes_no_large_file_again(tmp_path):
    contents = {f"c{i:03}": {i: 1.0} for i in range(300)}
    build(tmp_path, contents)
    before = {file.name: file.stat().st_ino for file in tmp_path.glob("g-*/s-*")}
    build(tmp_path, {**contents, "c007": {1: 3.0}})
    after = {file.name: file.stat().st_ino for file in tmp_path.glob("g-*/s-*")}
    assert before.items() < after.items()
    assert found(opened(tmp_path), {1: 1.0}) == [("c007", 3.0), ("c001", 1.0)]


def test_many_small_changes_leave_few_segments(tmp_path):
    contents: dict[str, dict[int, float]] = {}
    for i in range(60):
        contents[f"c{i:03}"] = {i: 1.0}
        build(tmp_path, contents)
    assert len(opened(tmp_path).segments) <= 6
    assert opened(tmp_path).n_slots == 60


def test_where_files_cannot_be_linked_they_are_copied(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no hard links here")

    monkeypatch.setattr("os.link", refuse)
    contents = {f"c{i:03}": {i: 1.0} for i in range(30)}
    build(tmp_path, contents)
    build(tmp_path, {**contents, "d": {3: 2.0}})
    assert found(opened(tmp_path), {3: 1.0}) == [("d", 2.0), ("c003", 1.0)]


def test_there_is_no_copy_before_the_first_build(tmp_path):
    assert open_copy(tmp_path / "none", uses_idf=True) is None
    assert facts_of(tmp_path / "none") == {}


@pytest.mark.parametrize("harm", ["truncate", "empty", "delete", "scribble"])
@pytest.mark.parametrize("name", ["s-*.rows.npy", "s-*.dense.npy", "slots.npy", "child_ids.npy", "names.json"])
def test_damage_is_told_and_the_next_build_mends_it(tmp_path, harm, name):
    contents = {c: {ord(c): 1.0, 7: 1.0} for c in "abcdefgh"}
    build(tmp_path, contents)
    victim = next(tmp_path.glob(f"g-*/{name}"))
    if harm == "truncate":
        victim.write_bytes(victim.read_bytes()[:-3])
    elif harm == "empty":
        victim.write_bytes(b"")
    elif harm == "delete":
        victim.unlink()
    else:
        (tmp_path / "current.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match="damaged"):
        open_copy(tmp_path, uses_idf=True)
    assert facts_of(tmp_path) == {}
    build(tmp_path, contents)
    assert len(found(opened(tmp_path), {7: 1.0})) == 8


@pytest.mark.parametrize("name", ["s-*.values.npy", "s-*.dense.npy", "slots.npy", "keys.npy"])
def test_flipped_bytes_do_not_outlive_the_next_build_that_touches_them(tmp_path, name):
    contents = {c: {ord(c): 1.0, 7: 1.0} for c in "abcdefgh"}
    build(tmp_path, contents)
    victim = next(tmp_path.glob(f"g-*/{name}"))
    raw = bytearray(victim.read_bytes())
    raw[-9] ^= 0x5A
    victim.write_bytes(raw)
    changed = {**contents, **{c: {7: 2.0} for c in "ijklmnop"}}
    build(tmp_path, changed)
    assert_equal(opened(tmp_path), changed)


def test_a_build_afresh_reads_everything(tmp_path):
    rows = source_of([IndexRow("a", "p", "d", "", "", "k")])
    reads = []

    def vectors(asked):
        reads.append(len(asked))
        return [CachedVectors(dense(1), sparse({1: 1.0})) for _ in asked]

    for afresh in (False, False, True):
        build_copy(rows, vectors, tmp_path, dim=DIM, fingerprint="f", afresh=afresh)
    assert reads == [1, 1]


WEIGHTS = st.dictionaries(st.integers(0, 2**32 - 1) | st.integers(0, 5), st.floats(0.5, 9, width=32), max_size=4)
CORPUS = st.dictionaries(st.sampled_from([f"c{i}" for i in range(12)]), WEIGHTS, max_size=12)


@pytest.mark.parametrize("piece", [2, 1_000_000])
@settings(max_examples=25, deadline=None)
@given(history=st.lists(CORPUS, min_size=1, max_size=5))
def test_any_history_of_builds_answers_as_a_clean_build(tmp_path_factory, piece, history):
    grown = tmp_path_factory.mktemp("grown")
    with pytest.MonkeyPatch.context() as patched:
        for module, name in ((merging, "_RUN"), (merging, "_RANGE"), (copy_build, "_PIECE")):
            patched.setattr(module, name, piece)
        for contents in history:
            build(grown, contents)
            assert_equal(opened(grown, uses_idf=True), contents)


def assert_equal(copy, contents):
    """The copy holds these children, and gives each exactly the scores that its vectors make."""
    assert [raw.decode() for raw in copy.table.child_ids.tolist()] == sorted(contents)
    n = max(len(contents), 1)
    question = made({})
    cosines = {h.child_id: h.score for h in copy.search_dense(question, n, Scope())}
    assert cosines == pytest.approx({c: float(made(w) @ question) for c, w in contents.items()}, abs=1e-5)
    for term in {term for weights in contents.values() for term in weights}:
        holders = {child: weights[term] for child, weights in contents.items() if term in weights}
        idf = math.log1p((len(contents) - len(holders) + 0.5) / (len(holders) + 0.5)) if copy.uses_idf else 1.0
        got = {h.child_id: h.score for h in copy.search_sparse(sparse({term: 1.0}), n, Scope())}
        assert got == pytest.approx({child: weight * idf for child, weight in holders.items()}, rel=1e-4)


def test_a_term_with_more_entries_than_a_range_holds(tmp_path):
    contents = {f"c{i}": {7: 1.0 + i} for i in range(9)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "_RANGE", 2)
        build(tmp_path, contents)
        build(tmp_path, {**contents, **{f"d{i}": {3: 1.0} for i in range(9)}})
    assert len(found(opened(tmp_path), {7: 1.0}, k=20)) == 9


def test_nothing_but_the_generation_in_force_is_left_behind(tmp_path):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "_RUN", 2)
        build(tmp_path, {c: {1: 1.0, 2: 1.0} for c in "abcdef"})
    (folder,) = tmp_path.glob("g-*")
    assert not [entry for entry in folder.iterdir() if entry.suffix not in (".npy", ".json")]


def test_a_build_that_fails_leaves_the_copy_in_force(tmp_path):
    build(tmp_path, {"a": {1: 1.0}})

    def broken(rows):
        raise RuntimeError("the encoder died")

    rows = source_of([IndexRow("b", "p", "d", "", "", "k")])
    with pytest.raises(RuntimeError):
        build_copy(rows, broken, tmp_path, dim=DIM, fingerprint="g")
    assert found(opened(tmp_path), {1: 1.0}) == [("a", 1.0)]
    assert len(list(tmp_path.iterdir())) == 2


def test_readers_of_the_generation_before_are_not_disturbed(tmp_path):
    build(tmp_path, {"a": {1: 1.0}, "b": {1: 2.0}})
    reader = opened(tmp_path)
    build(tmp_path, {"c": {1: 3.0}})
    assert found(reader, {1: 1.0}) == [("b", 2.0), ("a", 1.0)]
    assert len(reader.search_dense(dense(1), 5, Scope())) == 2
    assert found(opened(tmp_path), {1: 1.0}) == [("c", 3.0)]


BUILDING = """
import itertools, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_vector_copy import SMALL, LARGE, build
print("ready", flush=True)
for contents in itertools.cycle((SMALL, LARGE)):
    build(Path(sys.argv[1]), contents)
"""
SMALL = {f"c{i:03}": {i: 1.0, 500: 1.0} for i in range(0, 300, 2)}
LARGE = {f"c{i:03}": {i: 1.0, 500: 1.0 + i % 3} for i in range(300)}


@pytest.mark.slow
def test_a_build_that_is_killed_leaves_the_copy_of_before_or_after(tmp_path):
    rng = random.Random(3)
    path = tmp_path / "copy"
    for _ in range(8):
        command = [sys.executable, "-c", BUILDING, path, Path(__file__).parent]
        builder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert builder.stdout is not None
        assert builder.stdout.readline() == "ready\n"
        while not (path / "current.json").exists():
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.3))
        builder.kill()
        builder.communicate()
        copy = opened(path)
        assert_equal(copy, SMALL if len(copy) == len(SMALL) else LARGE)
    build(path, LARGE)
    assert len(list(path.iterdir())) == 2, "what the kills left behind is removed"
