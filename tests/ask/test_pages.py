"""The page that is cited is the one on which the quoted words stand."""

from __future__ import annotations

from dataclasses import replace

from edu_cli.ask.generation.context import heading, page_of
from edu_cli.ingest.split.splitter import split
from edu_cli.settings import SplitSettings
from edu_cli.types import Block, Document, Passage

TEXT = "第一页讲栈。\n\n第二页讲队列。\n\n第四页讲散列。"


def passage() -> Passage:
    pages = ((0, 1), (TEXT.index("第二页"), 2), (TEXT.index("第四页"), 4))
    return Passage(1, 0.9, "讲义.pdf", "讲义", (), 1, "", "p", "c", "d", "第一页讲栈。", TEXT, {}, pages=pages)


def test_a_quote_has_the_page_on_which_it_begins() -> None:
    assert page_of(passage(), "第四页讲散列。") == 4
    assert page_of(passage(), "队列") == 2
    assert page_of(passage(), "第二页讲…") == 2


def test_a_quote_that_is_not_found_has_the_page_of_the_best_child() -> None:
    assert page_of(passage(), "讲的是图") == 1
    assert page_of(passage(), "") == 1


def test_sources_name_all_pages_that_are_cited() -> None:
    assert heading(passage(), [4, 2, 4]).endswith("第2、4页")
    assert heading(passage()).endswith("第1页")


def test_children_end_where_a_page_ends() -> None:
    blocks = tuple(
        Block("paragraph", text, page=page) for page, text in ((1, "栈。"), (1, "堆。"), (2, "队列。"), (4, "散列。"))
    )
    (parent,) = split(Document("pdf", "讲义", blocks, pages=4), "general", SplitSettings())
    assert (parent.page, parent.page_end) == (1, 4)
    assert [(c.page, c.page_end) for c in parent.children] == [(1, 1), (2, 2), (4, 4)]
    assert [parent.text[c.start : c.end] for c in parent.children] == ["栈。\n\n堆。", "队列。", "散列。"]


def test_a_heading_of_many_lines_is_shown_by_its_beginning() -> None:
    shown = heading(replace(passage(), section=("第一章", "很长的标题" * 100)))
    assert "第一章 › 很长的标题" in shown
    assert "…，第1页" in shown
    assert len(shown) < 120
