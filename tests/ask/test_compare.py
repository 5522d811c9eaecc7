"""Answers to comparisons, made of what sets the things side by side."""

from __future__ import annotations

import pytest

from edu_cli.ask.generation.compare import comparing
from edu_cli.ask.generation.extract import as_answer, extract_parts
from edu_cli.ask.plan.strategy import split_question, things_compared
from edu_cli.types import Passage

THINGS = ("ListA", "ListB")


def passage(text: str, *section: str, doc: str = "讲义.md") -> Passage:
    return Passage(1, 1.0, doc, "讲义", section, None, "", f"{doc}{section}", doc, doc, text, text, {})


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("栈和队列有什么区别？", ("栈", "队列")),
        ("对比 Redis 的 RDB 和 AOF", ("RDB", "AOF")),
        ("比较 Kafka 和 RocketMQ", ("Kafka", "RocketMQ")),
        ("接口和抽象类有什么共同点和区别？", ("接口", "抽象类")),
        ("甲、乙和丙有什么不同", ("甲", "乙", "丙")),
        ("学费和住宿费分别是多少？", ()),
        ("讲讲闭包和装饰器", ()),
        ("什么是栈？", ()),
    ],
)
def test_what_is_compared_is_named(question: str, things: tuple[str, ...]) -> None:
    assert things_compared(question) == things


def test_a_comparison_is_searched_thing_by_thing_without_what_it_asks_of_both() -> None:
    assert split_question("接口和抽象类有什么共同点和区别？") == (
        "接口是什么，有什么特点？",
        "抽象类是什么，有什么特点？",
    )


def test_what_stands_under_a_heading_that_compares_them_is_quoted_first_of_all_what_names_more() -> None:
    beside = passage("ListA 和 ListB 常被放在一起讲。", "概览")
    under = passage(
        "见下图。\n- ListA 查得快。\n- ListA 查得快而 ListB 改得快。\n- 两者都有序吗？", "ListA 与 ListB 的区别"
    )
    found = comparing(THINGS, [beside, under])
    assert [piece.text for piece in found] == ["- ListA 查得快。", "- ListA 查得快而 ListB 改得快。"]
    assert {piece.n for piece in found} == {2}


def test_a_table_whose_head_names_all_is_quoted_whole() -> None:
    rows = "| 查找一项 | 快 | 慢 |\n| 改动一项 | 慢 | 快 |"
    text = f"对照如下：\n\n| 特性 | ListA | ListB |\n| --- | --- | --- |\n{rows}\n\nListA 很常用。"
    (piece,) = comparing(THINGS, [passage("ListA 和 ListB 都是表。"), passage(text)])
    assert piece.n == 2
    assert rows in piece.shown


def test_without_such_a_heading_a_sentence_must_name_all() -> None:
    found = comparing(THINGS, [passage("ListA 是表。ListB 比 ListA 省内存。LinkedListA 和 ListB 无关。")])
    assert [piece.text for piece in found] == ["ListB 比 ListA 省内存。"]
    assert comparing(THINGS, [passage("ListA 是表。")]) == []


def test_where_nothing_names_both_each_has_its_own_sentence_and_no_namesake_is_quoted() -> None:
    question = "ListA 和 ListB 有什么区别？"
    passages = [passage("ListA 是数组做的表，特点是查得快。"), passage("LinkedListB 是另一种表，特点是改得快。")]
    text = as_answer(extract_parts(question, split_question(question), passages, things_compared(question)))
    assert "ListA 是数组做的表" in text
    assert "LinkedListB" not in text


def test_an_answer_to_a_comparison_stays_short() -> None:
    lines = "".join(f"ListA 的第{i}点和 ListB 的第{i}点不同。" for i in range(40))
    found = comparing(THINGS, [passage(lines, "ListA 与 ListB 的区别") for _ in range(4)])
    assert 1 <= len(found) <= 4
    assert sum(len(piece.shown) for piece in found) <= 700
