"""What may be quoted is whole: sentences, rows, blocks of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.ask.generation.extract import Extract, as_answer, extract
from edu_cli.ask.generation.pieces import pieces
from edu_cli.ask.generation.units import units
from edu_cli.types import Passage


def kinds(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, text[piece.start : piece.end].strip()) for piece in pieces(text)]


def test_prose_rows_and_code_are_told_apart() -> None:
    text = "甲。乙！\n```python\na = 1\n# 注释。\n```\n丙？丁\n| 问 | 答 |\n|---|---|\n| 什么？是 | 1 |\n"
    assert kinds(text) == [
        ("sentence", "甲。"),
        ("sentence", "乙！"),
        ("code", "```python\na = 1\n# 注释。\n```"),
        ("sentence", "丙？"),
        ("sentence", "丁"),
        ("row", "| 问 | 答 |"),
        ("row", "|---|---|"),
        ("row", "| 什么？是 | 1 |"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = 1\n```\n说明如下。", ["a = 1\n```"]),
        ("说明如下：\n```\na = 1", ["```\na = 1"]),
        ("x = 1\n```\n中间。\n```python\ny = 2\n```\n末尾。", ["x = 1\n```", "```python\ny = 2\n```"]),
        ("```a\n1\n```\n```b\n2\n```\n", ["```a\n1\n```", "```b\n2\n```"]),
        ("````\n```\n````\n完。", ["````\n```\n````"]),
        ("~~~\n```\n~~~\n完。", ["~~~\n```\n~~~"]),
    ],
)
def test_a_block_is_one_piece_even_where_a_fence_was_cut_off(text: str, code: list[str]) -> None:
    assert [said for kind, said in kinds(text) if kind == "code"] == code


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("损失为：\n\n$$\nL = 1。\n$$\n\n其中。", ["$$\nL = 1。\n$$"]),
        ("\\[\na\n\\]\n\\[\nb\n\\]", ["\\[\na\n\\]", "\\[\nb\n\\]"]),
        ("$$\nL = 1\n没有合上。", []),
        ("```\n$$\nx\n$$\n```\n完。", []),
    ],
)
def test_a_displayed_formula_is_one_piece(text: str, formulas: list[str]) -> None:
    assert [said for kind, said in kinds(text) if kind == "formula"] == formulas


@given(
    st.lists(
        st.sampled_from(
            ["$$", "\\[", "\\]", "句子。", "```", "```py", "~~~", "| a | b |", "x = 1", "", "- 项", "问？答"]
        )
    )
)
def test_pieces_tile_any_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "".join(text[piece.start : piece.end] for piece in pieces(text)) == text


def passage(text: str) -> Passage:
    return Passage(1, 1.0, "git.md", "Git", ("Git",), None, "", "p", "c", "d", text, text, {})


GIT = (
    "git stash 把当前分支的修改储藏起来，工作区就干净了。"
    "\n\n```\n$ git stash\nSaved working directory and git stash index\n```"
    "\n\n之后可以用 git stash pop 恢复。"
)


def test_output_of_a_command_is_no_sentence() -> None:
    found = extract("git stash 有什么作用", [passage(GIT)])
    assert found
    assert all("```" not in piece.text and "Saved" not in piece.text for piece in found)


def test_code_that_is_asked_for_is_whole() -> None:
    text = "可以用 append 方法往列表里添加元素，代码如下所示。\n\n```python\nitems.append(1)\nprint(items)\n```\n\n完。"
    for question in ("怎么往列表里添加元素？", "往列表里添加元素的代码怎么写？"):
        answer = as_answer(extract(question, [passage(text)]))
        assert "```python\nitems.append(1)\nprint(items)\n```\n[1]" in answer


def test_a_row_keeps_its_first_cell() -> None:
    text = "| 题目 | 解答 |\n| --- | --- |\n| 什么是闭包？ | 能记住定义处变量的函数。 |\n| 什么是栈？ | 后进先出。 |\n"
    (first, *_) = extract("什么是闭包？", [passage(text)])
    assert "| 什么是闭包？ | 能记住定义处变量的函数。 |" in first.text
    assert as_answer([first]).endswith("| [1]")


def test_a_mark_stands_under_a_fence() -> None:
    assert as_answer([Extract(2, 0, "```\na\n```", 1.0)]) == "```\na\n```\n[2]"


def test_a_sentence_is_not_quoted_beside_a_longer_quotation_of_it() -> None:
    text = "使用 AOF 持久化需要设置同步选项，从而确保写命令同步到磁盘文件上的时机。这是因为写入不会马上到磁盘上。"
    found = extract("AOF 持久化是什么，有什么特点？", [passage(text)])
    assert as_answer(found).count("同步选项") == 1


def test_the_name_of_a_picture_is_no_sentence() -> None:
    text = "写 N 个内存队列，每个线程消费一个。\n\nkafka-order-02\n\n索引的类型是 B-Tree。"
    assert [unit.text for unit in units(text, 1)] == ["写 N 个内存队列，每个线程消费一个。", "索引的类型是 B-Tree。"]


@pytest.mark.parametrize(
    ("lead", "leads"),
    [
        ("然而，二分查找并非适用于所有情况，主要有以下原因。", True),
        ("常用的办法有下面三种。", True),
        ("它的特点如下。", True),
        ("二分查找快。", False),
        ("以下内容来自第三章，可以略读，也可以先看后面的例子再回来。", False),
    ],
)
def test_a_sentence_that_announces_a_list_leads_to_it(lead: str, leads: bool) -> None:
    found = units(f"{lead}\n\n- 仅适用于有序数据。\n- 仅适用于数组。", 1)
    assert [unit.is_lead for unit in found] == [leads, False, False]
    assert not units(f"{lead}\n\n另起一段。", 1)[0].is_lead
