from __future__ import annotations

import json

import pytest

from edu_cli.errors import ChatError
from edu_cli.evaluate.draft import draft, draft_by_llm
from edu_cli.prompts import load_prompt
from edu_cli.types import ChatReply, FaqEntry, StoredParent

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
    ],
)
def test_a_heading_becomes_a_question(heading, question):
    (item,) = draft([parent("a.md", "课程", heading)], [], 5, 0)
    assert item["question"] == question
    assert item["relevant"] == [{"doc": "a.md", "section": heading}]


@pytest.mark.parametrize("heading", ["目录", "小结", "1.", "前言"])
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


class ScriptedChat:
    model = "scripted"

    def __init__(self, reply):
        self.reply = reply

    def complete(self, messages, *, temperature, json_object=False):
        if isinstance(self.reply, Exception):
            raise self.reply
        return ChatReply(json.dumps(self.reply), "scripted", 1, 1)

    def stream(self, messages, *, temperature):
        raise AssertionError("a draft does not stream")


def test_the_llms_evidence_must_stand_in_the_section():
    prompt = load_prompt("draft", None)
    good = {"question": "讲了什么？", "answer": "很多", "evidence": "这一节讲了很多内容"}
    (item,) = draft_by_llm([parent("a.md", "节")], 3, 0, ScriptedChat(good), prompt)
    assert item["relevant"] == [{"doc": "a.md", "contains": "这一节讲了很多内容"}]
    assert draft_by_llm([parent("a.md")], 3, 0, ScriptedChat({**good, "evidence": "编的"}), prompt) == []
    assert draft_by_llm([parent("a.md")], 3, 0, ScriptedChat(ChatError("down")), prompt) == []
