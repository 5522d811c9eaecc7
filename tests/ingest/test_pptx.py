from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import PICTURE, ScriptedPictures, pptx, texts
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from edu_cli.ingest.office.pptx_order import Box, reading_order
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import OcrPage


class Deck:
    """A deck that is built by python-pptx; `slide` gives the newest slide."""

    def __init__(self, path: Path) -> None:
        self._path = path / "课件.pptx"
        self.show = Presentation()

    def add(self, title: str = "", layout: int = 5) -> None:
        self.slide = self.show.slides.add_slide(self.show.slide_layouts[layout if title else 6])
        if title:
            self.slide.shapes.title.text = title

    def box(self, text: str, x: float, y: float, shapes: object = None) -> object:
        made = (shapes or self.slide.shapes).add_textbox(Inches(x), Inches(y), Inches(2), Inches(0.5))
        made.text_frame.text = text
        return made

    def save(self) -> Path:
        self.show.save(str(self._path))
        return self._path


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck(tmp_path)


def test_a_slide_is_a_page_and_its_title_a_heading(deck: Deck) -> None:
    for n in (1, 2):
        deck.add(f"第{n}讲")
        deck.box(f"内容{n}", 1, 3)
    document = pptx(deck.save())
    assert [(b.kind, b.text, b.page) for b in document.blocks] == [
        ("heading", "第1讲", 1),
        ("paragraph", "内容1", 1),
        ("heading", "第2讲", 2),
        ("paragraph", "内容2", 2),
    ]
    assert (document.title, document.pages) == ("第1讲", 2)


def test_shapes_are_read_by_place_not_by_the_order_they_were_drawn_in(deck: Deck) -> None:
    deck.add("动态规划")
    for text, y in (("步骤三", 5), ("步骤一", 2), ("步骤二", 3.5)):
        deck.box(text, 1, y)
    assert texts(pptx(deck.save()))[1:] == ["步骤一", "步骤二", "步骤三"]


def test_nested_groups_are_read_whole(deck: Deck) -> None:
    deck.add("握手")
    outer = deck.slide.shapes.add_group_shape()
    deck.box("第一步", 1, 2, outer.shapes)
    inner = outer.shapes.add_group_shape()
    deck.box("第二步", 1, 3, inner.shapes)
    assert texts(pptx(deck.save()))[1:] == ["第一步", "第二步"]


def test_vertical_tabs_are_line_breaks(deck: Deck) -> None:
    deck.add("第三章\v动态规划")
    deck.box("背包容量\v取 23 公斤", 1, 3)
    assert texts(pptx(deck.save())) == ["第三章 动态规划", "背包容量\n取 23 公斤"]


def test_levels_and_numbers_of_a_body_are_kept(deck: Deck) -> None:
    deck.add("大纲", layout=1)
    frame = deck.slide.placeholders[1].text_frame
    frame.text = "一级"
    frame.add_paragraph().text = "二级"
    frame.paragraphs[1].level = 1
    block = pptx(deck.save()).blocks[1]
    assert (block.kind, block.text) == ("list", "- 一级\n  - 二级")


def test_tables_and_charts_become_tables(deck: Deck) -> None:
    deck.add("成绩")
    table = deck.slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for (i, j), text in {(0, 0): "班级", (0, 1): "人数", (1, 0): "一班", (1, 1): "30"}.items():
        table.cell(i, j).text = text
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("及格率", (0.8, 0.9))
    deck.slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(3), data)
    assert texts(pptx(deck.save()))[1:] == [
        "| 班级 | 人数 |\n| --- | --- |\n| 一班 | 30 |",
        "|  | 及格率 |\n| --- | --- |\n| 2024 | 0.8 |\n| 2025 | 0.9 |",
    ]


def test_notes_are_labelled_and_hidden_slides_marked(deck: Deck) -> None:
    deck.add("习题")
    deck.box("第一题", 1, 3)
    deck.slide.notes_slide.notes_text_frame.text = "提醒交作业"
    deck.slide._element.set("show", "0")
    assert texts(pptx(deck.save())) == ["习题", "（本页为隐藏幻灯片）", "第一题", "备注：提醒交作业"]


