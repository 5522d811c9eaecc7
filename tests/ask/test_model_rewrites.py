"""Follow-ups as small models were seen to rewrite them: answered, repeated, carried on; and what is used."""

from __future__ import annotations

import pytest
from asking import LEAF, FixedSearch, asked
from scripted_llm import ScriptedChat

from edu_cli.ask.plan.follow_up import pointed_out, topic_of
from edu_cli.types import Message, SessionTurn

GOOD = "暗反应发生在叶绿体基质中[1]。"
ASKED, ANSWERED = "什么是暗反应？", "暗反应是光合作用中不需要光的一步[1]。"
TALK = (Message("user", ASKED), Message("assistant", ANSWERED))


@pytest.mark.parametrize(
    "reply",
    [
        "暗反应的要点是它不需要光。",  # answers
        "暗反应是光合作用中不需要光的一步。",  # repeats the answer
        "什么是暗反应？",  # repeats the question before
        "那它有什么要注意的？",  # as it was
        "问：什么是暗反应？\n答：它不需要光吗？",  # goes on with the talk
        "暗反应[1]有什么要注意的？",
        "",
    ],
)
def test_a_reply_that_completes_no_follow_up_is_replaced_by_the_rule_and_told(reply: str) -> None:
    answer = asked("那它有什么要注意的？", FixedSearch(LEAF), ScriptedChat(reply, GOOD), history=TALK)
    assert answer.standalone_question == "暗反应有什么要注意的？"
    assert "the follow-up was completed by rule, since the model's rewrite could not be used" in answer.warnings


@pytest.mark.parametrize(
    ("reply", "understood"),
    [
        ("暗反应要注意哪些方面？", "暗反应要注意哪些方面？"),
        ("改写：暗反应要注意什么？", "暗反应要注意什么？"),
        ("追问：它呢？改写：暗反应要注意什么？", "暗反应要注意什么？"),
    ],
)
def test_a_reply_that_asks_is_used(reply: str, understood: str) -> None:
    answer = asked("那它有什么要注意的？", FixedSearch(LEAF), ScriptedChat(reply, GOOD), history=TALK)
    assert answer.standalone_question == understood
    assert not any("by rule" in warning for warning in answer.warnings)


def test_a_follow_up_that_is_complete_but_for_its_opening_may_stay_as_it_is() -> None:
    question = "那么光反应在哪里进行？"
    answer = asked(question, FixedSearch(LEAF), ScriptedChat(question, GOOD), history=TALK)
    assert answer.standalone_question == question
    assert not any("by rule" in warning for warning in answer.warnings)


def test_what_is_counted_out_is_found_in_the_list_without_a_call() -> None:
    talk = (Message("user", "缓解过拟合有哪些方法？"), Message("assistant", "增加数据、正则化、提前停止、dropout[1]。"))
    answer = asked("第三个是什么意思", FixedSearch(LEAF), ScriptedChat(GOOD), history=talk)
    assert answer.standalone_question == "提前停止是什么意思"


@pytest.mark.parametrize(
    ("answer", "named"),
    [("读未提交、读已提交、可重复读[1]。", "读已提交"), ("它没有列出什么，也没有别的。", ""), ("一句话。", "")],
)
def test_a_chain_that_is_the_whole_answer_is_a_list(answer: str, named: str) -> None:
    assert named in pointed_out("第二个呢", [SessionTurn("有哪些级别？", "有哪些级别？", answer)])
    assert bool(named) == bool(pointed_out("第二个呢", [SessionTurn("有哪些级别？", "有哪些级别？", answer)]))


@pytest.mark.parametrize(
    ("question", "topic"), [("请假怎么办？", "请假"), ("深分页应该怎么做？", "深分页"), ("请介绍一下闭包", "闭包")]
)
def test_a_topic_is_named_as_the_question_names_it(question: str, topic: str) -> None:
    assert topic_of(question) == topic


def test_answers_in_the_place_of_sub_questions_are_not_searched_for() -> None:
    replies = ('["甲是一种树。", "乙是一种草。"]', '["甲的特点是什么？", "乙的特点是什么？"]', GOOD)
    answer = asked("课程里怎样综合运用甲和乙？", FixedSearch(LEAF), ScriptedChat(*replies), strategy="multi-query")
    assert answer.queries[1:] == ("甲的特点是什么？", "乙的特点是什么？")


def test_a_made_up_passage_that_is_too_long_is_searched_with_by_its_beginning() -> None:
    search = FixedSearch(LEAF)
    asked("课程里的暗反应怎么看？", search, ScriptedChat("1. **基质**：暗反应在这里。\n" * 60, GOOD), strategy="hyde")
    assert [passage[:13] for passage in search.made_up] == ["1. **基质**：暗反应"]
    assert len(search.made_up[0]) <= 400
