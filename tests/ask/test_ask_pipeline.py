"""The pipeline's routes: what answers, at what cost, and what is kept for the next time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import LEAF, FixedSearch, asked, tools
from scripted_llm import ScriptedChat

from edu_cli.ask.pipeline import ask
from edu_cli.ask.request import AskRequest
from edu_cli.errors import UsageError
from edu_cli.index.records import Records, open_records
from edu_cli.types import FaqEntry, Scope


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def test_small_talk_costs_neither_search_nor_llm() -> None:
    search, chat = FixedSearch(LEAF), ScriptedChat()
    answer = asked("你好呀，谢谢老师！", search, chat)
    assert (answer.route, answer.mode, answer.llm.calls) == ("greeting", "template", 0)
    assert not search.asked


def test_a_greeting_before_a_question_is_no_small_talk() -> None:
    assert asked("你好，暗反应发生在哪里？", FixedSearch(LEAF)).route == "rag"


def test_a_precise_question_costs_one_call_and_cites() -> None:
    chat = ScriptedChat("暗反应发生在叶绿体基质中[1]。")
    answer = asked("课程里说暗反应发生在哪里？", FixedSearch(LEAF), chat)
    assert (answer.route, answer.mode, answer.strategy, answer.llm.calls) == ("rag", "generated", "direct", 1)
    assert [(c.n, c.doc, c.support) for c in answer.citations] == [(1, "1.md", "supported")]


def test_without_an_llm_the_answer_is_made_of_sentences() -> None:
    answer = asked("暗反应发生在哪里？", FixedSearch(LEAF))
    assert (answer.mode, answer.answer, answer.llm.calls) == ("extractive", f"{LEAF}[1]", 0)


def test_below_the_threshold_it_declines_and_queues(records: Records) -> None:
    chat = ScriptedChat()
    search = FixedSearch(LEAF, confidence=0.2)
    answer = ask(AskRequest("课程的食堂几点开门？"), tools(search, chat, records, contact="教务处 305"))
    assert answer.refused
    assert "教务处 305" in answer.answer
    assert "1.md › 节" in answer.answer
    assert answer.llm.calls == 0
    assert [q.pending_id for q in records.pending("")] == [answer.pending_id]


def test_a_model_that_finds_no_answer_is_believed() -> None:
    answer = asked("课程的食堂几点开门？", FixedSearch(LEAF), ScriptedChat("资料中没有相关内容。"))
    assert answer.refused
    assert answer.route == "rag"


def test_the_same_question_again_is_answered_from_the_cache(records: Records) -> None:
    search, chat = FixedSearch(LEAF), ScriptedChat("暗反应发生在叶绿体基质中[1]。")
    first = asked("课程里说暗反应发生在哪里？", search, chat, records)
    again = asked("课程里说暗反应发生在哪里?", search, chat, records)
    assert (again.route, again.mode, again.llm.calls) == ("cache", "cached", 0)
    assert again.answer == first.answer
    assert [c.doc for c in again.citations] == ["1.md"]
    assert len(search.asked) == 1
    assert asked("课程里说暗反应发生在哪里？", FixedSearch(LEAF), None, records, cache=False).route == "rag"


def test_an_faq_entry_answers_in_its_own_words_without_any_model(records: Records) -> None:
    records.add_faq("", [FaqEntry("第3章什么时候考试？", "第 9 周周五。"), FaqEntry("怎么请假？", "找班主任。")], "t")
    search = FixedSearch(LEAF)
    answer = asked("第3章什么时候考试", search, ScriptedChat(), records)
    assert (answer.route, answer.mode, answer.answer, answer.llm.calls) == ("faq", "faq", "第 9 周周五。", 0)
    assert answer.faq
    assert not search.asked


def test_another_number_is_another_question(records: Records) -> None:
    records.add_faq("", [FaqEntry("第3章什么时候考试？", "第 9 周周五。")], "t")
    answer = asked("第4章什么时候考试？", FixedSearch(LEAF, confidence=0.1), None, records)
    assert answer.route == "rag"
    assert any("did you mean: 第3章什么时候考试？" in w for w in answer.warnings)


def test_an_entry_is_not_offered_beside_an_answer_from_its_own_document(records: Records) -> None:
    records.add_faq("", [FaqEntry("第1章里暗反应发生在哪里？", "叶绿体基质。")], "1.md")
    answer = asked("暗反应发生在哪里？", FixedSearch(LEAF), None, records)
    assert not answer.refused
    assert not any("did you mean" in w for w in answer.warnings)


def test_entries_of_another_tenant_or_subject_are_not_seen(records: Records) -> None:
    records.add_faq("甲", [FaqEntry("怎么请假？", "找甲。")], "t")
    records.add_faq("", [FaqEntry("怎么请假？", "找数据库老师。", "db")], "t")
    search = FixedSearch(LEAF, confidence=0.1)
    assert asked("怎么请假？", search, None, records, scope=Scope(subject="ai")).refused
    assert asked("怎么请假？", search, None, records, scope=Scope(subject="db")).answer == "找数据库老师。"
    assert asked("怎么请假？", search, None, records, scope=Scope(tenant="甲")).answer == "找甲。"


def test_an_approved_answer_becomes_an_faq_entry(records: Records) -> None:
    search = FixedSearch(LEAF, confidence=0.1)
    pending_id = asked("课程有食堂吗？", search, None, records).pending_id
    assert pending_id
    records.settle_pending("", pending_id, "answered", "有，在一楼。")
    assert asked("课程有食堂吗？", search, None, records).answer == "有，在一楼。"


def test_a_question_without_any_character_to_see_is_a_usage_error() -> None:
    for question in ("  ", "\ud800", "\x1b[2J"):
        with pytest.raises(UsageError):
            asked(question, FixedSearch(LEAF))


def test_bytes_that_are_no_text_and_terminal_codes_are_taken_out(records: Records) -> None:
    answer = asked("\udcff\x1b[31m暗反应\u202e发生在哪里？", FixedSearch(LEAF), None, records, session="s")
    assert answer.standalone_question == "暗反应发生在哪里？"


def test_asked_of_the_faq_alone_another_question_is_declined_with_the_nearest_entry(records: Records) -> None:
    records.add_faq("", [FaqEntry("第3章什么时候考试？", "第 9 周周五。")], "t")
    search = FixedSearch(LEAF)
    answer = asked("第4章什么时候考试？", search, None, records, route="faq")
    assert (answer.route, answer.refused, answer.strategy) == ("faq", True, None)
    assert not search.asked
    assert any("第3章" in w for w in answer.warnings)
