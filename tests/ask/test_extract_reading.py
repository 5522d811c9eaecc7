"""Extractive answers whose likeliest sentences a cross-encoder reads, and what a quotation brings with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from asking import FixedSearch, tools

from edu_cli.ask.generation.compare import comparing
from edu_cli.ask.generation.extract import as_answer, extract, extract_parts
from edu_cli.ask.generation.extract_features import NAMES
from edu_cli.ask.generation.extract_model import CLOSE, closest, load_model, read_odds, reading_model
from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest
from edu_cli.protocols import Reranker
from edu_cli.types import Passage

DEADLOCK = """死锁的必要条件：
- 互斥：资源不能共享。
- 占有和等待：占着一个，等另一个。
- 不可抢占：资源不能被夺走。
- 环路等待：进程排成一个环。

死锁检测可以用资源分配图。
"""


class KeywordReader:
    """A Reranker that believes what holds a keyword, and keeps what it was shown."""

    def __init__(self, keyword: str, name: str = "cross") -> None:
        self.keyword, self.name = keyword, name
        self.shown: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        del question
        self.shown += passages
        return [0.99 if self.keyword in text else 0.001 for text in passages]


def passage(text: str, *section: str, title: str = "讲义") -> Passage:
    return Passage(1, 1.0, "讲义.md", title, section, None, "", text[:9], text[:9], "d", text, text, {})


MANY = passage("".join(f"第{i}讲说的是另一件事。" for i in range(30)) + "报名截止到周五。", "报名")


def test_a_reader_is_shown_a_dozen_pieces_with_their_heading_and_moves_the_choice() -> None:
    reader: Reranker = KeywordReader("周五")
    found = extract("报名到什么时候为止？", [MANY], reader)
    assert found[0].text == "报名截止到周五。"
    assert isinstance(reader, KeywordReader)
    assert len(reader.shown) == CLOSE
    assert all(text.startswith("讲义 › 报名\n") for text in reader.shown)


def test_a_reader_without_coefficients_of_its_own_is_not_asked() -> None:
    reader = KeywordReader("周五", name="bge")
    assert extract("报名到什么时候为止？", [MANY], reader) == extract("报名到什么时候为止？", [MANY])
    assert not reader.shown


def test_the_readers_word_counts_for_a_piece() -> None:
    model = reading_model("cross")
    assert model
    assert model.weights[len(NAMES)] > 0
    assert len(load_model().weights) == len(NAMES)


def test_certainties_of_a_reader_have_finite_log_odds() -> None:
    class Sure(KeywordReader):
        def score(self, question: str, passages: Sequence[str]) -> list[float]:
            return [0.0, 1.0]

    assert np.isfinite(read_odds(Sure(""), "？", ["", ""], ["一", "二"])).all()
    assert closest(np.array([0.1, 0.9, 0.5])) == [1, 2, 0]


@pytest.mark.parametrize(
    ("rerank", "mode", "reads"), [(True, "hybrid", True), (False, "hybrid", False), (True, "bm25", False)]
)
def test_sentences_are_read_where_passages_are(rerank: bool, mode: str, reads: bool) -> None:
    opened: list[str] = []
    reader = KeywordReader("周五")

    def open_reader() -> Reranker:
        opened.append("reader")
        return reader

    given = tools(FixedSearch(MANY.context))
    given = replace(given, reader=open_reader)
    ask(AskRequest("课程报名到什么时候为止？", rerank=rerank, mode=mode, route="rag"), given)
    assert bool(opened) == reads


@pytest.mark.parametrize("question", ["产生死锁的四个必要条件是什么？", "死锁有哪些必要条件？"])
def test_a_list_that_is_asked_for_is_quoted_whole_and_alone(question: str) -> None:
    text = as_answer(extract(question, [passage(DEADLOCK, "死锁")]))
    assert all(name in text for name in ("互斥", "占有和等待", "不可抢占", "环路等待"))
    assert "资源分配图" not in text


def test_an_open_quotation_goes_on_to_its_end_and_a_name_comes_with_its_pronoun() -> None:
    text = (
        "1950 年图灵发表了论文。他提出了图灵测试：“一个人和对方进行一系列问答。若分不清对方是人是机器，它就是智能的”。"
    )
    (found, *_) = extract("谁提出了图灵测试？", [passage(text)])
    assert found.text == text


def test_pieces_that_overlap_are_quoted_once() -> None:
    text = "扩容能解决冲突。这是因为桶多了，冲突就少了。"
    answer = as_answer(extract("冲突为什么少了，怎么解决冲突？", [passage(text, "冲突")]))
    assert answer.count("扩容能解决冲突") == 1


def test_what_says_what_a_term_is_wins_over_what_opens_a_passage() -> None:
    opening = passage("列表和元组都可以支持拼接、索引和切片，因为它们就是按一定顺序构成的序列。", "总结", title="元组")
    told = passage("在 Python 语言中，元组也是多个元素按照一定顺序构成的序列。", "定义", title="元组")
    assert extract("什么是元组？", [opening, told])[0].n == 2


def test_a_clause_on_each_sets_two_things_apart() -> None:
    apart = "ListA 会加锁，ListB 不会。"
    beside = "ListA 和 ListB 都在同一个包里。"
    assert [piece.text for piece in comparing(("ListA", "ListB"), [passage(beside + apart)])] == [apart]


def test_each_thing_is_told_of_from_under_its_own_heading() -> None:
    passages = [passage("把数据写进快照文件。", "RDB"), passage("把每条写命令追加到日志。", "AOF")]
    found = extract_parts("RDB 和 AOF 有什么区别？", (), passages, ("RDB", "AOF"))
    assert {(piece.n, piece.text) for piece in found} == {(1, "把数据写进快照文件。"), (2, "把每条写命令追加到日志。")}


def test_the_question_of_an_faq_entry_is_never_its_answer() -> None:
    entry = replace(passage("求的是谁的平均值\n先随机取几个点。\n再求每一簇的平均值。"), doc="问答.csv")
    text = as_answer(extract("求的是谁的平均值？", [entry]))
    assert "求的是谁" not in text
    assert "每一簇的平均值" in text


def test_what_says_nothing_of_the_name_asked_for_is_not_quoted() -> None:
    other, own = passage("虚拟环境的目的是把依赖隔开。"), passage("主成分分析（PCA）用来把数据降到低维。")
    assert {piece.n for piece in extract("PCA 的目的", [other, own])} == {2}


def test_a_formula_is_no_answer_to_why_and_one_to_what_the_formula_is() -> None:
    both = passage("f(x) = 1 / (1 + exp(-x))\n\n激活函数给网络带来非线性。", "激活函数")
    assert as_answer(extract("为什么需要激活函数？", [both])) == "激活函数给网络带来非线性。[1]"
    assert "exp" in as_answer(extract("激活函数的公式", [both]))


def test_what_stands_under_the_heading_that_is_asked_about_goes_before_what_only_names_it() -> None:
    beside = passage("Redis 有 RDB 持久化和 AOF 持久化两种，RDB 持久化的缺点常被问起。", "概述")
    under = passage("出了故障，会丢失最后一次快照之后的数据。", "八、持久化", "1. RDB 持久化")
    assert {piece.n for piece in extract("RDB 持久化有什么缺点", [beside, under])} == {2}


def test_what_is_found_by_meaning_alone_comes_from_the_first_passage_that_may_answer() -> None:
    first, other = passage("虚拟环境把依赖隔开。"), passage("PCA：降到低维。")
    assert [piece.n for piece in extract("PCA 何用", [first, other])] == [2]


def test_a_sentence_that_leads_to_a_formula_comes_with_it() -> None:
    text = "两类分类的损失函数可以写为\n\nL = -log p(y|x)\n\n别的模型另有损失函数。"
    assert "L = -log" in as_answer(extract("两类分类的损失函数是什么？", [passage(text, "损失函数")]))


def test_a_comparison_says_what_each_is_where_the_material_does() -> None:
    text = "精确率（precision）是判对的份额。召回率是找到的份额。筛查看重召回率，过滤看重精确率。"
    assert len(comparing(("精确率", "召回率"), [passage(text)])) == 3
