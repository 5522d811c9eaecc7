from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.errors import StoreError
from edu_cli.index import merging
from edu_cli.index.generations import facts_of
from edu_cli.index.sparse import build_sparse, open_sparse
from edu_cli.types import IndexRow, Scope, SparseVector


def sparse(weights):
    ids = sorted(weights)
    return SparseVector(np.array(ids, np.uint32), np.array([weights[i] for i in ids], np.float32))


def row(child, *, key="k", doc="d1", subject="ai", tenant=""):
    return IndexRow(child, f"p-{child}", doc, subject, tenant, key)


def build(path, contents, *, fingerprint="f", asked=None):
    """`contents`: child id -> (weights, scope fields)."""

    def vectors(rows):
        if asked is not None:
            asked.extend(r.child_id for r in rows)
        return [sparse(contents[r.child_id][0]) for r in rows]

    rows = [row(child, key=json.dumps(weights), **scope) for child, (weights, scope) in contents.items()]
    return build_sparse(rows, vectors, path, fingerprint=fingerprint)


def found(index, weights, k=10, scope=None):
    return [(h.child_id, round(h.score, 4)) for h in index.search(sparse(weights), k, scope or Scope())]


def test_inner_products_rank_and_equal_scores_go_by_child_id(tmp_path):
    build(tmp_path, {"c": ({1: 1.0}, {}), "a": ({1: 1.0, 2: 3.0}, {}), "b": ({2: 1.0}, {}), "d": ({9: 1.0}, {})})
    index = open_sparse(tmp_path, uses_idf=False)
    assert found(index, {1: 2.0, 2: 1.0}) == [("a", 5.0), ("c", 2.0), ("b", 1.0)]
    assert found(index, {1: 1.0}) == [("a", 1.0), ("c", 1.0)]
    assert found(index, {1: 1.0}, k=1) == [("a", 1.0)]


def test_a_hit_names_its_parent_document_and_rank(tmp_path):
    build(tmp_path, {"a": ({1: 1.0}, {"doc": "d7"}), "b": ({1: 2.0}, {"doc": "d8"})})
    hits = open_sparse(tmp_path, uses_idf=False).search(sparse({1: 1.0}), 5, Scope())
    assert [(h.child_id, h.parent_id, h.doc_id, h.rank) for h in hits] == [("b", "p-b", "d8", 1), ("a", "p-a", "d7", 2)]


def test_the_questions_weights_are_multiplied_by_idf(tmp_path):
    build(tmp_path, {"a": ({1: 1.0, 2: 1.0}, {}), "b": ({1: 1.0}, {}), "c": ({1: 1.0}, {})})
    rare = math.log(1 + (3 - 1 + 0.5) / 1.5)
    common = math.log(1 + 0.5 / 3.5)
    assert found(open_sparse(tmp_path, uses_idf=True), {1: 1.0, 2: 2.0}) == [
        ("a", round(2 * rare + common, 4)),
        ("b", round(common, 4)),
        ("c", round(common, 4)),
    ]


def test_unknown_terms_and_empty_questions_find_nothing(tmp_path):
    build(tmp_path, {"a": ({1: 1.0}, {})})
    index = open_sparse(tmp_path, uses_idf=True)
    assert found(index, {7: 1.0}) == []
    assert found(index, {}) == []
    assert found(index, {1: 1.0}, k=0) == []


def test_scope_holds(tmp_path):
    build(
        tmp_path,
        {
            "a": ({1: 1.0}, {"tenant": "t1", "subject": "ai", "doc": "d1"}),
            "b": ({1: 1.0}, {"tenant": "t2", "subject": "ai", "doc": "d2"}),
            "c": ({1: 1.0}, {"tenant": "t2", "subject": 'x" or 1', "doc": "d3"}),
        },
    )
    index = open_sparse(tmp_path, uses_idf=False)

    def names(scope):
        return [child for child, _ in found(index, {1: 1.0}, scope=scope)]

    assert names(Scope(tenant="t1")) == ["a"]
    assert names(Scope(tenant="t2")) == ["b", "c"]
    assert names(Scope()) == []
    assert names(Scope(tenant="t2", subject='x" or 1')) == ["c"]
    assert names(Scope(tenant="t2", doc_ids=frozenset({"d2", "d1"}))) == ["b"]
    assert names(Scope(tenant="t2", doc_ids=frozenset())) == []


def test_exact_scores_of_given_children(tmp_path):
    build(tmp_path, {"a": ({1: 1.0}, {}), "b": ({1: 2.0}, {})})
    index = open_sparse(tmp_path, uses_idf=False)
    assert index.score_children(sparse({1: 3.0}), ["b", "nowhere", "a"]).tolist() == [6.0, 0.0, 3.0]


def test_an_empty_corpus_can_be_built_and_searched(tmp_path):
    build(tmp_path, {})
    index = open_sparse(tmp_path, uses_idf=True)
    assert found(index, {1: 1.0}) == []
    assert index.score_children(sparse({1: 1.0}), ["a"]).tolist() == [0.0]


