from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_contract import source_of

from edu_cli.config import LexicalSettings
from edu_cli.errors import StoreError
from edu_cli.index.bm25_peer import scores_by_bm25s
from edu_cli.index.generations import damaged_files, facts_of
from edu_cli.index.lexical import build_lexical, hashes, open_lexical
from edu_cli.index.tokens import open_tokenizer
from edu_cli.text import content_id
from edu_cli.types import IndexRow, Scope

TOKENS = open_tokenizer()
COURSE = {
    "a": "跳跃表是有序集合的底层实现之一，平均时间复杂度为对数级。",
    "b": "红黑树是一种自平衡二叉查找树，插入与删除的时间复杂度为对数级。",
    "c": "C++ 的 std::vector 扩容时会重新分配内存。",
    "d": "事务的隔离级别有四种：读未提交、读已提交、可重复读、串行化。",
}


class Shown:
    """protocols.Progress that remembers."""

    def __init__(self):
        self.totals = {}
        self.done = {}

    def start(self, stage, total):
        self.totals[stage] = total

    def advance(self, stage, n=1):
        self.done[stage] = self.done.get(stage, 0) + n

    def note(self, message):
        raise AssertionError(message)


def build(path, texts, *, settings=None, scopes=None, fingerprint="f", asked=None, progress=None):
    def give(rows):
        if asked is not None:
            asked.extend(r.child_id for r in rows)
        return [texts[r.child_id] for r in rows]

    rows = [
        IndexRow(c, f"p-{c}", *(scopes or {}).get(c, ("d1", "ai", "")), content_id(text)) for c, text in texts.items()
    ]
    return build_lexical(
        source_of(rows),
        give,
        path,
        tokenizer=TOKENS,
        settings=settings or LexicalSettings(),
        fingerprint=fingerprint,
        progress=progress,
    )


def names(index, question, k=10, scope=None):
    return [hit.child_id for hit in index.search(question, k, scope or Scope())]


@pytest.mark.parametrize(
    ("question", "best"),
    [("跳跃表是什么", "a"), ("C++ 怎么扩容", "c"), ("std::vector", "c"), ("事務的隔離級別", "d"), ("自平衡的树", "b")],
)
def test_the_passage_that_has_the_words_comes_first(tmp_path, question, best):
    build(tmp_path, COURSE)
    assert names(open_lexical(tmp_path, TOKENS), question)[0] == best


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (0.0, 0.0), (2.0, 1.0)])
def test_scores_are_those_of_bm25s(tmp_path, k1, b):
    import bm25s

    build(tmp_path, COURSE, settings=LexicalSettings(k1=k1, b=b))
    peer = bm25s.BM25(method="lucene", k1=k1, b=b)
    peer.index([TOKENS(text) for text in COURSE.values()], show_progress=False)
    question = "时间复杂度为对数级的树，时间"
    wanted = peer.get_scores([w for w in TOKENS(question) if w in peer.vocab_dict])
    hits = open_lexical(tmp_path, TOKENS).search(question, 99, Scope())
    got = {hit.child_id: hit.score for hit in hits}
    np.testing.assert_allclose([got.get(child, 0.0) for child in COURSE], wanted, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("的树表锁页 ，", max_size=30), min_size=1, max_size=12), st.text("的树表锁页 ", max_size=12))
def test_bm25s_reads_the_index_and_finds_the_same_floats(tmp_path_factory, texts, question):
    path = tmp_path_factory.mktemp("index")
    build(path, {f"c{i:02}": text for i, text in enumerate(texts)})
    index = open_lexical(path, TOKENS)
    at = index.postings.find(hashes(TOKENS(question)))
    wanted = scores_by_bm25s(index.postings, at[at >= 0], len(texts))
    assert index.is_as_bm25s_has_it(8)
    found = {hit.child_id: hit.score for hit in index.search(question, 99, Scope())}
    assert found == {f"c{i:02}": float(score) for i, score in enumerate(wanted) if score > 0}


def test_unknown_words_find_nothing_and_k_may_exceed_the_corpus(tmp_path):
    build(tmp_path, COURSE)
    index = open_lexical(tmp_path, TOKENS)
    assert names(index, "量子纠缠") == []
    assert names(index, "") == []
    assert names(index, "，。？") == []
    assert len(names(index, "时间复杂度", k=1000)) == 2


def test_equal_scores_go_by_child_id(tmp_path):
    build(tmp_path, dict.fromkeys(("z", "m", "b", "q"), "同样的一句话"))
    assert names(open_lexical(tmp_path, TOKENS), "一句话") == ["b", "m", "q", "z"]
    assert names(open_lexical(tmp_path, TOKENS), "一句话", k=2) == ["b", "m"]


def test_scope_holds(tmp_path):
    scopes = {"a": ("d1", "ai", "t1"), "b": ("d2", "ai", "t2"), "c": ("d3", "db", "t2"), "d": ("d4", "db", "t2")}
    build(tmp_path, dict.fromkeys(COURSE, "同样的一句话"), scopes=scopes)
    index = open_lexical(tmp_path, TOKENS)
    assert names(index, "一句话", scope=Scope(tenant="t1")) == ["a"]
    assert names(index, "一句话", scope=Scope(tenant="t2", subject="db")) == ["c", "d"]
    assert names(index, "一句话", scope=Scope(tenant="t2", doc_ids=frozenset({"d1", "d4"}))) == ["d"]
    assert names(index, "一句话", scope=Scope(tenant="t3")) == []


@pytest.mark.parametrize("texts", [{}, {"a": "，。"}, {"a": ""}])
def test_a_corpus_without_words_can_be_built_and_searched(tmp_path, texts):
    build(tmp_path, texts)
    assert names(open_lexical(tmp_path, TOKENS), "跳跃表") == []


