"""Answers that are doubted: written again, searched again, within one budget, and never in a loop."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asking import LEAF, FixedSearch, tools
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_llm import ScriptedChat

from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest
from edu_cli.errors import ChatError
from edu_cli.types import Answer

QUESTION = "课程里说暗反应发生在哪里？"
GOOD = "暗反应发生在叶绿体基质中[1]。"
FALSE = "暗反应不发生在叶绿体基质中[1]。"
INVENTED = f"{GOOD}它由卡尔文在1950年发现，获得诺贝尔奖[1]。"
FINE = json.dumps({"grounded": True, "useful": True, "unsupported": [], "why": ""})
NOT_GROUNDED = json.dumps(
    {"grounded": False, "useful": True, "unsupported": ["暗反应发生在叶绿体基质中"], "why": "没有"}
)
USELESS = json.dumps({"grounded": True, "useful": False, "unsupported": [], "why": "没有回答地点"}, ensure_ascii=False)


def answer_of(chat: ScriptedChat, grade: str, search: FixedSearch | None = None, **more: Any) -> Answer:
    return ask(AskRequest(QUESTION), tools(search or FixedSearch(LEAF), chat, grade=grade, **more))


@pytest.mark.parametrize(("grade", "calls"), [("off", 1), ("auto", 1), ("always", 2)])
def test_an_answer_that_is_borne_out_costs_one_call_and_a_grading_only_where_always_asked_for(
    grade: str, calls: int
) -> None:
    answer = answer_of(ScriptedChat(GOOD, FINE), grade)
    assert (answer.answer, answer.llm.calls, answer.warnings) == (GOOD, calls, ())


def test_switched_off_a_sentence_without_ground_is_marked_and_nothing_more_is_asked() -> None:
    answer = answer_of(ScriptedChat(INVENTED), "off")
    assert answer.llm.calls == 1
    assert "未证实" in answer.answer


def test_a_draft_with_sentences_without_ground_is_written_again_once() -> None:
    chat = ScriptedChat(INVENTED, GOOD)
    answer = answer_of(chat, "auto")
    assert (answer.answer, answer.llm.calls, answer.warnings) == (GOOD, 2, ())
    assert "1950" in chat.asked[1][-1].content.split("问题：")[1]  # it is told what was without a ground
    assert [s.name for s in answer.steps][-4:] == ["generate", "verify", "regenerate", "verify"]


def test_a_second_draft_that_is_no_better_leaves_the_first_marked_and_told() -> None:
    answer = answer_of(ScriptedChat(INVENTED, f"{FALSE}{INVENTED}"), "auto")
    assert "不发生" not in answer.answer
    assert "未证实" in answer.answer
    assert any("another try was no better" in w for w in answer.warnings)


def test_a_draft_that_declines_does_not_replace_one_that_says_something() -> None:
    answer = answer_of(ScriptedChat(INVENTED, "资料中没有相关内容。"), "auto")
    assert not answer.refused
    assert "叶绿体基质" in answer.answer


def test_when_the_second_try_fails_the_first_answer_stands() -> None:
    answer = answer_of(ScriptedChat(INVENTED, ChatError("the server is down")), "auto")
    assert "未证实" in answer.answer
    assert any("another try failed: the server is down" in w for w in answer.warnings)


def test_the_grader_of_grounding_has_the_answer_written_again() -> None:
    chat = ScriptedChat(GOOD, NOT_GROUNDED, f"{GOOD}", FINE)
    answer = answer_of(chat, "always")
    assert (answer.llm.calls, answer.warnings) == (4, ())
    given_to_grader = json.loads(chat.asked[1][-1].content)
    assert given_to_grader["answer"] == GOOD
    assert given_to_grader["passages"] == [LEAF]


def test_the_grader_of_use_has_the_question_put_in_other_words_and_searched_again() -> None:
    search = FixedSearch(LEAF)
    answer = answer_of(ScriptedChat(GOOD, USELESS, "暗反应的场所是什么？", GOOD, FINE), "always", search)
    assert [question for question, _ in search.asked] == [QUESTION, "暗反应的场所是什么？"]
    assert answer.queries == (QUESTION, "暗反应的场所是什么？")
    assert answer.warnings == ()


def test_a_model_that_finds_no_answer_gets_one_other_search_where_grading_is_on() -> None:
    refusal = "资料中没有相关内容。"
    answer = answer_of(ScriptedChat(refusal, "暗反应的场所是什么？", GOOD, FINE), "always")
    assert (answer.refused, answer.answer) == (False, GOOD)
    assert answer_of(ScriptedChat(refusal, "暗反应的场所是什么？", refusal), "always").refused


def test_a_verdict_that_cannot_be_read_is_asked_for_once_more_and_then_told() -> None:
    answer = answer_of(ScriptedChat(GOOD, "很好", "还是很好"), "always")
    assert (answer.answer, answer.llm.calls) == (GOOD, 3)
    assert any("could not be graded" in w for w in answer.warnings)


def test_a_grader_that_praises_what_the_rules_refute_changes_nothing() -> None:
    answer = answer_of(ScriptedChat(FALSE, FALSE, FINE), "always")
    assert "未证实" in answer.answer
    assert answer.citations[0].support == "unsupported"


def test_a_reply_that_was_cut_off_is_not_asked_for_again() -> None:
    class CutOff(ScriptedChat):
        def complete(self, messages, *, temperature, json_object=False):
            from dataclasses import replace

            reply = super().complete(messages, temperature=temperature, json_object=json_object)
            return replace(reply, finish_reason="length")

    answer = answer_of(CutOff(INVENTED), "always")
    assert answer.llm.calls == 1
    assert any("cut off" in w for w in answer.warnings)


_REPLIES = st.sampled_from(
    [GOOD, FALSE, INVENTED, FINE, NOT_GROUNDED, USELESS, "资料中没有相关内容。", "{}", "x", ChatError("down")]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_REPLIES, min_size=14, max_size=14), st.sampled_from(["off", "auto", "always"]))
def test_whatever_the_model_says_the_calls_are_bounded_and_doubts_are_told(script: list, grade: str) -> None:
    if isinstance(script[0], ChatError):
        script[0] = GOOD
    answer = answer_of(ScriptedChat(*script), grade)
    # three drafts, a verdict on each (asked for once more where it cannot be read) and a rephrasing
    assert answer.llm.calls <= {"off": 1, "auto": 2, "always": 10}[grade]
    unborne = [c for c in answer.citations if c.support == "unsupported"]
    assert not unborne or answer.warnings


def test_passages_that_only_look_alike_are_dropped_where_the_llm_may_grade_them() -> None:
    search = FixedSearch("光合作用的光反应发生在类囊体薄膜上。", LEAF)
    chat = ScriptedChat('{"relevant": [2]}', GOOD)
    answer = answer_of(chat, "auto", search, grade_passages="on")
    assert [p.context for p in answer.passages] == [LEAF]
    assert answer.llm.calls == 2
    assert any(s.name == "relevance" and "1 of 2" in s.detail for s in answer.steps)


def test_when_no_passage_helps_the_question_is_declined_with_the_nearest_sections() -> None:
    answer = answer_of(ScriptedChat('{"relevant": []}'), "auto", grade_passages="on")
    assert answer.refused
    assert "1.md" in answer.answer


@pytest.mark.parametrize("replies", [("x", "y"), ('{"relevant": [7]}', "{}"), (ChatError("down"),)])
def test_a_grading_of_passages_that_fails_keeps_them_all_and_is_told(replies: tuple) -> None:
    answer = answer_of(ScriptedChat(*replies, GOOD), "auto", grade_passages="on")
    assert answer.answer == GOOD
    assert any("passages were not graded" in w for w in answer.warnings)