def test_only_new_and_changed_rows_are_read_again(tmp_path):
    first = {c: ({ord(c): 1.0}, {}) for c in "abcd"}
    build(tmp_path, first)
    second = {"a": first["a"], "c": ({5: 2.0}, {}), "e": ({ord("a"): 4.0}, {}), "b": first["b"]}
    asked = []
    counts = build(tmp_path, second, fingerprint="g", asked=asked)
    assert sorted(asked) == ["c", "e"]
    assert (counts.rows, counts.read) == (4, 2)
    assert facts_of(tmp_path).get("fingerprint") == "g"
    index = open_sparse(tmp_path, uses_idf=False)
    assert found(index, {ord("a"): 1.0}) == [("e", 4.0), ("a", 1.0)]
    assert found(index, {ord("d"): 1.0}) == []
    assert len(list(tmp_path.iterdir())) == 2, "the generation before is removed"


def test_there_is_no_index_before_the_first_build(tmp_path):
    assert open_sparse(tmp_path / "none", uses_idf=True) is None
    assert facts_of(tmp_path / "none") == {}


@pytest.mark.parametrize("harm", ["truncate", "empty", "delete", "scribble"])
def test_damage_is_told_and_the_next_build_mends_it(tmp_path, harm):
    contents = {c: ({ord(c): 1.0, 7: 1.0}, {}) for c in "abcdefgh"}
    build(tmp_path, contents)
    victim = next(tmp_path.glob("g-*/rows.npy"))
    if harm == "truncate":
        victim.write_bytes(victim.read_bytes()[:-3])
    elif harm == "empty":
        victim.write_bytes(b"")
    elif harm == "delete":
        victim.unlink()
    else:
        (tmp_path / "current.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match="damaged"):
        open_sparse(tmp_path, uses_idf=True)
    assert facts_of(tmp_path) == {}
    build(tmp_path, contents)
    assert len(found(open_sparse(tmp_path, uses_idf=False), {7: 1.0})) == 8


WEIGHTS = st.dictionaries(st.integers(0, 2**32 - 1) | st.integers(0, 5), st.floats(0.5, 9, width=32), max_size=4)
CORPUS = st.dictionaries(st.sampled_from([f"c{i}" for i in range(12)]), WEIGHTS, max_size=12)


@pytest.mark.parametrize("piece", [2, 1_000_000])
@settings(max_examples=20, deadline=None)
@given(history=st.lists(CORPUS, min_size=1, max_size=4))
def test_any_history_of_builds_equals_a_clean_build(tmp_path_factory, piece, history):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "_RUN", piece)
        patched.setattr(merging, "_RANGE", piece)
        check_history(tmp_path_factory, history)


def check_history(tmp_path_factory, history):
    grown = tmp_path_factory.mktemp("grown")
    for corpus in history:
        build(grown, {child: (weights, {}) for child, weights in corpus.items()})
    clean = tmp_path_factory.mktemp("clean")
    build(clean, {child: (weights, {}) for child, weights in history[-1].items()})
    left, right = (open_sparse(path, uses_idf=False) for path in (grown, clean))
    assert left.table.child_ids.tolist() == right.table.child_ids.tolist()
    for name in ("terms", "ends", "rows", "values"):
        assert getattr(left.postings, name).tolist() == getattr(right.postings, name).tolist()
    for one, (_, contents) in zip(left.table.child_ids.tolist(), sorted(history[-1].items()), strict=True):
        scores = [left.score_children(sparse({term: 1.0}), [one.decode()])[0] for term in contents]
        np.testing.assert_allclose(scores, list(contents.values()))


def test_a_term_with_more_entries_than_a_range_holds(tmp_path):
    contents = {f"c{i}": ({7: 1.0 + i}, {}) for i in range(9)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "_RANGE", 2)
        build(tmp_path, contents)
        build(tmp_path, {**contents, "d": ({3: 1.0}, {})})
    assert len(found(open_sparse(tmp_path, uses_idf=False), {7: 1.0}, k=20)) == 9


def test_nothing_but_the_generation_in_force_is_left_behind(tmp_path):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "_RUN", 2)
        build(tmp_path, {c: ({1: 1.0, 2: 1.0}, {}) for c in "abcdef"})
    (folder,) = tmp_path.glob("g-*")
    assert not [entry for entry in folder.iterdir() if entry.suffix not in (".npy", ".json")]


def test_a_build_that_fails_leaves_the_index_in_force(tmp_path):
    build(tmp_path, {"a": ({1: 1.0}, {})})

    def broken(rows):
        raise RuntimeError("the encoder died")

    with pytest.raises(RuntimeError):
        build_sparse([row("b")], broken, tmp_path, fingerprint="g")
    assert found(open_sparse(tmp_path, uses_idf=False), {1: 1.0}) == [("a", 1.0)]
    assert len(list(tmp_path.iterdir())) == 2
