from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from search_corpus import corpus, parent

from edu_cli.ask.retrieval import ranking
from edu_cli.ask.retrieval.confidence import confidence, confidence_features, is_strange
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.reading import reading_for
from edu_cli.ask.retrieval.rerank import Order, by_fusion, reordered

COURSE = corpus(
    parent("栈.md", "栈是后进先出的线性表。\n压栈和弹栈都在栈顶进行。", section=("栈",)),
    parent("队列.md", "队列是先进先出的线性表。\n入队在队尾，出队在队头。", section=("队列",)),
    parent("进程.md", "进程是资源分配的单位。\n线程是调度的单位。", section=("进程",)),
)


def examined(question: str, mode: str = "hybrid") -> Examined:
    searcher = COURSE.searcher()
    return searcher.examine(question, searcher.encode(question) if mode != "bm25" else None, mode=mode)


def test_nothing_found_is_no_confidence() -> None:
    nothing = examined("zzqqx", "bm25")
    assert confidence(nothing, by_fusion(nothing), ranking_for(None)) == 0.0


@pytest.mark.parametrize("encoder", ["e5-small", "other", None])
@pytest.mark.parametrize("mode", ["hybrid", "bm25"])
def test_every_fitted_model_finds_its_features(encoder: str | None, mode: str) -> None:
    found = examined("压栈在哪里进行", mode)
    ranking, order = ranking_for(encoder), by_fusion(found)
    read = reordered(found, reading_for("cross"), np.linspace(0.1, 0.8, len(found.parents)))
    assert set(ranking.confidence.names) <= set(confidence_features(found, order))
    assert set(ranking.read_confidence.names) <= set(confidence_features(found, read))
    assert 0 < confidence(found, order, ranking) < 1
    assert 0 < confidence(found, read, ranking) < 1


@pytest.mark.parametrize("mode", ["hybrid", "bm25"])
def test_a_question_that_the_text_answers_is_surer_than_one_it_does_not(mode: str) -> None:
    ranking = ranking_for("e5-small" if mode == "hybrid" else None)
    sure, unsure = (
        confidence(found, by_fusion(found), ranking)
        for found in (examined("压栈和弹栈都在哪里进行", mode), examined("栈道修建于哪一个朝代", mode))
    )
    assert sure > unsure


def test_a_cross_encoders_best_probability_is_the_confidence() -> None:
    found = examined("压栈在哪里进行")
    n = len(found.parents)
    order = Order(np.arange(n), np.ones(n), reading_for("bge"), np.linspace(0.1, 0.8, n))
    assert confidence(found, order, ranking_for("e5-small")) == pytest.approx(0.8)


def test_what_the_bundled_reader_says_of_the_first_passage_moves_the_confidence() -> None:
    found, ranking = examined("压栈在哪里进行"), ranking_for("e5-small")
    first = by_fusion(found).rows[0]
    sure = []
    for chance in (0.02, 0.5, 0.98):
        said = np.full(len(found.parents), 0.01)
        said[first] = chance
        sure.append(confidence(found, reordered(found, reading_for("cross"), said), ranking))
    assert sure == sorted(sure)
    assert sure[0] < sure[2]


def test_the_likeliest_of_the_passages_seen_counts_beside_the_first() -> None:
    found = examined("压栈在哪里进行")
    rows = by_fusion(found).rows
    said = np.full(len(found.parents), 0.01)
    said[rows[1]] = 0.9
    features = confidence_features(found, reordered(found, reading_for("cross"), said))
    assert features["read_seen"] > features["read_first"]


def test_sentences_are_read_in_pairs() -> None:
    found = examined("入队")
    assert 0 < confidence_features(found, by_fusion(found))["seen_neighbours"] <= 1


def test_names_that_no_passage_seen_has_are_weighed() -> None:
    features = [confidence_features(found, by_fusion(found)) for found in (examined("zzqqx 队列"), examined("队列"))]
    assert [one["unheard"] > 0 for one in features] == [True, False]


def test_a_question_without_words_has_features() -> None:
    found = examined("？？")
    assert confidence_features(found, by_fusion(found))["unheard"] == 0.0


@pytest.mark.parametrize("encoder", ["e5-small", "other", None])
def test_what_speaks_for_an_answer_raises_every_fitted_model(encoder: str | None) -> None:
    speaks = {"first_score", "seen_neighbours", "seen_several", "question_bm25_top", "read_first", "read_seen"}
    ranking = ranking_for(encoder)
    for model in (ranking.confidence, ranking.read_confidence):
        raises = {name for name, weight in zip(model.names, model.weights[:-1, 0], strict=True) if weight > 0}
        assert raises == speaks & set(model.names)


def test_the_confidence_of_a_question_does_not_depend_on_the_fusion_shown() -> None:
    searcher = COURSE.searcher()
    vectors = searcher.encode("压栈在哪里进行")
    found = searcher.examine("压栈在哪里进行", vectors)
    features = confidence_features(found, by_fusion(found))
    assert features["first_score"] == pytest.approx(found.weighed.scores.max())


def test_the_numbers_say_how_they_were_fitted() -> None:
    stored = json.loads(Path(ranking.__file__).with_name("ranking.json").read_text(encoding="utf-8"))
    assert set(stored["encoders"]) == {"e5-small", "other", "none"}
    assert stored["fitted"]["by"] == "bench/fit_search.py"
    assert stored["fitted"]["confidence"]["by"] == "bench/fit_confidence.py"


@pytest.mark.parametrize(
    ("question", "strange"),
    [
        ("什么是量子纠缠？", True),
        ("量子纠缠有哪些特点", True),
        ("请解释量子纠缠的原理", True),
        ("为什么会有黑洞", True),
        ("什么是队列？", False),
        ("讲讲调度的单位", False),
        ("潘淑是哪里人？", False),
        ("量子纠缠是谁在哪一年发现的？", False),
        ("怎么用 optuna 调度？", True),
        ("调度与 short-term 的关系", False),
    ],
)
def test_a_term_or_name_of_which_no_passage_has_a_word_is_strange(question: str, strange: bool) -> None:
    assert is_strange(examined(question, "bm25")) == strange


def test_a_strange_term_is_not_believed() -> None:
    found = examined("什么是量子队列？", "bm25")
    assert is_strange(found)
    assert confidence(found, by_fusion(found), ranking_for(None)) < 0.3
