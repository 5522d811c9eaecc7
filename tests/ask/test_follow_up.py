"""Follow-ups made complete by rule, from the last question and its answer."""

from __future__ import annotations

import pytest
from asking import LEAF, FixedSearch, asked
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.ask.plan.follow_up import is_follow_up, items_of, points_at_nothing, standalone_by_rule
from edu_cli.ask.plan.strategy import choose_strategy
from edu_cli.types import Message, SessionTurn

SORTS = SessionTurn("有哪些排序算法？", "有哪些排序算法？", "1. 冒泡排序：相邻交换[1]\n2. 快速排序[1]\n3. 归并排序[2]")
FEES = SessionTurn("退费怎么算？", "退费怎么算？", "1. 开课前全额退；2. 开课后扣 5%；3. 过半不退。[1]")
TWO = SessionTurn("光反应和暗反应有什么区别？", "光反应和暗反应有什么区别？", "光反应在类囊体薄膜上[1]。")


@pytest.mark.parametrize(
    ("turn", "question", "complete"),
    [
        (SORTS, "第二个呢？", "排序算法：快速排序"),
        (SORTS, "第三种怎么实现？", "归并排序怎么实现？"),
        (SORTS, "那最后一个呢", "排序算法：归并排序"),
        (SORTS, "前者和后者哪个快？", "冒泡排序和快速排序哪个快？"),
        (SORTS, "第九个呢？", "排序算法，第九个呢？"),
        (FEES, "第二种情况呢？", "退费：开课后扣 5%"),
        (FEES, "上面说的第三条是什么意思", "过半不退是什么意思"),
        (FEES, "那要多久？", "退费，要多久？"),
        (FEES, "还有吗", "退费，还有吗"),
        (TWO, "前者在哪里进行？", "光反应在哪里进行？"),
        (TWO, "后者呢？", "暗反应是什么，有什么特点？"),
        (TWO, "它们的共同点是什么", "光反应和暗反应的共同点是什么"),
    ],
)
def test_what_a_follow_up_points_at_is_named(turn: SessionTurn, question: str, complete: str) -> None:
    assert is_follow_up(question)
    assert standalone_by_rule(question, [turn]) == complete


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("1. 甲[1]\n2. 乙，很快[2]\n", ("甲", "乙")),
        ("- 甲：慢\n- 乙（快）", ("甲", "乙")),
        ("① 甲；② 乙", ("甲", "乙")),
        ("常见的有：甲、乙、丙。[1]", ("甲", "乙", "丙")),
        ("分为甲、乙和丙[1]。", ("甲", "乙", "丙")),
        ("只有一句话。", ()),
        ("", ()),
    ],
)
def test_an_answers_list_is_read_however_it_is_written(answer: str, items: tuple[str, ...]) -> None:
    assert items_of(answer) == items


@pytest.mark.parametrize("question", ["什么是栈？", "栈是什么", "数据库课程的总评怎么算", "比较冒泡排序和快速排序"])
def test_a_short_question_that_names_its_matter_is_complete(question: str) -> None:
    assert not is_follow_up(question)
    assert not points_at_nothing(question)


def test_the_second_one_is_searched_for_by_its_name() -> None:
    history = (Message("user", SORTS.question), Message("assistant", SORTS.answer))
    search = FixedSearch(LEAF)
    answer = asked("第二个怎么实现？", search, history=history)
    assert answer.standalone_question == "快速排序怎么实现？"
    assert [question for question, _ in search.asked] == ["快速排序怎么实现？"]


def test_a_pronoun_without_a_conversation_is_told() -> None:
    assert choose_strategy("它怎么用？").kind == "vague"
    answer = asked("它怎么用？", FixedSearch(LEAF), route="rag")
    assert any("does not name what it is about" in w for w in answer.warnings)


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_follow_up_of_any_answer_gives_a_question(question: str, answer: str) -> None:
    is_follow_up(question)
    assert isinstance(standalone_by_rule(question, [SessionTurn("甲和乙？", "甲和乙？", answer)]), str)
