from __future__ import annotations

from pathlib import Path

from office_files import cell, docx, p, row, table, texts


def _span(n: int) -> str:
    return f"<w:gridSpan w:val='{n}'/>"


START, GOES_ON = "<w:vMerge w:val='restart'/>", "<w:vMerge/>"


def test_a_table_stands_where_it_is_and_carries_its_header(tmp_path: Path) -> None:
    document = docx(tmp_path, p("前") + table(row("设备", "房间"), row("激光器", "114")) + p("后"))
    assert texts(document) == ["前", "| 设备 | 房间 |\n| --- | --- |\n| 激光器 | 114 |", "后"]
    assert document.blocks[1].header == "| 设备 | 房间 |\n| --- | --- |"


def test_merged_cells_are_written_once_and_short_row_labels_in_each_row(tmp_path: Path) -> None:
    body = table(
        row("时间", "周一", "周二"),
        row(cell(p("上午"), START), cell(p("操作系统"), _span(2))),
        row(cell("<w:p/>", GOES_ON), "英语", "体育"),
    )
    assert texts(docx(tmp_path, body)) == [
        "| 时间 | 周一 | 周二 |\n| --- | --- | --- |\n| 上午 | 操作系统 |  |\n| 上午 | 英语 | 体育 |"
    ]


def test_a_header_over_a_header_becomes_one_line(tmp_path: Path) -> None:
    body = table(
        row(cell(p("姓名"), START), cell(p("成绩"), _span(2))),
        row(cell("<w:p/>", GOES_ON), "平时", "期末"),
        row("张三", "90", "85"),
    )
    assert texts(docx(tmp_path, body)) == ["| 姓名 | 成绩 平时 | 成绩 期末 |\n| --- | --- | --- |\n| 张三 | 90 | 85 |"]


def test_a_first_row_over_the_whole_width_is_the_caption(tmp_path: Path) -> None:
    body = table(row(cell(p("表1 课时"), _span(2))), row("章", "课时"), row("绪论", "2"))
    document = docx(tmp_path, body)
    assert [block.kind for block in document.blocks] == ["caption", "table"]


def test_an_inner_table_stays_on_the_line_of_its_row(tmp_path: Path) -> None:
    inner = table(row("甲组", "示波器 #17"), row("乙组", "频谱仪 #23"))
    body = table(row("时间", "安排"), row("晚上", cell(p("分组：") + inner + p("以抽签为准"))))
    lines = texts(docx(tmp_path, body))[0].split("\n")
    assert lines[2] == "| 晚上 | 分组： 甲组，示波器 #17；乙组，频谱仪 #23 以抽签为准 |"


def test_a_frame_around_text_is_no_table(tmp_path: Path) -> None:
    assert texts(docx(tmp_path, table(row(cell(p("提示一") + p("提示二")))))) == ["提示一", "提示二"]


def test_a_form_that_frames_pages_of_prose_is_read_as_prose(tmp_path: Path) -> None:
    prose = "实验步骤说明。" * 100
    document = docx(tmp_path, table(row("实验名称", "冒泡排序"), row("实验步骤", cell(p(prose) + p("结束")))))
    assert texts(document) == ["实验名称 冒泡排序", "实验步骤", prose, "结束"]


def test_deleted_rows_are_gone_and_pipes_cannot_break_a_row(tmp_path: Path) -> None:
    body = table(row("键", "值"), row("a|b", "多\n行"), row("旧", "旧", properties="<w:del/>"))
    assert texts(docx(tmp_path, body))[0].split("\n")[2:] == ["| a\\|b | 多 行 |"]


def test_rows_marked_as_header_are_believed(tmp_path: Path) -> None:
    mark = "<w:tblHeader/>"
    body = table(row("上", "", properties=mark), row("甲", "乙", properties=mark), row("1", "2"))
    assert docx(tmp_path, body).blocks[0].header == "| 上 甲 | 乙 |\n| --- | --- |"
