"""Replies of models as they come: thinking, JSON where prose was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.generation.reply import ThinkFilter, parse_json, plain_answer, text_of_content, without_thinking


@settings(max_examples=60, deadline=None)
@given(st.text("甲<think>/[]1乙", max_size=30), st.integers(1, 5))
def test_filtering_does_not_depend_on_where_the_pieces_end(text: str, size: int) -> None:
    whole = ThinkFilter()
    cut = ThinkFilter()
    pieces = "".join(cut.feed(text[i : i + size]) for i in range(0, len(text), size)) + cut.finish()
    assert pieces == whole.feed(text) + whole.finish()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("<think>a</think>b", "b"),
        ("<THINK>a</THINK> b", "b"),
        ("想了想</think>\n答", "答"),
        ("a<think>没写完", "a"),
        ("1 < 2 且 3 > 2", "1 < 2 且 3 > 2"),
    ],
)
def test_thinking_is_left_out(raw: str, shown: str) -> None:
    assert without_thinking(raw) == shown


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('好的：\n```json\n{"a": [1,],}\n```\n完。', {"a": [1]}),
        ('结果是 ["甲", "乙"] 。', ["甲", "乙"]),
        ('{"a": "两\n行"}', {"a": "两\n行"}),
    ],
)
def test_json_is_found_and_mended(raw: str, value: object) -> None:
    assert parse_json(raw) == value


def test_prose_has_no_json() -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse_json("没有")


def test_an_answer_wrapped_in_json_is_unwrapped_with_its_citations() -> None:
    assert plain_answer('好的：\n```json\n{"answer": "叶绿体基质", "citations": [1,],}\n```') == "叶绿体基质[1]"
    assert plain_answer('["一。", "二。"]') == "一。\n二。"


def test_an_answer_about_json_stays_as_it_is() -> None:
    text = '可以写成 {"name": "张三"}[1]。'
    assert plain_answer(text) == text


def test_content_in_parts_is_joined() -> None:
    assert text_of_content([{"type": "text", "text": "甲"}, {"type": "image_url"}, "乙"]) == "甲乙"
    assert text_of_content(None) == ""
