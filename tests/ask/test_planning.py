"""Rules and the bundled classifier that choose route and strategy, and rewrites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scripted_llm import ScriptedChat

from edu_cli.ask.front.classifier import BUCKETS, NgramClassifier, load_classifier, measure, train_classifier
from edu_cli.ask.front.classify import classify, route_model
from edu_cli.ask.plan.follow_up import is_follow_up, standalone_by_rule, topic_of
from edu_cli.ask.plan.rewrite import sub_questions
from edu_cli.ask.plan.strategy import choose_strategy, split_question
from edu_cli.errors import ConfigError, UsageError
from edu_cli.prompts import Prompt
from edu_cli.types import SessionTurn

PROMPT = Prompt("p", "…", "p.md")


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("报名需要带什么材料？", "course"),
        ("Python 课程的学费是多少", "course"),
        ("解释一下什么是红黑树", "general"),
        ("写一段Java代码计算圆的面积", "general"),
        ("学费表用SQL怎么按月汇总，写一个语句", "general"),
    ],
)
def test_questions_about_the_course_are_told_from_general_ones(question: str, label: str) -> None:
    assert classify(question, route_model()).label == label


def test_an_unsure_question_counts_as_one_about_the_course() -> None:
    unsure = NgramClassifier(("course", "general"), np.zeros((2, BUCKETS)), np.array([0.0, 1.5]))
    assert unsure.probabilities("随便问问")["general"] > 0.8
    assert classify("随便问问", unsure).label == "course"


def test_a_classifier_trains_the_same_from_the_same_seed_and_survives_saving(tmp_path: Path) -> None:
    rows = [(f"第{n}门课学费多少", "course") for n in range(20)] + [(f"什么是{n}号定理", "general") for n in range(20)]
    first, second = train_classifier(rows, seed=3), train_classifier(rows, seed=3)
    assert np.array_equal(first.model.weights, second.model.weights)
    assert first.macro_f1 == 1.0
    first.model.save(tmp_path / "m.npz")
    assert measure(load_classifier(tmp_path / "m.npz"), rows)[0] == 1.0


def test_bad_classifiers_and_data_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.npz").write_bytes(b"PK nonsense")
    with pytest.raises(ConfigError, match=r"m\.npz is no classifier"):
        load_classifier(tmp_path / "m.npz")
    with pytest.raises(UsageError, match="two labels"):
        train_classifier([("a", "course")] * 10)


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
