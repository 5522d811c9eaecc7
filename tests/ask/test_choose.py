"""Which sentences are quoted beside the best one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.generation.choose import Rule, choose
from edu_cli.ask.generation.extract import Extract, as_answer, extract, extract_parts
from edu_cli.types import Passage

RULE = Rule(enough=0.85, least=0.1, share=0.25, most=3, about=0.5)
CLOSURE = "闭包是指内层函数记住了外层函数的变量。"
ASIDE = "为了减少连接，可以有意保留冗余列，这叫反规范化。"


def passage(text: str, *section: str) -> Passage:
    return Passage(1, 1.0, "讲义.md", "讲义", section, None, "", "讲义.md", "p", "c", text, text, {})


def chosen(question: str, sentences: list[str], owners: list[int], shared: list[float], odds: list[float]) -> list[int]:
    return choose(question, sentences, owners, np.array(shared), np.array(odds), RULE)


def test_a_sentence_of_another_passage_must_be_about_the_question() -> None:
    said = [CLOSURE, "闭包记住的是变量本身。", ASIDE]
    assert chosen("闭包记住什么？", said, [1, 1, 4], [0.8, 0.4, 0.2], [0.4, 0.2, 0.2]) == [0, 1]
    assert chosen("闭包记住什么？", said, [1, 1, 4], [0.8, 0.4, 0.4], [0.4, 0.2, 0.2]) == [0, 1, 2]


def test_a_sentence_of_another_passage_must_name_what_the_best_names() -> None:
    said = ["要用 IS NULL 判断。", "判断元素是否在集合中。"]
    assert chosen("怎么判断一个值是 NULL？", said, [1, 2], [0.5, 0.5], [0.5, 0.3]) == [0]


def test_the_numbered_thing_that_was_asked_for_goes_before_its_neighbours() -> None:
    said = ["第一范式要求属性不可再分。", "第三范式要求不传递依赖。"]
    assert chosen("第三范式的要求是什么？", said, [1, 1], [0.5, 0.5], [0.5, 0.3]) == [1]


def test_a_sentence_that_opens_with_the_term_defines_it() -> None:
    said = ["参照完整性要求外键要么为空，要么等于主键的值。", "外键（foreign key）引用另一张表的主键。"]
    assert chosen("什么是外键？", said, [1, 2], [0.5, 0.5], [0.9, 0.05]) == [1]
    assert chosen("什么是外键？", said, [1, 2], [0.5, 0.5], [0.99, 0.001]) == [0]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8))
def test_what_is_chosen_is_never_empty_nor_too_much(rows: list[tuple[int, float, float]]) -> None:
    odds = np.array([row[2] for row in rows])
    owners, shared = [row[0] for row in rows], np.array([row[1] for row in rows])
    found = choose("第2章讲什么？", ["第2章讲排序。"] * len(rows), owners, shared, odds / odds.sum(), RULE)
    assert 1 <= len(found) <= RULE.most
    assert len(set(found)) == len(found)


def test_a_heading_that_shares_a_question_word_brings_no_sentence() -> None:
    text = as_answer(extract("什么是闭包？", [passage(CLOSURE), passage(ASIDE, "四、什么时候反规范化")]))
    assert text == f"{CLOSURE}[1]"


def test_a_sentence_that_only_counts_is_followed_by_what_it_counts() -> None:
    text = "没有规范化的表会有三种异常。插入异常：存不进去。更新异常：要改许多行。删除异常：一起消失。下一节讲范式。"
    found = as_answer(extract("没有规范化的表会有哪三种异常？", [passage(text)]))
    assert "删除异常" in found
    assert "下一节" not in found


def test_a_part_that_says_nothing_alone_brings_no_sentence() -> None:
    whole = "总评由四部分组成：实验占 40%，测验占 15%，项目占 35%，讨论占 10%。"
    other = "精确率回答判为正的里面有多少是对的。"
    question = "总评由哪几部分组成？各占多少？"
    found = extract_parts(question, ("总评由哪几部分组成？", "各占多少？"), [passage(whole), passage(other)])
    assert [piece.text for piece in found] == [whole]


def test_a_sentence_that_the_source_wraps_is_shown_on_one_line() -> None:
    text = "数据库用重做日志（redo log）实现持久性，用回滚日志（undo\nlog）实现原子性。"
    assert as_answer(extract("事务的持久性靠什么实现？", [passage(text)])) == f"{text}[1]".replace("\n", " ")


def test_lines_of_code_stay_lines() -> None:
    code = "SELECT s.id, s.name\nFROM student AS s\nLEFT JOIN enrolment AS e ON e.student_id = s.id;"
    assert as_answer([Extract(1, 0, f"这样查询没有选课的学生：\n\n{code}", 1.0)]).endswith(f"{code}[1]")
