"""Rules that choose the strategy, and rewrites."""

from __future__ import annotations

import pytest
from scripted_llm import ScriptedChat

from edu_cli.ask.plan.follow_up import is_follow_up, standalone_by_rule, topic_of
from edu_cli.ask.plan.rewrite import sub_questions
from edu_cli.ask.plan.strategy import choose_strategy, split_question
from edu_cli.prompts import Prompt
from edu_cli.types import SessionTurn

PROMPT = Prompt("p", "…", "p.md")


@pytest.mark.parametrize(
    ("question", "strategy"),
    [
        ("实验报告什么时候交", "direct"),
        ("深度优先和广度优先有什么区别", "multi_query"),
        ("什么是栈？什么是队列？", "multi_query"),
        ("怎样看待代码规范", "hyde"),
        ("我按讲义装了环境，重启三次还是报错，怎么办", "step_back"),
    ],
)
def test_the_strategy_follows_from_the_question(question: str, strategy: str) -> None:
    assert choose_strategy(question).strategy == strategy


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("栈和队列有什么区别？", ("栈是什么，有什么特点？", "队列是什么，有什么特点？")),
        ("什么是栈？什么是队列？", ("什么是栈？", "什么是队列？")),
        ("什么是栈？", ()),
    ],
)
def test_comparisons_are_split_by_rule(question: str, parts: tuple[str, ...]) -> None:
    assert split_question(question) == parts


@pytest.mark.parametrize(
    "reply",
    [
        '["甲是什么", "乙是什么"]',
        '```json\n["甲是什么", "乙是什么",]\n```',
        "1. 甲是什么\n2. 乙是什么",
        '{"questions": ["甲是什么", "乙是什么"]}',
    ],
)
def test_sub_questions_are_read_however_the_model_writes_them(reply: str) -> None:
    assert sub_questions("甲和乙", ScriptedChat(reply), PROMPT) == ("甲是什么", "乙是什么")


def test_unusable_sub_questions_are_asked_for_once_more() -> None:
    assert sub_questions("甲和乙", ScriptedChat("好的。", '["甲是什么", "乙是什么"]'), PROMPT) == (
        "甲是什么",
        "乙是什么",
    )
    assert sub_questions("甲和乙", ScriptedChat("好的。", "不行。"), PROMPT) == ()


@pytest.mark.parametrize(
    ("follow_up", "standalone"),
    [
        ("那它多少钱？", "Python 课程多少钱？"),
        ("Java 课程呢？", "Java 课程什么时候开班？"),
        ("为什么？", "Python 课程，为什么？"),
    ],
)
def test_follow_ups_are_completed_by_rule(follow_up: str, standalone: str) -> None:
    turns = [SessionTurn("Python 课程什么时候开班？", "Python 课程什么时候开班？", "九月。")]
    assert is_follow_up(follow_up)
    assert standalone_by_rule(follow_up, turns) == standalone


def test_another_thing_takes_the_place_of_whose_it_was() -> None:
    turns = [SessionTurn("Python 课程的学费是多少？", "Python 课程的学费是多少？", "2680 元。")]
    assert standalone_by_rule("那数据库课程呢？", turns) == "数据库课程的学费是多少？"


def test_a_complete_question_is_no_follow_up() -> None:
    assert not is_follow_up("数据库课程的总评怎么算")
    assert topic_of("退费怎么算") == "退费"
    assert topic_of("什么是闭包？") == "闭包"