def test_only_changed_rows_are_cut_again(tmp_path):
    build(tmp_path, COURSE)
    asked = []
    counts = build(tmp_path, {**COURSE, "b": "红黑树改写了。", "e": "新的一段"}, asked=asked, fingerprint="g")
    assert sorted(asked) == ["b", "e"]
    assert (counts.rows, counts.read) == (5, 2)
    facts = facts_of(tmp_path)
    assert (facts["fingerprint"], facts["rows"]) == ("g", 5)
    index = open_lexical(tmp_path, TOKENS)
    assert names(index, "自平衡") == []
    assert names(index, "新的一段")[0] == "e"


def test_progress_is_of_the_rows_that_are_cut(tmp_path):
    shown = Shown()
    build(tmp_path, COURSE, progress=shown)
    assert shown.totals == shown.done == {"words": 4}
    build(tmp_path, {**COURSE, "e": "新的一段"}, progress=shown)
    assert (shown.totals, shown.done) == ({"words": 1}, {"words": 5})
    build(tmp_path, COURSE, progress=(nothing := Shown()))
    assert nothing.totals == {}


def test_many_more_words_than_are_kept_in_memory_give_the_same_index(tmp_path, monkeypatch):
    build(tmp_path / "all", COURSE)
    monkeypatch.setattr("edu_cli.index.lexical._MOST_NUMBERS", 3)
    build(tmp_path / "few", COURSE)
    for name in ("terms", "rows", "values"):
        one, other = (next((tmp_path / path).glob(f"g-*/{name}.npy")).read_bytes() for path in ("all", "few"))
        assert one == other


def test_another_tokeniser_cuts_all_again_and_cannot_read_this_index(tmp_path):
    terms = tmp_path / "terms.txt"
    terms.write_text("跳跃表\n", encoding="utf-8")
    build(tmp_path / "bm25", COURSE)
    with pytest.raises(StoreError, match="another tokeniser"):
        open_lexical(tmp_path / "bm25", open_tokenizer(terms))


def test_a_missing_index_says_how_to_make_it(tmp_path):
    with pytest.raises(StoreError) as caught:
        open_lexical(tmp_path / "bm25", TOKENS)
    assert "edu index" in caught.value.hint
    assert facts_of(tmp_path / "bm25") == {}


def test_damage_is_told_and_the_next_build_mends_it(tmp_path):
    build(tmp_path, COURSE)
    victim = next(tmp_path.glob("g-*/terms.npy"))
    victim.write_bytes(victim.read_bytes()[:-8])
    with pytest.raises(StoreError, match="damaged"):
        open_lexical(tmp_path, TOKENS)
    build(tmp_path, COURSE)
    assert names(open_lexical(tmp_path, TOKENS), "跳跃表")[0] == "a"


@pytest.mark.parametrize(
    "name", ["terms.npy", "ends.npy", "rows.npy", "values.npy", "child_ids.npy", "docs.npy", "names.json", "counts.npy"]
)
@pytest.mark.parametrize("harm", ["flip", "zero", "folder"])
def test_a_file_whose_content_changed_is_never_a_crash_and_is_built_anew(tmp_path, name, harm):
    build(tmp_path, COURSE)
    victim = next(tmp_path.glob(f"g-*/{name}"))
    content = bytearray(victim.read_bytes())
    if harm == "folder":
        victim.unlink()
        victim.mkdir()
    elif harm == "zero":
        victim.write_bytes(bytes(len(content)))
    else:
        content[-5] ^= 0x7F
        victim.write_bytes(content)
    with contextlib.suppress(StoreError):
        open_lexical(tmp_path, TOKENS).search("跳跃表 C++ 时间复杂度", 5, Scope())
    assert harm == "folder" or damaged_files(tmp_path) == [name]
    asked = []
    build(tmp_path, COURSE, asked=asked)
    assert sorted(asked) == sorted(COURSE), "nothing of a damaged index is used again"
    assert damaged_files(tmp_path) == []
    assert names(open_lexical(tmp_path, TOKENS), "跳跃表")[0] == "a"


def test_an_index_of_another_format_counts_as_absent(tmp_path):
    build(tmp_path, COURSE)
    current = tmp_path / "current.json"
    current.write_text(current.read_text().replace('"format": 2', '"format": 1'))
    assert facts_of(tmp_path) == {}
    with pytest.raises(StoreError, match="no BM25 index"):
        open_lexical(tmp_path, TOKENS)
    build(tmp_path, COURSE)
    assert names(open_lexical(tmp_path, TOKENS), "跳跃表")[0] == "a"


def test_a_word_held_by_few_rows_weighs_more(tmp_path):
    build(tmp_path, COURSE)
    index = open_lexical(tmp_path, TOKENS)
    everywhere, rare, unknown = index.idf(["时间", "红黑树", "量子"])
    assert everywhere < rare < unknown


TEXT = st.text(alphabet="数据库事务索引树ab ，", max_size=12)
CORPUS = st.dictionaries(st.sampled_from([f"c{i}" for i in range(8)]), TEXT, max_size=8)


@settings(max_examples=20, deadline=None)
@given(st.lists(CORPUS, min_size=1, max_size=4))
def test_any_history_of_builds_equals_a_clean_build(tmp_path_factory, history):
    grown, clean = tmp_path_factory.mktemp("grown"), tmp_path_factory.mktemp("clean")
    for corpus in history:
        build(grown, corpus)
    build(clean, history[-1])
    left, right = (open_lexical(path, TOKENS) for path in (grown, clean))
    assert left.table.child_ids.tolist() == right.table.child_ids.tolist()
    for name in ("terms", "ends", "rows", "values"):
        assert getattr(left.postings, name).tolist() == getattr(right.postings, name).tolist()
