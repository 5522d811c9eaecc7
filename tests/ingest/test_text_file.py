from __future__ import annotations

from pathlib import Path

import pytest

from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.text.numbered_headings import heading_levels, numeral_value
from edu_cli.ingest.text.text_file import read_text_file, text_blocks


def shown(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in text_blocks(text)]


def test_chapters_and_dotted_numbers_are_headings_below_the_title() -> None:
    text = "数据库讲义\n第一章 绪论\n介绍。\n1.1 数据模型\n抽象。\n1.2 关系模型\n关系是表。\n第二章 SQL\nSQL 是语言。\n"
    assert shown(text) == [
        (1, "数据库讲义"),
        (2, "第一章 绪论"),
        (0, "介绍。"),
        (3, "1.1 数据模型"),
        (0, "抽象。"),
        (3, "1.2 关系模型"),
        (0, "关系是表。"),
        (2, "第二章 SQL"),
        (0, "SQL 是语言。"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1.5 元一个\n2.5 元两个\n便宜。",
        "一、坚持学习，每天进步。\n二、按时作息。\n好。",
        "目录\n第一章 绪论......1\n第二章 SQL......9",
        "第一章 绪论\n第二章 模型\n第三章 语言",
        "3.14 圆周率\n2.71 自然常数\n都是常数。",
        "第三条 学生应当请假。\n第四条 不得旷课。",
        "1. 打开终端\n2. 输入命令\n完成。",
    ],
)
def test_lists_prices_articles_and_contents_are_no_headings(text: str) -> None:
    assert heading_levels(text.split("\n")) == {}


def test_numbers_may_begin_again_in_each_chapter() -> None:
    lines = ["第一章 甲", "一、起", "文", "二、承", "文", "第二章 乙", "一、转", "文", "二、合", "文"]
    assert [level for _, level in sorted(heading_levels(lines).items())] == [1, 2, 2, 1, 2, 2]


@pytest.mark.parametrize(("numeral", "value"), [("十", 10), ("二十一", 21), ("一百零五", 105), ("１２", 12), ("两", 2)])
def test_numerals_are_read(numeral: str, value: int) -> None:
    assert numeral_value(numeral) == value


def test_paragraphs_stand_between_blank_lines_and_keep_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "说明.txt"
    path.write_bytes("第一段。\r\n还是第一段。\r\n\r\n　\r\n第二段。".encode("gbk"))
    document = read_text_file(path, LoadOptions())
    assert [block.text for block in document.blocks] == ["第一段。\n还是第一段。", "第二段。"]
    assert (document.title, document.encoding) == ("说明", "gb18030")


def test_a_first_line_like_a_title_names_the_document(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("《操作系统》实验指导\n\n要求如下。", encoding="utf-8")
    assert read_text_file(path, LoadOptions()).title == "《操作系统》实验指导"
