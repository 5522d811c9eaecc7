from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_corpus import Corpus, corpus, parent

from edu_cli.errors import EncoderError, UsageError
from edu_cli.settings import SearchSettings
from edu_cli.types import Scope, SearchRequest
from edu_cli.wiring.remembering import RememberingEncoder


def course() -> Corpus:
    return corpus(
        parent("跳表.md", "跳表由多层有序链表组成。\n查找的期望复杂度是对数级。", section=("跳表",), subject="ds"),
        parent("栈.md", "栈是后进先出的线性表。\n压栈和弹栈都在栈顶进行。", section=("栈",), subject="ds"),
        parent("队列.md", "队列是先进先出的线性表。\n入队在队尾，出队在队头。", section=("队列",), subject="ds"),
        parent("进程.md", "进程是资源分配的单位。\n线程是调度的单位。", section=("进程",), subject="os"),
    )


@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse", "bm25"])
def test_every_mode_finds_the_passage_that_holds_the_words(mode: str) -> None:
    result = course().searcher().search(SearchRequest("栈是先进先出还是后进先出", k=2, mode=mode))
    assert result.passages[0].doc == "栈.md"
    assert [passage.rank for passage in result.passages] == [1, 2]


def test_a_passage_carries_parent_child_section_page_and_where_each_leg_saw_it() -> None:
    first = course().searcher().search(SearchRequest("压栈在哪里进行", k=1)).passages[0]
    assert (first.doc, first.section, first.page, first.subject) == ("栈.md", ("栈",), 1, "ds")
    assert first.text == "压栈和弹栈都在栈顶进行。"
    assert first.context == "栈是后进先出的线性表。\n压栈和弹栈都在栈顶进行。"
    assert first.child_id == "栈.md#0.1"
    assert set(first.sources) == {"dense", "sparse", "bm25"}
    assert all(source.rank == 1 for source in first.sources.values())


def test_shares_of_the_legs_sum_to_the_fused_score() -> None:
    for passage in course().searcher().search(SearchRequest("线性表", k=4, rerank=False)).passages:
        assert sum(source.share for source in passage.sources.values()) <= passage.score + 1e-5


def test_two_runs_agree_in_everything_but_time() -> None:
    first, second = (course().searcher().search(SearchRequest("线性表", k=4)) for _ in range(2))
    assert first.passages == second.passages
    assert first.confidence == second.confidence


def test_equal_scores_are_ordered_by_id() -> None:
    twins = corpus(*(parent(name, "甲乙丙丁", section=(name,)) for name in ("b", "a", "c")))
    result = twins.searcher().search(SearchRequest("甲乙", k=3, mode="bm25"))
    assert [result.passages[0].doc, *result.passages[0].also] == ["a", "b", "c"]


@pytest.mark.parametrize("question", ["", "   ", "\n\t", "\u3000"])
def test_an_empty_question_is_a_usage_error(question: str) -> None:
    with pytest.raises(UsageError):
        course().searcher().search(SearchRequest(question, k=3))


def test_an_unknown_mode_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="fuzzy"):
        course().searcher().search(SearchRequest("栈", k=3, mode="fuzzy"))


def test_a_question_of_unknown_words_has_no_hits_by_bm25() -> None:
    result = course().searcher().search(SearchRequest("zzqqx", k=3, mode="bm25"))
    assert result.passages == ()
    assert result.confidence == 0.0


def test_k_may_exceed_the_corpus() -> None:
    single = corpus(parent("唯一.md", "青岚塔高 88.6 米。"))
    result = single.searcher().search(SearchRequest("青岚塔的高度是多少", k=50))
    assert [passage.doc for passage in result.passages] == ["唯一.md"]


def test_without_an_encoder_words_alone_search() -> None:
    searcher = course().searcher(dense=False)
    assert searcher.search(SearchRequest("压栈和弹栈", k=1)).passages[0].text == "压栈和弹栈都在栈顶进行。"
    with pytest.raises(EncoderError, match="BM25 only"):
        searcher.search(SearchRequest("压栈和弹栈", k=1, mode="dense"))


def test_without_a_bm25_index_vectors_alone_search() -> None:
    result = course().searcher(words=False).search(SearchRequest("队列是先进先出的线性表", k=1))
    assert result.passages[0].doc == "队列.md"
    assert set(result.passages[0].sources) <= {"dense", "sparse"}


