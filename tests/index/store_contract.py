"""What every vector store must do, whatever is behind it: the same tests run over the fake and over Milvus."""

from __future__ import annotations

import numpy as np

from edu_cli.index.copy_build import build_copy
from edu_cli.index.rebuild import RowSource
from edu_cli.index.vector_copy import VectorCopy, open_copy
from edu_cli.protocols import VectorStore
from edu_cli.text import content_id
from edu_cli.types import CachedVectors, IndexRow, Scope, SparseVector, VectorRow

DIM = 8
HOSTILE = [
    'a"b',
    "a'b",
    "a\\b",
    '" or tenant != "',
    "1% _x_",
    "日本語🙂",
    "tab\there",
    "x" * 300,
    "長" * 300,
    "#h",
    "",
]


def dense(*weights):
    vector = np.zeros(DIM, np.float32)
    vector[: len(weights)] = weights
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def sparse(weights):
    ids = sorted(weights)
    return SparseVector(np.array(ids, np.uint32), np.array([weights[i] for i in ids], np.float32))


def row(child, vector, *, terms=None, doc="d1", subject="ai", tenant=""):
    weights = {1: 1.0} if terms is None else terms
    return VectorRow(child, f"p-{child}", doc, subject, tenant, vector, sparse(weights))


def source_of(rows) -> RowSource:
    """The rows as a catalog gives them: by document, whose digest depends on all of them."""
    by_doc = {}
    for one in rows:
        by_doc.setdefault(one.doc_id, []).append(one)
    digests = {doc_id: content_id(*map(repr, held)) for doc_id, held in by_doc.items()}
    return RowSource(digests, lambda doc_ids: [one for doc_id in doc_ids for one in by_doc[doc_id]])


def copy_of(rows, path, *, dim=DIM, uses_idf=False) -> VectorCopy:
    """The vector copy at `path`, brought to hold exactly these rows."""
    by_id = {one.child_id: CachedVectors(one.dense, one.sparse) for one in rows}
    index_rows = [IndexRow(r.child_id, r.parent_id, r.doc_id, r.subject, r.tenant, repr(r)) for r in rows]
    build_copy(source_of(index_rows), lambda asked: [by_id[r.child_id] for r in asked], path, dim=dim, fingerprint="f")
    copy = open_copy(path, uses_idf=uses_idf)
    assert copy is not None
    return copy


def found(store: VectorStore, vector, k=10, scope=None):
    return [hit.child_id for hit in store.search_dense(vector, k, scope or Scope())]


class StoreContract:
    """Subclasses give a `store` fixture: an empty store of dimension DIM."""

    def test_the_nearest_come_first_and_name_parent_document_and_rank(self, store):
        store.upsert([row("a", dense(1, 0)), row("b", dense(1, 1), doc="d2"), row("c", dense(0, 1))])
        store.flush()
        hits = store.search_dense(dense(1, 0.1), 2, Scope())
        assert [(h.child_id, h.parent_id, h.doc_id, h.rank) for h in hits] == [
            ("a", "p-a", "d1", 1),
            ("b", "p-b", "d2", 2),
        ]
        assert abs(hits[0].score - float(dense(1, 0) @ dense(1, 0.1))) < 1e-5

    def test_equal_scores_go_by_child_id(self, store):
        store.upsert([row(c, dense(1, 0), terms={1: 2.0}) for c in ("m", "z", "b", "q", "a")])
        store.flush()
        assert found(store, dense(1, 0), k=3) == ["a", "b", "m"]
        assert [h.child_id for h in store.search_sparse(sparse({1: 1.0}), 3, Scope())] == ["a", "b", "m"]

    def test_sparse_search_is_by_inner_product_and_leaves_out_what_shares_no_term(self, store):
        store.upsert([row("a", dense(1), terms={1: 1.0, 2: 3.0}), row("b", dense(1), terms={9: 1.0})])
        store.flush()
        hits = store.search_sparse(sparse({1: 2.0, 2: 1.0}), 5, Scope())
        assert [(h.child_id, round(h.score, 4)) for h in hits] == [("a", 5.0)]
        assert store.search_sparse(sparse({77: 1.0}), 5, Scope()) == []
        assert store.search_sparse(sparse({}), 5, Scope()) == []

    def test_a_text_without_terms_can_be_stored(self, store):
        store.upsert([row("a", dense(1), terms={})])
        store.flush()
        assert store.count() == 1
        assert found(store, dense(1)) == ["a"]

    def test_an_upsert_replaces_the_row_of_the_same_child(self, store):
        store.upsert([row("a", dense(1, 0))])
        store.upsert([row("a", dense(0, 1), doc="d9", subject="db")])
        store.flush()
        assert store.count() == 1
        hit = store.search_dense(dense(0, 1), 1, Scope(subject="db"))[0]
        assert (hit.doc_id, round(hit.score, 4)) == ("d9", 1.0)

    def test_deleted_children_are_gone_and_unknown_ones_are_no_error(self, store):
        store.upsert([row(c, dense(1, i)) for i, c in enumerate("abc")])
        store.flush()
        store.delete(["b", "nowhere"])
        store.delete([])
        store.flush()
        assert store.count() == 2
        assert sorted(store.ids()) == ["a", "c"]
        assert "b" not in found(store, dense(1, 1))

    def test_an_empty_store_finds_nothing(self, store):
        assert store.count() == 0
        assert list(store.ids()) == []
        assert found(store, dense(1)) == []
        store.upsert([])
        store.flush()
        assert store.count() == 0

    def test_more_rows_than_a_batch_holds(self, store):
        rng = np.random.default_rng(0)
        vectors = rng.normal(size=(2500, DIM)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        store.upsert([row(f"c{i:04}", vectors[i]) for i in range(2500)])
        store.flush()
        assert store.count() == 2500
        assert len(set(store.ids())) == 2500
        assert found(store, vectors[1234], k=1) == ["c1234"]
        store.delete([f"c{i:04}" for i in range(2000)])
        store.flush()
        assert store.count() == 500

    def test_scope_holds_for_hostile_names(self, store):
        store.upsert([row(f"t{i}", dense(1), tenant=name, doc=f"d{i}") for i, name in enumerate(HOSTILE)])
        store.upsert([row(f"s{i}", dense(1), tenant="s", subject=name) for i, name in enumerate(HOSTILE)])
        store.flush()
        for i, name in enumerate(HOSTILE):
            assert found(store, dense(1), scope=Scope(tenant=name)) == [f"t{i}"]
            assert found(store, dense(1), scope=Scope(tenant="s", subject=name)) == [f"s{i}"]
            assert [h.child_id for h in store.search_sparse(sparse({1: 1.0}), 9, Scope(tenant=name))] == [f"t{i}"]

    def test_the_vectors_of_children_come_back_and_unknown_ones_are_left_out(self, store):
        store.upsert([row("c1", dense(1, 2)), row("c2", dense(3, 1))])
        store.flush()
        vectors = store.dense_of(["c2", "none", "c1"])
        assert set(vectors) == {"c1", "c2"}
        assert np.allclose(vectors["c1"], dense(1, 2), atol=1e-6)
        assert store.dense_of([]) == {}

    def test_scope_by_documents(self, store):
        store.upsert([row(f"c{i}", dense(1, i), doc=f"d{i}") for i in range(4)])
        store.flush()
        assert sorted(found(store, dense(1), scope=Scope(doc_ids=frozenset({"d1", "d3", "d9"})))) == ["c1", "c3"]
        assert found(store, dense(1), scope=Scope(doc_ids=frozenset())) == []
