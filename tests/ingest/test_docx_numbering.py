from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import docx, p, style, texts

from edu_cli.ingest.office.docx_numbering import chinese_number, circled, letters, roman


def _level(level: int, form: str, text: str, more: str = "") -> str:
    inside = f"<w:start w:val='1'/><w:numFmt w:val='{form}'/>{more}<w:lvlText w:val='{text}'/>"
    return f"<w:lvl w:ilvl='{level}'>{inside}</w:lvl>"


def _numbering(*levels: str, overrides: str = "") -> str:
    return (
        f"<w:abstractNum w:abstractNumId='7'>{''.join(levels)}</w:abstractNum>"
        f"<w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>"
        f"<w:num w:numId='2'><w:abstractNumId w:val='7'/>{overrides}</w:num>"
    )


def _item(text: str, level: int = 0, num: int = 1) -> str:
    return p(text, f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{num}'/></w:numPr>")


def test_nested_numbers_restart_below_their_parents(tmp_path: Path) -> None:
    numbering = _numbering(_level(0, "decimal", "%1."), _level(1, "decimal", "%1.%2"))
    body = _item("甲") + _item("子", 1) + _item("丑", 1) + _item("乙") + _item("寅", 1)
    assert texts(docx(tmp_path, body, numbering=numbering)) == ["1. 甲\n1.1 子\n1.2 丑\n2. 乙\n2.1 寅"]


def test_chinese_chapter_numbers_stand_before_their_headings(tmp_path: Path) -> None:
    numbering = _numbering(_level(0, "chineseCounting", "第%1章"), _level(1, "decimal", "%1.%2", "<w:isLgl/>"))
    styles = style("1", "heading 1", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>") + style(
        "2", "heading 2", "<w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr>"
    )
    body = p("绪论", "<w:pStyle w:val='1'/>") + p("背景", "<w:pStyle w:val='2'/>") + p("方法", "<w:pStyle w:val='1'/>")
    assert texts(docx(tmp_path, body, styles=styles, numbering=numbering)) == ["第一章 绪论", "1.1 背景", "第二章 方法"]


def test_bullets_and_removed_numbers(tmp_path: Path) -> None:
    numbering = _numbering(_level(0, "bullet", "\uf0b7"))
    assert texts(docx(tmp_path, _item("点") + _item("无", num=0), numbering=numbering)) == ["- 点", "无"]


def test_a_second_list_of_one_definition_goes_on_unless_it_says_where_to_start(tmp_path: Path) -> None:
    start = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride>"
    body = _item("甲") + _item("乙") + p("间隔") + _item("丙", num=2) + _item("丁", num=2)
    levels = _level(0, "decimal", "%1)")
    assert texts(docx(tmp_path, body, numbering=_numbering(levels)))[2] == "3) 丙\n4) 丁"
    assert texts(docx(tmp_path, body, numbering=_numbering(levels, overrides=start)))[2] == "1) 丙\n2) 丁"


@pytest.mark.parametrize(
    ("form", "labels"),
    [
        ("upperRoman", ["I", "II", "III", "IV"]),
        ("lowerLetter", ["a", "b", "c", "d"]),
        ("decimalEnclosedCircle", ["①", "②", "③", "④"]),
        ("ideographTraditional", ["甲", "乙", "丙", "丁"]),
        ("chineseLegalSimplified", ["壹", "贰", "叁", "肆"]),
        ("decimalZero", ["01", "02", "03", "04"]),
        ("noSuchFormat", ["1", "2", "3", "4"]),
    ],
)
def test_number_formats(tmp_path: Path, form: str, labels: list[str]) -> None:
    body = "".join(_item("项") for _ in labels)
    read = texts(docx(tmp_path, body, numbering=_numbering(_level(0, form, "%1"))))[0]
    assert [line.split(" ")[0] for line in read.split("\n")] == labels


@pytest.mark.parametrize(
    ("n", "text"),
    [(10, "十"), (12, "十二"), (20, "二十"), (105, "一百零五"), (110, "一百一十"), (1001, "一千零一"), (0, "0")],
)
def test_chinese_counting(n: int, text: str) -> None:
    assert chinese_number(n) == text


@given(st.integers(min_value=1, max_value=3999))
@settings(max_examples=50)
def test_numbers_in_words_are_distinct_from_their_neighbours(n: int) -> None:
    for write in (chinese_number, roman, letters, circled):
        assert write(n) != write(n + 1)