def test_scope_holds_in_every_leg() -> None:
    result = course().searcher().search(SearchRequest("单位", k=4, scope=Scope(subject="os")))
    assert {passage.doc for passage in result.passages} == {"进程.md"}
    none = course().searcher().search(SearchRequest("栈", k=4, scope=Scope(tenant="another")))
    assert none.passages == ()


def test_rrf_ignores_scores() -> None:
    rrf = course().searcher(settings=SearchSettings(fusion="rrf"))
    first = rrf.search(SearchRequest("压栈和弹栈", k=4, rerank=False)).passages[0]
    assert first.doc == "栈.md"
    assert first.score == pytest.approx(1.0)


def test_copies_take_one_place_and_their_documents_stay_known() -> None:
    copies = [parent(f"副本{i}.md", "新生 8 月 29 日报到。\n请带录取通知书和照片。") for i in range(6)]
    other = parent("补充.md", "新生报到还要带户口页。")
    result = corpus(*copies, other).searcher().search(SearchRequest("新生报到带什么", k=3))
    assert sorted(passage.doc for passage in result.passages)[-1] == "补充.md"
    assert len(result.passages) == 2
    first = next(passage for passage in result.passages if passage.doc != "补充.md")
    assert sorted([first.doc, *first.also]) == sorted(copy.doc for copy in copies)


def test_a_parent_that_was_just_removed_is_left_out() -> None:
    whole = course()
    whole.source._parents.pop("栈.md#0")
    assert "栈.md" not in {passage.doc for passage in whole.searcher().search(SearchRequest("栈", k=4)).passages}


class LastFirst:
    """A reranker that likes the passage with a given word."""

    name = "last-first"

    def __init__(self, word: str) -> None:
        self.word = word
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.seen = list(passages)
        return [0.9 if self.word in passage else 0.1 for passage in passages]


def test_a_cross_encoder_decides_the_order_and_the_confidence() -> None:
    reranker = LastFirst("调度")
    result = course().searcher(reranker=reranker).search(SearchRequest("线性表的单位", k=4))
    assert result.passages[0].doc == "进程.md"
    assert result.confidence == pytest.approx(0.9)
    assert all("\n" in passage for passage in reranker.seen)


def test_rerank_off_and_reranker_none_keep_the_fused_order() -> None:
    reranker = LastFirst("调度")
    plain = course().searcher(reranker=reranker).search(SearchRequest("线性表的单位", k=4, rerank=False))
    none = course().searcher(settings=SearchSettings(reranker="none")).search(SearchRequest("线性表的单位", k=4))
    assert [p.doc for p in plain.passages] == [p.doc for p in none.passages]
    assert all(passage.rerank_score is None for passage in plain.passages)
    assert reranker.seen == []


def test_a_question_is_encoded_once_whoever_asks_and_the_oldest_is_forgotten() -> None:
    whole = course()
    calls: list[str] = []
    encode = whole.encoder.encode_questions
    whole.encoder.encode_questions = lambda texts: calls.extend(texts) or encode(texts)  # type: ignore[method-assign]
    shared = RememberingEncoder(whole.encoder)
    searcher = replace(whole, encoder=shared).searcher()  # type: ignore[arg-type]
    for mode in ("hybrid", "dense", "bm25"):
        searcher.search(SearchRequest("栈", k=2, mode=mode))
    shared.encode_questions(["栈"])
    assert calls == ["栈"]
    for n in range(512):
        shared.encode_questions([str(n)])
    shared.encode_questions(["栈"])
    assert calls.count("栈") == 2
    assert shared.encode_questions(["甲", "乙"]).dense.shape == (2, shared.dim)


def test_threads_may_share_a_searcher() -> None:
    searcher = course().searcher()
    expected = searcher.search(SearchRequest("线性表", k=4)).passages
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(searcher.search(SearchRequest("线性表", k=4)).passages))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="栈队列是先进出 的c+#1？\u200b\ud800", min_size=1, max_size=30))
def test_any_question_gives_distinct_parents_with_falling_scores_and_a_probability(question: str) -> None:
    if not question.strip():
        return
    result = course().searcher().search(SearchRequest(question, k=4))
    ids = [passage.parent_id for passage in result.passages]
    scores = [passage.score for passage in result.passages]
    assert len(set(ids)) == len(ids)
    assert scores == sorted(scores, reverse=True)
    assert 0.0 <= result.confidence <= 1.0
