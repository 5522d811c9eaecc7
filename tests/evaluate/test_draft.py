from __future__ import annotations

import json

import pytest
from scripted_llm import ScriptedChat

from edu_cli.errors import ChatError
from edu_cli.evaluate.draft import draft, draft_by_llm
from edu_cli.prompts import load_prompt
from edu_cli.types import FaqEntry, StoredParent

LONG = "这一节讲了很多内容，足够出一道题目。" * 4


def parent(doc, *section, text=LONG):
    return StoredParent(f"{doc}-{section}", f"d-{doc}", doc, doc, "", tuple(section), None, None, text, ())


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("1.2 反向传播", "反向传播是什么？"),
        ("第三章 三次握手", "三次握手是什么？"),
        ("三次握手", "三次握手是什么？"),
        ("一、什么是索引", "什么是索引"),
        ("为什么要分页？", "为什么要分页？"),
        ("（二）退费流程", "退费流程是什么？"),
        ("Binary search", "What is Binary search?"),
        ("练习 3：分页", "分页是什么？"),
        ("一、单项选择题（每题 3 分）", "单项选择题是什么？"),
        ("附录 A：术语（选读）", "术语是什么？"),
        ("例子1：随机验证码", "随机验证码是什么？"),
        ("方法二：分治法", "分治法是什么？"),
        ("★ 图论讲义-第 15 章 最短路", "最短路是什么？"),
        ("使用ORM完成增删改查", "怎样使用ORM完成增删改查？"),
        ("使用场景", "使用场景有哪些？"),
        ("Python操作表格文件", "怎样用 Python 操作表格文件？"),
        ("红黑树特点", "红黑树特点有哪些？"),
        ("线性回归代码实现", "线性回归怎样实现？"),
        ("选择排序", "选择排序是什么？"),
    ],
)
def test_a_heading_becomes_a_question(heading, question):
    (item,) = draft([parent("a.md", "课程", heading)], [], 5, 0)
    assert item["question"] == question
    assert item["relevant"] == [{"doc": "a.md", "section": heading}]


@pytest.mark.parametrize(
    "heading", ["目录", "小结", "1.", "前言", "题目描述", "堆内存相关", "学会思考，总结沉淀", "第 * 章 xxx"]
)
def test_a_heading_that_asks_nothing_gives_none(heading):
    assert draft([parent("a.md", heading)], [], 5, 0) == []


def test_short_sections_and_text_without_a_heading_give_none():
    assert draft([parent("a.md", "索引", text="短"), parent("b.md")], [], 5, 0) == []


def test_faq_entries_are_questions_with_answers():
    (item,) = draft([], [("faq.csv", FaqEntry("学费多少？", "五千元"))], 5, 0)
    assert (item["question"], item["answer"]) == ("学费多少？", "五千元")
    assert item["relevant"] == [{"doc": "faq.csv", "contains": "学费多少？"}]


def test_the_draft_is_spread_over_documents_and_repeatable():
    parents = [parent(f"{d}.md", f"主题{d}{i}") for d in "abc" for i in range(10)]
    items = draft(parents, [], 6, 1)
    assert sorted(item["relevant"][0]["doc"] for item in items) == ["a.md", "a.md", "b.md", "b.md", "c.md", "c.md"]
    assert draft(parents, [], 6, 1) == items
    assert draft(parents, [], 6, 2) != items
    assert len(draft(parents, [], 100, 0)) == 30


def test_no_question_comes_twice():
    assert len(draft([parent("a.md", "索引"), parent("b.md", "1. 索引")], [], 5, 0)) == 1


GOOD = {"question": "讲了什么？", "answer": "很多", "evidence": "这一节讲了很多内容"}


def drafted(n, *replies, parents=6):
    chat = ScriptedChat(*(reply if isinstance(reply, Exception) else json.dumps(reply) for reply in replies))
    found = draft_by_llm([parent(f"{i}.md", "节") for i in range(parents)], n, 0, chat, load_prompt("draft", None))
    return found, chat


def test_the_llm_writes_questions_with_evidence_from_their_section():
    found, _ = drafted(1, GOOD)
    (item,) = found.items
    assert (item["question"], item["answer"]) == ("讲了什么？", "很多")
    assert item["relevant"][0]["contains"] == "这一节讲了很多内容"
    assert found.unusable == 0


@pytest.mark.parametrize("bad", [{**GOOD, "evidence": "编的"}, {"question": "没有证据"}, "不是 JSON", [1]])
def test_another_section_is_taken_for_an_unusable_reply(bad):
    found, chat = drafted(1, bad, GOOD)
    assert (len(found.items), found.unusable, len(chat.asked)) == (1, 1, 2)


def test_a_model_that_never_gives_a_question_is_not_asked_for_ever():
    found, chat = drafted(2, *[{}] * 6)
    assert (found.items, found.unusable, len(chat.asked)) == ([], 4, 4)


def test_a_question_that_comes_again_is_left_out():
    found, _ = drafted(2, GOOD, GOOD, {**GOOD, "question": "多少内容？"})
    assert [item["question"] for item in found.items] == ["讲了什么？", "多少内容？"]


def test_an_llm_that_fails_later_leaves_what_there_is():
    found, _ = drafted(3, GOOD, ChatError("The endpoint is down."))
    assert (len(found.items), found.stopped) == (1, "The endpoint is down.")


def test_an_llm_that_fails_at_once_is_an_error():
    with pytest.raises(ChatError):
        drafted(3, ChatError("The key is refused."))
