from __future__ import annotations

from pathlib import Path

import pytest

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.sheet.faq_table import read_faq_table
from edu_cli.ingest.split.sections import to_sections
from edu_cli.types import Document, FaqEntry


def read(folder: Path, text: str, *, codec: str = "utf-8", name: str = "faq.csv") -> Document:
    path = folder / name
    path.write_bytes(text.encode(codec))
    return read_faq_table(path, LoadOptions())


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_entries_are_read_in_any_encoding(tmp_path: Path, codec: str) -> None:
    document = read(tmp_path, '问题,答案,学科\n密码忘了怎么办？,"请到信息中心。\n注意：带校园卡。",网络\n', codec=codec)
    assert document.faq == (FaqEntry("密码忘了怎么办？", "请到信息中心。\n注意：带校园卡。", "网络", 2),)
    assert [block.text for block in document.blocks] == ["密码忘了怎么办？\n请到信息中心。\n注意：带校园卡。"]


def test_what_is_wrong_with_rows_is_told_by_line(tmp_path: Path) -> None:
    rows = (
        "学科,问题,答案\n数学,导数,变化率\n数学,,没有问题\n数学,没有答案,\n\n,,\n"
        "数学,导数,变化率\n数学,导数,斜率\n语文,多一列,甲,余\n"
    )
    document = read(tmp_path, rows)
    assert [(entry.question, entry.answer, entry.line) for entry in document.faq] == [
        ("导数", "变化率", 2),
        ("导数", "斜率", 8),
        ("多一列", "甲", 9),
    ]
    assert document.warnings == (
        "line 3: missing question, left out",
        "line 4: missing answer, left out",
        "line 7: repeats line 2, left out",
        "line 8: line 2 answers the same question otherwise",
        "line 9: more cells than the header; '余' not read",
    )


@pytest.mark.parametrize(
    "text",
    ["question;answer\na;b\n", "Question\tAnswer\na\tb\n", "sep=;\n问;答\na;b\n", "汇总\n\n标准问题,答复\na,b\n"],
)
def test_delimiters_header_names_and_title_rows_are_recognised(tmp_path: Path, text: str) -> None:
    assert [(entry.question, entry.answer) for entry in read(tmp_path, text).faq] == [("a", "b")]


def test_a_huge_cell_is_kept_whole(tmp_path: Path) -> None:
    answer = "很长的一行。\n" * 40_000
    document = read(tmp_path, f'问题,答案\n甲,"{answer}"\n')
    assert document.faq[0].answer == answer.strip()


def test_a_quotation_mark_that_nothing_closes_is_told(tmp_path: Path) -> None:
    document = read(tmp_path, '问题,答案\n甲,乙\n丙,"丁\n戊,己\n')
    assert any("line 3" in warning and "never closed" in warning for warning in document.warnings)


def test_a_table_without_questions_is_a_table(tmp_path: Path) -> None:
    document = read(tmp_path, "学号,成绩\n1,90\n2,80\n")
    assert not document.faq
    assert document.blocks[0].header == "| 学号 | 成绩 |\n| --- | --- |"


def test_questions_without_any_answer_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(LoadError) as error:
        read(tmp_path, "问题,答案\n甲,\n")
    assert error.value.code == "no_text"


def test_workbooks_are_read_sheet_by_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["问题", "答案", "分类"])
    book.active.append(["学费多少", 5200.0, "财务"])
    timetable = book.create_sheet("课表")
    timetable.append(["周一", "Python"])
    timetable.append(["周二", "MySQL"])
    path = tmp_path / "faq.xlsx"
    book.save(path)
    document = read_faq_table(path, LoadOptions())
    assert document.faq == (FaqEntry("学费多少", "5200", "财务", 2),)
    assert [block.text for block in document.blocks] == [
        "学费多少\n5200",
        "课表",
        "| 周一 | Python |\n| --- | --- |\n| 周二 | MySQL |",
    ]
    assert document.warnings == ()
    assert [section.path for section in to_sections(document)] == [(), ("课表",)]


def test_merged_cells_of_a_workbook_are_filled_down(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["系", "课"], ["计算机", "网络"], [None, "数据库"]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    path = tmp_path / "课表.xlsx"
    book.save(path)
    assert read_faq_table(path, LoadOptions()).blocks[0].text.endswith("| 计算机 | 网络 |\n| 计算机 | 数据库 |")


def test_a_damaged_workbook_is_told(tmp_path: Path) -> None:
    path = tmp_path / "坏.xlsx"
    path.write_bytes(b"PK\x03\x04 no zip at all")
    with pytest.raises(LoadError) as error:
        read_faq_table(path, LoadOptions())
    assert error.value.code == "corrupt"
