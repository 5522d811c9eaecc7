"""A hypothetical passage is searched with beside the question, moves the legs' weights, and makes nothing surer."""

from __future__ import annotations

import pytest
from search_corpus import Corpus, corpus, parent

from edu_cli.ask.retrieval.fuse import PARTS, part_weights
from edu_cli.ask.retrieval.hyde import hyde_weights
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.types import Scope, SearchRequest

QUESTION = "怎么看这种结构？"
MADE_UP = "栈是后进先出的线性表，压栈和弹栈都在栈顶进行。"


def course() -> Corpus:
    return corpus(
        parent("栈.md", "栈是后进先出的线性表。\n压栈和弹栈都在栈顶进行。", section=("栈",), subject="ds"),
        parent("树.md", "树的结点有父子之分。\n怎么看这种结构见下一讲。", section=("树",), subject="ds"),
        parent("进程.md", "进程是资源分配的单位。\n线程是调度的单位。", section=("进程",), subject="os"),
    )


def test_what_resembles_the_passage_is_found_and_the_question_still_counts() -> None:
    plain = course().searcher().search(SearchRequest(QUESTION, k=3))
    found = course().searcher().search(SearchRequest(QUESTION, k=3, passage=MADE_UP))
    before = {p.doc: p.sources["dense"].score for p in plain.passages}
    after = {p.doc: p.sources["dense"].score for p in found.passages}
    assert after["栈.md"] > before["栈.md"]
    assert "树.md" in after


@pytest.mark.parametrize("passage", [MADE_UP, "跳表由多层有序链表组成。", QUESTION])
def test_a_made_up_passage_makes_the_answer_no_surer(passage: str) -> None:
    plain = course().searcher().search(SearchRequest(QUESTION, k=3))
    assert course().searcher().search(SearchRequest(QUESTION, k=3, passage=passage)).confidence == plain.confidence


def test_filters_hold_for_the_passage_too() -> None:
    found = course().searcher().search(SearchRequest(QUESTION, k=3, passage=MADE_UP, scope=Scope(subject="os")))
    assert {p.doc for p in found.passages} == {"进程.md"}


def test_without_vectors_the_passage_changes_nothing() -> None:
    words_only = course().searcher(dense=False)
    assert (
        words_only.search(SearchRequest(QUESTION, k=3, passage=MADE_UP)).passages
        == words_only.search(SearchRequest(QUESTION, k=3)).passages
    )


def test_the_weights_of_the_legs_are_moved_by_the_fitted_numbers() -> None:
    model = ranking_for("e5-small").parts
    profile = dict.fromkeys(model.names, 0.0)
    present = dict.fromkeys(PARTS, True)
    as_they_are, moved = (part_weights(model, profile, present, shift) for shift in (None, hyde_weights()))
    assert sum(moved.values()) == pytest.approx(1.0)
    assert (moved["words"] > as_they_are["words"]) == (hyde_weights()["dense"] + hyde_weights()["sparse"] < 0)