def test_a_slide_without_a_title_takes_its_first_line_or_goes_on_under_the_last_title(deck: Deck) -> None:
    deck.add("卷积")
    deck.box("定义", 1, 3)
    deck.add()
    deck.box("令", 1, 1)
    deck.box("其中各项如下所示，", 1, 3)
    deck.add()
    deck.box("二维卷积", 1, 1)
    deck.box("推广到两个变量。", 1, 3)
    headings = [b.text for b in pptx(deck.save()).blocks if b.kind == "heading"]
    assert headings == ["卷积", "卷积（续）", "二维卷积"]


def test_a_slide_that_is_a_picture_is_read_by_ocr_on_its_page(deck: Deck, tmp_path: Path) -> None:
    deck.add("目录")
    deck.box("第一章", 1, 3)
    deck.add()
    path = deck.save()
    _put_picture(path, "ppt/slides/slide2.xml")
    document = pptx(path, LoadOptions(pictures=ScriptedPictures("死锁的四个条件，\n循环等待。")))
    assert document.blocks[-1].page == 2
    assert "循环等待" in document.blocks[-1].text
    assert document.pages_ocr == (OcrPage(2, "no_text", 0.9),)


def test_a_label_in_a_picture_beside_text_is_no_title(deck: Deck) -> None:
    deck.add("平滑")
    deck.add()
    deck.box("效果如下图所示，", 1, 6)
    path = deck.save()
    _put_picture(path, "ppt/slides/slide2.xml")
    document = pptx(path, LoadOptions(pictures=ScriptedPictures("横轴的标签文字")))
    assert [b.text for b in document.blocks if b.kind == "heading"] == ["平滑", "平滑（续）"]


def test_a_missing_slide_is_told_and_the_rest_read(deck: Deck) -> None:
    for n in (1, 2):
        deck.add(f"第{n}讲")
    path = deck.save()
    _rewrite(path, drop="ppt/slides/slide1.xml")
    document = pptx(path)
    assert texts(document) == ["第2讲"]
    assert document.warnings == ("slide 1 is missing from the file",)


def _put_picture(path: Path, slide: str) -> None:
    shape = (
        '<p:pic xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:nvPicPr>'
        '<p:cNvPr id="9" name="x"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId77"/></p:blipFill></p:pic></p:spTree>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    entry = f'<Relationship Id="rId77" Type="{kind}" Target="../media/x.png"/></Relationships>'
    rels = f"{slide.replace('slides/', 'slides/_rels/')}.rels"
    _rewrite(path, {slide: ("</p:spTree>", shape), rels: ("</Relationships>", entry)}, {"ppt/media/x.png": PICTURE})


def _rewrite(
    path: Path,
    changes: dict[str, tuple[str, str]] | None = None,
    added: dict[str, bytes] | None = None,
    drop: str = "",
) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != drop}
    for name, (old, new) in (changes or {}).items():
        parts[name] = parts[name].decode().replace(old, new).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**parts, **(added or {})}.items():
            archive.writestr(name, data)


def test_columns_with_a_wide_gutter_are_read_one_after_the_other() -> None:
    def box(x: float, y: float) -> Box:
        return Box(x, y, x + 3, y + 1)

    items = [(box(0, 0), "左标题"), (box(6, 0), "右标题"), (box(0, 1.5), "左文"), (box(6, 1.5), "右文")]
    assert reading_order(items) == ["左标题", "左文", "右标题", "右文"]


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 4), max_size=12))
@settings(max_examples=60)
def test_every_shape_is_read_once_whatever_their_boxes(corners: list[tuple[int, int, int, int]]) -> None:
    items = [(Box(x, y, x + w, y + h), i) for i, (x, y, w, h) in enumerate(corners)]
    assert sorted(reading_order(items)) == list(range(len(items)))
