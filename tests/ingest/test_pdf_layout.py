"""Digital PDFs: order, paragraphs, headings, tables, running titles, forms."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_files import draw_table, new_doc, read, texts, write_lines

from edu_cli.ingest.pdf.lines import are_bold

LEFT = [
    "冒泡排序每趟比较相邻的两个元素",
    "并在次序颠倒时交换它们，时间复",
    "杂度为平方级。它是稳定的排序，",
    "优化版本在一趟没有交换时提前结",
    "束。左栏到此为止。",
]
RIGHT = [
    "快速排序选取枢轴，把序列划分成",
    "两部分，平均复杂度较低，但最坏",
    "情况下退化为平方级。它是不稳定",
    "的排序，三数取中可以减少最坏情",
    "况。右栏到此为止。",
]


def test_chinese_lines_are_joined_without_a_space_and_numbers_stay_whole(tmp_path: Path) -> None:
    doc = new_doc()
    write_lines(
        doc[0],
        ["神经网络的训练通常采用反向传", "播算法，它利用链式法则逐层计", "算梯度，学习率的初始值设为0.", "0037。"],
        size=14,
    )
    assert texts(read(doc, tmp_path / "a.pdf")) == [
        "神经网络的训练通常采用反向传播算法，它利用链式法则逐层计算梯度，学习率的初始值设为0.0037。"
    ]


def test_latin_hyphenation_is_undone(tmp_path: Path) -> None:
    doc = new_doc()
    write_lines(
        doc[0],
        [
            "The scheduler decides which of the ready proces-",
            "ses runs next, and for how long it may keep the",
            "processor before it is preempted.",
        ],
        font="helv",
    )
    assert "the ready processes runs next" in texts(read(doc, tmp_path / "a.pdf"))[0]


def test_two_columns_are_read_one_after_the_other_below_their_title(tmp_path: Path) -> None:
    doc = new_doc()
    doc[0].insert_text((220, 70), "排序算法综述", fontname="china-s", fontsize=18)
    for index in range(5):  # row by row, as some programs write
        write_lines(doc[0], [LEFT[index]], x=60, y=120 + 18 * index)
        write_lines(doc[0], [RIGHT[index]], x=310, y=120 + 18 * index)
    found = texts(read(doc, tmp_path / "a.pdf"))
    assert found[0] == "排序算法综述"
    assert found[1:] == ["".join(LEFT), "".join(RIGHT)]


def test_a_spread_of_two_exam_pages_is_read_page_by_page(tmp_path: Path) -> None:
    doc = new_doc(width=1190, height=842)
    for side, start in ((60, 1), (660, 5)):
        y = 100.0
        for number in range(start, start + 4):
            y = (
                write_lines(
                    doc[0],
                    [
                        f"{number}. 下列关于操作系统的说法中正确的是哪一项",
                        "A. 进程是资源分配的单位",
                        "B. 线程不能共享内存",
                    ],
                    x=side,
                    y=y,
                )
                + 10
            )
    joined = "\n".join(texts(read(doc, tmp_path / "a.pdf")))
    places = [joined.index(f"{number}. 下列") for number in range(1, 9)]
    assert places == sorted(places)


def test_notes_in_the_margin_do_not_cut_the_text(tmp_path: Path) -> None:
    doc = new_doc()
    lines = [
        "循环神经网络通过使用带自反馈的神经元，能够处理任意长",
        "度的时序数据，它按时间展开以后可以看作是各层共享权值",
        "的前馈网络，因此训练时误差沿时间反向传播，序列较长时",
        "会出现梯度消失或者梯度爆炸的问题，门控机制就是为了缓",
        "解这个问题而提出的，它让网络自己决定保留多少过去的信",
        "息，又让多少新的信息进来，从而记住相隔很远的输入之间",
        "的联系，这一类网络在语音识别和机器翻译中用得很多也很",
        "久以后逐渐被自注意力模型取代。",
    ]
    write_lines(doc[0], lines, x=60)
    write_lines(doc[0], ["边注：这里的递归", "与程序中的不同。"], x=440, y=116, size=8)
    document = read(doc, tmp_path / "a.pdf")
    assert texts(document, "paragraph") == ["".join(lines)]
    assert "".join(texts(document, "note")).replace("\n", "") == "边注：这里的递归与程序中的不同。"


def test_running_titles_and_page_numbers_are_left_out_but_titles_of_pages_stay(tmp_path: Path) -> None:
    doc = new_doc(4)
    for number, page in enumerate(doc, 1):
        page.insert_text((60, 40), "操作系统讲义（内部使用）", fontname="china-s", fontsize=8)
        page.insert_text((290, 815), f"- {number} -", fontname="helv", fontsize=8)
        write_lines(page, [f"第{number}次作业的题目", f"这一页讲第{number}个主题，内容各不相同。"], y=110)
    joined = "\n".join(texts(read(doc, tmp_path / "a.pdf")))
    assert "内部使用" not in joined
    assert "- 2 -" not in joined
    assert all(f"第{number}次作业的题目" in joined for number in range(1, 5))


def test_a_sentence_over_a_page_end_is_joined_and_the_rest_keeps_its_page(tmp_path: Path) -> None:
    doc = new_doc(2)
    first = [
        "虚拟存储器使用户感到内存比实际的大得多，程序只需把",
        "当前要用的部分装入内存就可以开始运行，其余的部分留",
        "在外存上，需要的时候再由操作系统调入，这个过程对用",
    ]
    write_lines(doc[0], first)
    write_lines(doc[1], ["户是透明的。缺页中断由硬件发出，处理完以后重新执行", "被中断的指令，这与一般的中断不同。"])
    document = read(doc, tmp_path / "a.pdf")
    assert [(block.page, block.text) for block in document.blocks] == [
        (1, "".join(first) + "户是透明的。"),
        (2, "缺页中断由硬件发出，处理完以后重新执行被中断的指令，这与一般的中断不同。"),
    ]


def test_headings_come_from_the_outline_and_from_size(tmp_path: Path) -> None:
    doc = new_doc()
    page = doc[0]
    page.insert_text((60, 80), "第一章 绪论", fontname="china-s", fontsize=20)
    page.insert_text((60, 120), "1.1 课程的目标", fontname="china-s", fontsize=15)
    write_lines(page, ["学完本章以后应当能够说出操作系统的四个基本特征。"], y=150)
    page.insert_text((60, 190), "考核办法", fontname="china-s", fontsize=11)
    write_lines(page, ["平时成绩占三成，期末成绩占七成，实验不单独计分。"], y=215)
    doc.set_toc([[1, "第一章 绪论", 1], [2, "1.1 课程的目标", 1], [3, "考核办法", 1]])
    document = read(doc, tmp_path / "a.pdf")
    assert [(block.level, block.text) for block in document.blocks if block.kind == "heading"] == [
        (1, "第一章 绪论"),
        (2, "1.1 课程的目标"),
        (3, "考核办法"),
    ]
    assert document.title == "第一章 绪论"


def test_a_ruled_table_keeps_its_rows_and_goes_on_with_its_header(tmp_path: Path) -> None:
    doc = new_doc(2)
    draw_table(
        doc[0], [["模块", "最低学分", "教研室"], ["模块甲", "7", "第一教研室"], ["模块乙", "10", "第二教研室"]], 700
    )
    draw_table(doc[1], [["模块丙", "13", "第三教研室"], ["模块丁", "16", "第四教研室"]], 60)
    tables = [block for block in read(doc, tmp_path / "a.pdf").blocks if block.kind == "table"]
    assert [block.page for block in tables] == [1, 2]
    assert all(block.header == "| 模块 | 最低学分 | 教研室 |\n| --- | --- | --- |" for block in tables)
    assert all(block.text.startswith(block.header) for block in tables)
    assert "| 模块丙 | 13 | 第三教研室 |" in tables[1].text.split("\n")


def test_aligned_cells_without_rules_are_a_table(tmp_path: Path) -> None:
    doc = new_doc()
    for row, cells in enumerate(
        [("课程", "教室", "周次"), ("编译原理", "博学楼305", "1-12周"), ("密码学", "博学楼118", "3-16周")]
    ):
        for col, cell in enumerate(cells):
            doc[0].insert_text((60 + 150 * col, 100 + 22 * row), cell, fontname="china-s", fontsize=11)
    assert "| 密码学 | 博学楼118 | 3-16周 |" in texts(read(doc, tmp_path / "a.pdf"), "table")[0].split("\n")


def test_the_options_of_a_question_are_no_table(tmp_path: Path) -> None:
    doc = new_doc()
    y = 100
    for number in range(1, 4):
        doc[0].insert_text((60, y), f"{number}. 下列哪一项正确？", fontname="china-s", fontsize=11)
        for col, mark in enumerate("ABCD"):
            doc[0].insert_text((60 + 110 * col, y + 20), f"{mark}. 选项{number}{mark}", fontname="china-s", fontsize=11)
        y += 44
    document = read(doc, tmp_path / "a.pdf")
    assert texts(document, "table") == []
    assert "A. 选项1A B. 选项1B C. 选项1C D. 选项1D" in "\n".join(texts(document))


def test_a_listing_keeps_its_rows_and_indentation(tmp_path: Path) -> None:
    doc = new_doc()
    code = [
        "def area(radius):",
        "    if radius < 0:",
        "        raise ValueError(radius)",
        "    return 3.14 * radius ** 2",
    ]
    write_lines(doc[0], ["下面的函数计算圆的面积："], y=80)
    for row, line in enumerate(code):
        doc[0].insert_text((60, 110 + 14 * row), line, fontname="cour", fontsize=10)
    assert texts(read(doc, tmp_path / "a.pdf"), "code") == ["\n".join(code)]


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_text_set_sideways_reads_in_order(tmp_path: Path, rotate: int) -> None:
    doc = new_doc()
    lines = ["第一行讲进程的概念", "第二行讲线程的概念", "第三行讲协程的概念"]
    for row, line in enumerate(lines):
        at = {90: (100 + 20 * row, 700), 180: (500, 300 - 20 * row), 270: (400 - 20 * row, 100)}[rotate]
        doc[0].insert_text(at, line, fontname="china-s", fontsize=12, rotate=rotate)
    assert "\n".join(texts(read(doc, tmp_path / "a.pdf"))).split("\n") == lines


def test_form_values_text_boxes_and_comments_are_read(tmp_path: Path) -> None:
    doc = new_doc()
    page = doc[0]
    page.insert_text((60, 100), "姓名：", fontname="china-s", fontsize=11)
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "张三丰"
    widget.rect = pymupdf.Rect(100, 88, 220, 106)
    page.add_widget(widget)
    page.add_freetext_annot(pymupdf.Rect(60, 200, 300, 230), "请在周五以前交卷", fontname="china-s")
    page.add_text_annot((60, 300), "这里讲错了，应为二叉树")
    document = read(doc, tmp_path / "a.pdf")
    joined = "\n".join(texts(document))
    assert "张三丰" in joined
    assert "请在周五以前交卷" in joined
    assert texts(document, "note") == ["这里讲错了，应为二叉树"]


def test_page_labels_are_told_and_pages_count_from_one(tmp_path: Path) -> None:
    doc = new_doc(3)
    for page in doc:
        write_lines(page, [f"第{page.number + 1}页的内容。"])
    doc.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": 2, "prefix": "", "style": "D", "firstpagenum": 1},
        ]
    )
    document = read(doc, tmp_path / "a.pdf")
    assert document.metadata["page_labels"] == "i,ii,1"
    assert [block.page for block in document.blocks] == [1, 2, 3]


def test_what_is_not_painted_is_no_text_of_a_painted_page(tmp_path: Path) -> None:
    doc = new_doc()
    write_lines(doc[0], ["看得见的正文。"])
    doc[0].insert_text((60, 300), "看不见的指令", fontname="china-s", fontsize=11, render_mode=3)
    assert texts(read(doc, tmp_path / "a.pdf")) == ["看得见的正文。"]


def test_characters_stacked_in_columns_are_read_from_right_to_left(tmp_path: Path) -> None:
    doc = new_doc()
    columns = ["第一列讲进程的概念", "第二列讲线程的概念", "第三列讲协程的概念"]
    for col, column in enumerate(columns):
        for row, char in enumerate(column):
            doc[0].insert_text((500 - 30 * col, 100 + 16 * row), char, fontname="china-s", fontsize=13)
    assert "".join(texts(read(doc, tmp_path / "a.pdf"))).replace("\n", "") == "".join(columns)


def test_a_frame_set_in_on_both_sides_is_joined_to_its_last_row(tmp_path: Path) -> None:
    doc = new_doc()
    wide = "这一节说明循环神经网络的计算能力，它有短期的记忆，可以模拟任何的程序"
    write_lines(doc[0], [wide, wide, "前馈网络只能模拟函数。"], x=60, y=100)
    box = "如果一个完全连接的循环网络有足够数量的神经元，它可以以任意的准确率去近似任何一个非线性的动力系统"
    write_lines(doc[0], [box[:22], box[22:44], box[44:]], x=72, y=190)
    assert texts(read(doc, tmp_path / "a.pdf"))[-1] == box


@pytest.mark.parametrize(
    ("bold", "regular", "is_bold"), [(10, 0, True), (10, 3, True), (30, 4, False), (30, 10, False), (3, 7, False)]
)
def test_a_line_that_only_opens_in_bold_is_text_however_long_its_term_is(
    bold: int, regular: int, is_bold: bool
) -> None:
    assert are_bold([True] * bold + [False] * regular) is is_bold


def test_a_longer_left_column_is_no_note_in_the_margin_of_the_right_one(tmp_path: Path) -> None:
    """Both sides are justified, so that either could be taken for the text, and the other for notes beside it."""
    doc = new_doc()
    left = [f"左栏第{n:02d}行正文写到这一栏的边上为止" for n in range(30)]
    right = [f"右栏第{n:02d}行正文写到这一栏的边上为止" for n in range(20)]
    write_lines(doc[0], left, x=60)
    write_lines(doc[0], right, x=310)
    document = read(doc, tmp_path / "a.pdf")
    assert not texts(document, "note")
    whole = "".join(texts(document))
    assert whole.index("左栏第29行") < whole.index("右栏第00行")


@pytest.mark.parametrize("word", ["（Transformer）", "“Attention”，", "《Fine-tuning》", "nonlocal"])
def test_a_row_may_end_early_where_the_next_word_and_its_brackets_would_not_have_fitted(
    tmp_path: Path, word: str
) -> None:
    doc = new_doc()
    rows = [
        "设计一系列的自监督训练目标并且设计新颖的模型架构用来预先训练",
        "先要把全部语料读入内存再分批处理每一批都会打乱次序之后",
        f"{word}遵循先训练再微调的做法。",
    ]
    write_lines(doc[0], rows)
    assert texts(read(doc, tmp_path / "a.pdf")) == ["".join(rows)]


@pytest.mark.parametrize("start", ["d.get(key) 会返回", "e.g. 取", "(1)，列表则是", "（2）。在末尾删除"])
def test_a_row_that_happens_to_begin_like_an_item_is_none(tmp_path: Path, start: str) -> None:
    doc = new_doc()
    rows = [
        "取值时如果键不存在就会抛出一个异常判断一个元素是否在集合中时",
        f"{start}默认的取值而不会抛出异常所以平时用得更多",
        "一些。",
    ]
    write_lines(doc[0], rows)
    assert texts(read(doc, tmp_path / "a.pdf"), "list") == []


def test_a_face_that_is_made_bold_by_its_outline_makes_headings(tmp_path: Path) -> None:
    doc = new_doc()
    for at, title in enumerate(["一、课程目标", "二、考核方式"]):
        y = 100 + 120 * at
        doc[0].insert_text((60, y), title, fontname="china-ss", fontsize=11, render_mode=2, border_width=0.04)
        write_lines(doc[0], ["这一部分的正文写在标题下面的一行里，用的是同样大小的字。"], y=y + 20, font="china-ss")
    assert texts(read(doc, tmp_path / "a.pdf"), "heading") == ["一、课程目标", "二、考核方式"]
