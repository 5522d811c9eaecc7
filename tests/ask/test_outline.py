"""Lists that the material gives as headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from asking import FixedSearch, tools

from edu_cli.ask.generation.outline import is_list, outlined
from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest
from edu_cli.types import Passage

THREADS = [
    ("并发", "五、协作"),
    ("并发", "六、线程状态"),
    ("并发", "六、线程状态", "新建（NEW）"),
    ("并发", "六、线程状态", "阻塞（BLOCKED）"),
    ("并发", "六、线程状态", "死亡（TERMINATED）"),
    ("并发", "六、线程状态", "小结"),
    ("并发", "十、内存模型", "内存模型三大特性", "1. 原子性"),
    ("并发", "十、内存模型", "内存模型三大特性", "2. 可见性"),
    ("并发", "十、内存模型", "内存模型三大特性", "3. 有序性"),
]
STATES = "六、线程状态：\n- 新建（NEW）\n- 阻塞（BLOCKED）\n- 死亡（TERMINATED）"


def passage(*section: str) -> Passage:
    return Passage(1, 1.0, "并发.md", "并发", section, None, "", "p", "c", "doc", "文", "文", {})


def sections_of(doc_id: str) -> Sequence[tuple[str, ...]]:
    assert doc_id == "doc"
    return THREADS


@pytest.mark.parametrize(
    ("question", "section", "said"),
    [
        ("线程有哪几种状态？", THREADS[1], STATES),
        ("线程有哪些状态", THREADS[3], STATES),
        ("线程的三种状态是什么？", THREADS[1], STATES),
        ("線程有哪幾種狀態？", THREADS[1], STATES),
        ("内存模型三大特性是什么", THREADS[6], "内存模型三大特性：\n- 1. 原子性\n- 2. 可见性\n- 3. 有序性"),
        ("线程的五种状态是什么？", THREADS[1], None),  # there are three
        ("线程状态怎么切换？", THREADS[1], None),
        ("进程有哪些状态？", THREADS[1], None),
        ("线程池有哪些状态？", THREADS[1], None),
        ("线程有哪些优先级？", THREADS[1], None),
        ("协作有哪些方式？", THREADS[0], None),  # nothing below it
    ],
)
def test_a_list_of_headings_answers_what_its_heading_names(
    question: str, section: tuple[str, ...], said: str | None
) -> None:
    found = outlined(question, [passage(*section)], sections_of)
    assert (found.text if found else None) == said


NEEDED = "- 互斥：不能共享。\n- 占有和等待：占一个，等一个。\n- 不可抢占：夺不走。\n- 环路等待：排成环。"


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("产生死锁的四个必要条件是什么？", True),
        ("死锁有哪些必要条件？", False),
        ("产生死锁的三个必要条件是什么？", False),
        ("活锁有哪些必要条件？", False),
    ],
)
def test_the_list_under_the_heading_is_the_answer_where_it_has_as_many_items(question: str, is_told: bool) -> None:
    told = replace(passage("死锁", "必要条件"), context=f"死锁要这些条件。\n{NEEDED}\n图中有一个环。")
    found = outlined(question, [told], lambda _doc_id: [])
    assert (found.text if found else None) == (NEEDED if is_told else None)


def test_only_the_first_passages_are_looked_at() -> None:
    others = [passage("并发", "五、协作")] * 3
    assert outlined("线程有哪几种状态？", [*others, passage(*THREADS[1])], sections_of) is None


@pytest.mark.parametrize(
    ("text", "does"), [("有三种：\n- 甲\n- 乙", True), ("1. 甲\n2. 乙", True), ("- 甲", False), ("甲、乙和丙。", False)]
)
def test_a_list_is_known(text: str, does: bool) -> None:
    assert is_list(text) is does


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("一个线程只能处于一种状态。", "节：\n- 新建\n- 死亡[1]"),
        ("节有两种：\n\n- 甲一样的节\n- 乙一样的节", "节有两种：\n\n- 甲一样的节\n- 乙一样的节[1]"),
    ],
)
def test_without_a_list_in_the_text_the_headings_are_the_answer(text: str, answer: str) -> None:
    asking = replace(tools(FixedSearch(text)), outline=lambda _doc_id: [("节", "新建"), ("节", "死亡")])
    assert ask(AskRequest("节有哪几种？"), asking).answer == answer
