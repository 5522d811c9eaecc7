"""How a cross-encoder's answers are weighed: order, scores, confidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from search_corpus import corpus, parent

from edu_cli.ask.retrieval.confidence import confidence
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.reading import Reading, reading_for
from edu_cli.ask.retrieval.rerank import by_reranker, reordered

COURSE = corpus(
    *(
        parent(f"课{i}.md", f"第{i}课讲线性表的第{i}种用法。\n例子见习题{i}。", section=(f"第{i}课",))
        for i in range(30)
    ),
    parent("进程.md", "进程是资源分配的单位。\n线程是调度的单位。", section=("进程",)),
)


def examined(question: str = "线性表的用法") -> Examined:
    searcher = COURSE.searcher()
    return searcher.examine(question, searcher.encode(question))


FOUND = examined()


class Liking:
    """Likes passages that hold a word; remembers what it was shown."""

    def __init__(self, name: str, word: str) -> None:
        self.name, self.word = name, word
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.seen = list(passages)
        return [0.95 if self.word in passage else 0.05 for passage in passages]


def test_only_the_first_passages_are_read_and_the_rest_stay_below_in_their_order() -> None:
    found = examined()
    reading = reading_for("cross")
    reranker = Liking("cross", "第7课")
    order = by_reranker(found, reranker, "线性表的用法")
    fused = found.fused.order()
    assert len(reranker.seen) == reading.passages < len(fused)
    assert set(order.rows[: reading.passages]) == set(fused[: reading.passages])
    assert order.rows[reading.passages :].tolist() == fused[reading.passages :].tolist()
    shown = order.scores[order.rows]
    assert (np.diff(shown) <= 1e-12).all()


def test_the_bundled_reranker_orders_only_and_others_judge_too() -> None:
    bundled, other = reading_for("cross"), reading_for("bge")
    assert 0 < bundled.share < other.share < 1
    assert (bundled.judges, other.judges) == (False, True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=31, max_size=31), st.floats(0, 1))
def test_scores_stay_in_bounds_and_a_likelier_passage_never_falls(chances: list[float], share: float) -> None:
    found = FOUND
    before = np.array(chances)[: len(found.parents)]
    reading = Reading(9, 300, share, judges=False)
    order = reordered(found, reading, before)
    assert ((order.scores >= 0) & (order.scores <= 1 + 1e-9)).all()
    assert (np.diff(order.scores[order.rows]) <= 1e-12).all()
    row = int(found.fused.order()[4])
    after = before.copy()
    after[row] = 1.0
    places = [one.rows.tolist().index(row) for one in (order, reordered(found, reading, after))]
    assert places[1] <= places[0]


def test_only_a_reader_that_judges_is_believed_alone() -> None:
    found, ranking = examined(), ranking_for("e5-small")
    for chance in (0.02, 0.98):
        said = np.full(len(found.parents), chance)
        assert confidence(found, reordered(found, reading_for("bge"), said), ranking) == chance
        assert confidence(found, reordered(found, reading_for("cross"), said), ranking) != chance


def test_a_question_that_finds_nothing_is_not_read() -> None:
    searcher = COURSE.searcher(dense=False)
    nothing = searcher.examine("zzqqx", None, mode="bm25")
    order = by_reranker(nothing, Liking("cross", "课"), "zzqqx")
    assert len(order.rows) == 0
    assert confidence(nothing, order, ranking_for(None)) == 0.0
