"""Questions that rules and classifier are in doubt about: when the LLM is asked, and what its failure costs."""

from __future__ import annotations

import pytest
from asking import LEAF, FixedSearch, asked
from scripted_llm import ScriptedChat

from edu_cli.ask.front import classify as classifying
from edu_cli.ask.plan.strategy import DOUBTFUL_CHARS, choose_strategy, split_question
from edu_cli.errors import ChatError

GOOD = "暗反应发生在叶绿体基质中[1]。"
VAGUE = "学习光合作用这一章对理解生态系统有什么意义和帮助？"


class Undecided:
    """A classifier that holds every question general with a fixed probability."""

    labels = ("course", "general")

    def __init__(self, general: float) -> None:
        self.general = general

    def probabilities(self, text: str) -> dict[str, float]:
        return {"general": self.general, "course": 1 - self.general}


@pytest.fixture
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from edu_cli.ask.plan import planning

    monkeypatch.setattr(planning, "route_model", lambda own: Undecided(0.7))


def test_a_doubtful_question_that_the_material_answers_asks_nobody_about_its_route(undecided: None) -> None:
    answer = asked("暗反应发生在哪里？", FixedSearch(LEAF), ScriptedChat(GOOD))
    assert (answer.route, answer.llm.calls) == ("rag", 1)


def test_a_doubtful_question_without_an_answer_in_the_material_is_decided_by_the_llm(undecided: None) -> None:
    search = FixedSearch(LEAF, confidence=0.1)
    answer = asked("今天适合喝什么茶？", search, ScriptedChat('{"route": "general"}', "绿茶。"))
    assert (answer.route, answer.llm.calls) == ("general", 2)
    assert asked("今天适合喝什么茶？", search, ScriptedChat('{"route": "course"}')).refused


@pytest.mark.parametrize("replies", [("茶", "也是茶"), (ChatError("down"),)])
def test_where_the_llm_cannot_decide_a_doubtful_question_counts_as_one_about_the_course(
    undecided: None, replies: tuple
) -> None:
    answer = asked("今天适合喝什么茶？", FixedSearch(LEAF, confidence=0.1), ScriptedChat(*replies))
    assert (answer.route, answer.refused) == ("rag", True)


def test_without_an_llm_a_doubtful_question_counts_as_one_about_the_course(undecided: None) -> None:
    assert asked("今天适合喝什么茶？", FixedSearch(LEAF, confidence=0.1)).route == "rag"


def test_a_sure_question_is_never_put_to_the_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert classifying.GENERAL_FROM == 0.85
    answer = asked("你们的课程几点上课？", FixedSearch(LEAF, confidence=0.1), ScriptedChat())
    assert (answer.refused, answer.llm.calls) == (True, 0)


def test_only_long_open_questions_are_doubtful() -> None:
    assert len(VAGUE) >= DOUBTFUL_CHARS
    assert choose_strategy(VAGUE).doubtful
    for clear in (
        "讲讲光合作用",
        "暗反应发生在哪里？",
        "光反应和暗反应分别发生在叶绿体的什么位置？",
        "什么是光合作用的暗反应，它发生在哪里呢",
    ):
        assert not choose_strategy(clear).doubtful, clear


def test_the_llm_chooses_the_strategy_of_a_doubtful_question() -> None:
    answer = asked(VAGUE, FixedSearch(LEAF), ScriptedChat('{"strategy": "direct"}', GOOD), route="rag")
    assert (answer.strategy, answer.kind, answer.llm.calls) == ("direct", "precise", 2)
    step = next(s for s in answer.steps if s.name == "strategy")
    assert step.prompts[0].startswith("strategy@")
    assert step.tokens > 0


@pytest.mark.parametrize("replies", [("不知道", "还是不知道"), (ChatError("down"),), ('{"strategy": "magic"}', "{}")])
def test_a_choice_of_strategy_that_fails_leaves_the_rule_and_is_told(replies: tuple) -> None:
    answer = asked(
        VAGUE, FixedSearch(LEAF), ScriptedChat(*replies, "光合作用是生态系统能量的来源。", GOOD), route="rag"
    )
    assert answer.strategy == "hyde"
    assert any("strategy was chosen by rule" in w for w in answer.warnings)


def test_a_plan_tells_what_it_would_run_as_without_an_llm() -> None:
    answer = asked(VAGUE, FixedSearch(LEAF), plan=True, route="rag")
    assert answer.strategy == "hyde"
    assert "needs an LLM" in answer.steps[-1].detail


def test_the_route_of_a_plan_is_that_of_the_answer_where_the_material_has_none() -> None:
    question = "用Python写一段代码反转一个链表"
    planned = asked(question, FixedSearch(LEAF, confidence=0.1), plan=True)
    answer = asked(question, FixedSearch(LEAF, confidence=0.1))
    assert planned.route == answer.route == "general"
    assert answer.refused
    assert "the material is looked at first" in planned.steps[-2].detail


@pytest.mark.parametrize(
    "question", ["怎样减少死锁？请不要编造。", "怎样减少死锁？谢谢老师！", "怎样减少死锁？简要回答"]
)
def test_a_courtesy_after_a_question_is_no_second_question(question: str) -> None:
    assert choose_strategy(question).strategy == "direct"
    assert split_question(question) == ()


def test_a_general_question_is_looked_at_with_what_needs_no_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edu_cli.ask.plan.planning.route_model", lambda own: Undecided(0.99))
    search = FixedSearch(LEAF)
    asked("光反应和暗反应有什么区别？", search, ScriptedChat(GOOD))
    assert len(search.asked) == 3
    vague = asked(VAGUE, FixedSearch(LEAF), ScriptedChat(GOOD))
    assert (vague.strategy, vague.llm.calls) == ("direct", 1)


def test_several_things_to_be_told_of_are_searched_one_by_one() -> None:
    question = "讲讲闭包、装饰器和生成器"
    assert choose_strategy(question).strategy == "multi_query"
    assert [part[:3] for part in split_question(question)] == ["闭包是", "装饰器", "生成器"]
    assert choose_strategy("讲讲光合作用").strategy == "hyde"
    assert split_question("讲讲光合作用") == ()
