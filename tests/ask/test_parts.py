"""Questions in parts, without an LLM: each part is searched for, and one that has no answer is named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from asking import FixedSearch, asked

from edu_cli.ask.plan.strategy import choose_strategy, searched_parts, split_question
from edu_cli.types import SearchRequest, SearchResult

PLACE = "新生报到时间为 8 月 29 日，地点在东操场。"
BRING = "新生报到需携带录取通知书和身份证。"
BOTH = "新生报到的时间地点和要带什么材料"


class SearchByPart(FixedSearch):
    """A search that is sure of some questions only."""

    def __init__(self, *texts: str, sure: tuple[str, ...]) -> None:
        super().__init__(*texts)
        self.sure = sure

    def search(self, request: SearchRequest) -> SearchResult:
        self.texts = tuple(
            sorted(self.texts, key=lambda text: ("材料" in request.question) != (text == BRING))
        )  # its own first
        found = super().search(request)
        return replace(found, confidence=0.9 if request.question in self.sure else 0.2)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (BOTH, ("新生报到的时间地点？", "新生报到要带什么材料？")),
        ("报到要带什么材料，学费是多少？", ("报到要带什么材料？", "学费是多少？")),
        ("什么是过拟合，怎么避免？", ("什么是过拟合？", "过拟合怎么避免？")),
        ("总评由哪几部分组成，各占多少？", ()),
        ("没有学分的课程，怎么补修？", ()),
        ("蟾蜍的皮肤在哪里含有什么物质？", ()),
        ("三角形的内角和为什么是 180 度？", ()),
    ],
)
def test_a_sentence_that_asks_two_things_is_split_where_each_can_stand_alone(
    question: str, parts: tuple[str, ...]
) -> None:
    assert split_question(question) == parts
    assert (choose_strategy(question).strategy == "multi_query") == bool(parts)


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("MySQL 8 默认用什么编码？5.7 呢？", ("MySQL 8 默认用什么编码？", "MySQL 8 默认用什么编码，5.7 呢？")),
        (
            "老年代和新生代按几比几分？用哪个参数改？",
            ("老年代和新生代按几比几分？", "老年代和新生代按几比几分，用哪个参数改？"),
        ),
        ("强化学习由什么组成？目标是什么？", ("强化学习由什么组成？", "强化学习由什么组成，目标是什么？")),
        ("虚拟线程要池化吗？计算任务用它会快吗？", ("虚拟线程要池化吗？", "虚拟线程要池化吗，计算任务用它会快吗？")),
        ("贪心会不会算错？举个例子", ("贪心会不会算错？", "贪心会不会算错，举个例子？")),
        ("栈是什么？队列是什么？用什么实现？", ("栈是什么？", "队列是什么？", "队列是什么，用什么实现？")),
        ("zxid 多少位，高低位分别存什么", ("zxid 多少位？", "zxid 多少位，高低位分别存什么？")),
        (
            "备忘录模式适合用在哪？和命令模式有啥不一样？",
            ("备忘录模式适合用在哪？", "备忘录模式适合用在哪，和命令模式有啥不一样？"),
        ),
        ("报到要带什么材料？学费是多少？", ("报到要带什么材料？", "学费是多少？")),
        ("什么是栈？什么是队列？", ("什么是栈？", "什么是队列？")),
    ],
)
def test_a_part_that_leans_on_another_is_searched_together_with_it(question: str, searched: tuple[str, ...]) -> None:
    assert searched_parts(split_question(question)) == searched


def test_a_repeated_question_is_one_and_a_long_row_of_them_is_cut_and_told() -> None:
    assert split_question("学费是多少？" * 100 + "什么时候报到？") == ("学费是多少？", "什么时候报到？")
    search = SearchByPart(PLACE, sure=())
    answer = asked("".join(f"第{n}周要交什么作业？" for n in range(30)), search)
    assert "30 questions at once: the first 8 were looked for" in answer.warnings
    assert len(answer.queries) <= 9


def test_each_part_that_the_material_answers_is_answered() -> None:
    search = SearchByPart(PLACE, BRING, sure=("新生报到的时间地点？", "新生报到要带什么材料？"))
    answer = asked(BOTH, search)
    assert not answer.refused
    assert PLACE in answer.answer
    assert BRING in answer.answer
    assert "没有找到" not in answer.answer


def test_the_part_that_has_no_answer_is_named() -> None:
    answer = asked("报到的时间是哪天，学费是多少？", SearchByPart(PLACE, BRING, sure=("报到的时间是哪天？",)))
    assert "8 月 29 日" in answer.answer
    assert answer.answer.endswith("资料中没有找到可靠的答案：学费是多少？")
    assert all("学费" not in citation.quote for citation in answer.citations)


def test_a_part_that_leans_on_the_other_is_not_said_to_have_no_answer() -> None:
    question = "报到要带什么？分别交给谁？"
    answer = asked(question, SearchByPart(PLACE, BRING, sure=(question, "报到要带什么？")))
    assert "没有找到" not in answer.answer


def test_without_a_sure_part_the_question_is_declined() -> None:
    assert asked(BOTH, SearchByPart(PLACE, BRING, sure=())).refused
