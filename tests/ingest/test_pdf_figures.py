"""Drawings are no tables, and tables are no drawings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from pdf_files import new_doc, read, texts, write_lines

_STEPS = ("数据采集", "清洗", "特征提取", "模型训练", "评估", "部署上线", "监控告警", "反馈", "用户界面")
_CELLS = [
    ["课程", "学分", "教师"],
    ["数据结构", "4", "王老师"],
    ["操作系统", "3", "李老师"],
    ["编译原理", "3", "赵老师"],
]
_TABLE = "\n".join("| " + " | ".join(row) + " |" for row in (_CELLS[0], ["---"] * 3, *_CELLS[1:]))


def _page(doc: Any) -> Any:
    write_lines(doc[0], ["图的前一段文字说明系统由若干部分组成。"], y=72)
    return doc[0]


def _box(page: Any, x: float, y: float, label: str, width: float = 100, height: float = 34, **style: Any) -> None:
    page.draw_rect(pymupdf.Rect(x, y, x + width, y + height), color=(0, 0, 0), **style)
    write_lines(page, [label], x=x + 12, y=y + 21, size=10)


def _arrow(page: Any, *points: tuple[float, float]) -> None:
    for start, end in itertools.pairwise(points):
        page.draw_line(start, end)
    x, y = points[-1]
    page.draw_polyline([(x - 3, y - 5), (x + 3, y - 5), (x, y)], fill=(0, 0, 0), closePath=True)


def _grid(page: Any, gap: float, **style: Any) -> None:
    """Nine boxes in three rows and columns, each joined to its neighbours."""
    for at, label in enumerate(_STEPS):
        x, y = 80 + at % 3 * (100 + gap), 100 + at // 3 * (34 + gap)
        _box(page, x, y, label, **style)
        if at % 3 < 2:
            page.draw_line((x + 100, y + 17), (x + 100 + gap, y + 17))
        if at < 6:
            _arrow(page, (x + 50, y + 34), (x + 50, y + 34 + gap))


@pytest.mark.parametrize("gap", [10, 20, 40])
@pytest.mark.parametrize("style", [{}, {"radius": 0.2}, {"fill": (0.9, 0.9, 1)}])
def test_boxes_joined_by_arrows_are_read_as_their_labels(tmp_path: Path, gap: float, style: dict[str, Any]) -> None:
    doc = new_doc()
    _grid(_page(doc), gap, **style)
    blocks = read(doc, tmp_path / "a.pdf").blocks
    assert [block.kind for block in blocks] == ["paragraph", "paragraph"]
    assert blocks[1].text.split("\n") == list(_STEPS)


def test_a_chart_of_an_organisation_is_one_block(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    _box(page, 240, 100, "校长")
    page.draw_line((290, 134), (290, 160))
    page.draw_line((130, 160), (450, 160))
    for at, label in enumerate(_STEPS[:3]):
        _box(page, 80 + at * 160, 190, label)
        _arrow(page, (130 + at * 160, 160), (130 + at * 160, 190))
    document = read(doc, tmp_path / "a.pdf")
    assert texts(document)[1:] == ["校长\n数据采集\n清洗\n特征提取"]


def test_classes_with_their_fields_are_read_one_after_the_other(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    for at, rows in enumerate(
        [("学生", "姓名", "学号", "选课"), ("课程", "编号", "学分", "开课"), ("教师", "工号", "职称", "评分")]
    ):
        x = 70 + at * 165
        page.draw_rect(pymupdf.Rect(x, 120, x + 120, 200))
        page.draw_line((x, 142), (x + 120, 142))
        page.draw_line((x, 178), (x + 120, 178))
        for row, text in enumerate(rows):
            write_lines(page, [text], x=x + 8, y=136 + 18 * row, size=10)
        if at < 2:
            page.draw_line((x + 120, 160), (x + 165, 160))
    document = read(doc, tmp_path / "a.pdf")
    assert texts(document)[1:] == ["学生\n姓名\n学号\n选课\n课程\n编号\n学分\n开课\n教师\n工号\n职称\n评分"]


def test_boxes_within_a_titled_box_stay_with_their_title(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    for layer, title in enumerate(["表现层", "业务层", "数据层"]):
        top = 100 + 90 * layer
        page.draw_rect(pymupdf.Rect(70, top, 520, top + 78))
        write_lines(page, [title], x=80, y=top + 16, size=10)
        for at in range(3):
            _box(page, 90 + at * 140, top + 28, _STEPS[3 * layer + at])
    document = read(doc, tmp_path / "a.pdf")
    layers = [("表现层", *_STEPS[:3]), ("业务层", *_STEPS[3:6]), ("数据层", *_STEPS[6:])]
    assert texts(document)[1:] == ["\n".join(itertools.chain(*layers))]


def test_an_index_stays_with_its_letter_and_a_long_label_is_one_line(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    _box(page, 80, 100, "h", width=40)
    write_lines(page, ["12"], x=99, y=124, size=6)
    _box(page, 200, 100, "循环神经", width=60, height=44)
    write_lines(page, ["网络"], x=212, y=135, size=10)
    page.draw_line((120, 117), (200, 117))
    assert texts(read(doc, tmp_path / "a.pdf"))[1:] == ["h12\n循环神经网络"]


def test_a_drawing_over_two_lanes_is_no_table(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    page.draw_rect(pymupdf.Rect(70, 100, 520, 420))
    page.draw_line((295, 100), (295, 420))
    page.draw_line((70, 125), (520, 125))
    for x, title in ((160, "客户端"), (385, "服务器")):
        write_lines(page, [title], x=x, y=118, size=10)
    for at in range(4):
        _box(page, 120 if at % 2 == 0 else 350, 140 + at * 70, _STEPS[at])
        if at < 3:
            left, right = (220, 157 + 70 * (at + at % 2)), (350, 157 + 70 * (at + 1 - at % 2))
            _arrow(page, *((left, right) if at % 2 == 0 else (right, left)))
    document = read(doc, tmp_path / "a.pdf")
    assert not texts(document, "table")
    assert "数据采集\n清洗\n特征提取\n模型训练" in texts(document)


def _cells(page: Any, gap: float = 0.0, shaded: Sequence[tuple[int, int]] = (), ruled: bool = True) -> None:
    for row, line in enumerate(_CELLS):
        for column, text in enumerate(line):
            x, y = 80 + column * (90 + gap), 110 + row * (22 + gap)
            fill = (0.85, 0.85, 0.85) if (row, column) in shaded else None
            if ruled or fill:
                page.draw_rect(pymupdf.Rect(x, y, x + 90, y + 22), color=(0, 0, 0) if ruled else None, fill=fill)
            write_lines(page, [text], x=x + 5, y=y + 15, size=10)


@pytest.mark.parametrize(
    "style",
    [
        {},
        {"gap": 1.5},
        {"shaded": [(0, 0), (0, 1), (0, 2)]},
        {"shaded": [(0, 0), (1, 2), (3, 1)]},
        {"shaded": [(row, column) for row in (0, 2) for column in range(3)]},
        {"shaded": [(row, column) for row in (0, 2) for column in range(3)], "ruled": False},
    ],
    ids=["cells", "hairlines", "shaded head", "shaded cells", "shaded rows", "shaded rows without rules"],
)
def test_a_table_stays_a_table_however_its_cells_are_drawn(tmp_path: Path, style: dict[str, Any]) -> None:
    doc = new_doc()
    _cells(_page(doc), **style)
    assert texts(read(doc, tmp_path / "a.pdf"), "table") == [_TABLE]


def test_a_table_whose_rows_are_shaded_strips_in_a_frame_stays_a_table(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    page.draw_rect(pymupdf.Rect(80, 110, 350, 198))
    for row in (0, 2):
        page.draw_rect(pymupdf.Rect(80, 110 + 22 * row, 350, 132 + 22 * row), color=None, fill=(0.9, 0.9, 0.9))
    _cells(page, ruled=False)
    assert texts(read(doc, tmp_path / "a.pdf"), "table") == [_TABLE]


def test_framed_listings_below_each_other_stay_listings(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    for at in range(3):
        page.draw_rect(pymupdf.Rect(60, 100 + 60 * at, 500, 145 + 60 * at), color=None, fill=(0.95, 0.95, 0.95))
        write_lines(page, ["for x in rows:", "    print(x)"], x=66, y=117 + 60 * at, font="cour", size=10)
    document = read(doc, tmp_path / "a.pdf")
    assert all("for x in rows:\n    print(x)" in text for text in texts(document, "code"))
    assert "".join(texts(document, "code")).count("print") == 3


def test_numbers_before_the_rows_of_an_algorithm_make_no_table(tmp_path: Path) -> None:
    doc = new_doc()
    page = _page(doc)
    rows = ["初始化参数", "随机打乱样本", "逐个读入样本", "计算预测类别", "更新参数"]
    for at, row in enumerate(rows):
        write_lines(page, [str(at + 1)], x=60, y=110 + 18 * at)
        write_lines(page, [row], x=100 + 12 * (at % 3), y=110 + 18 * at)
    document = read(doc, tmp_path / "a.pdf")
    assert not texts(document, "table")
    assert all(f"{at} {row}" in "\n".join(texts(document)) for at, row in enumerate(rows, 1))
