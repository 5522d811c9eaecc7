from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.config import SplitSettings
from edu_cli.ingest.markup.markdown import to_blocks
from edu_cli.ingest.split.profiles import choose_profile
from edu_cli.ingest.split.splitter import encoding_text, pack, split
from edu_cli.ingest.text.text_file import text_blocks
from edu_cli.types import Block, Child, Document, Parent, Profile

DEFAULT = SplitSettings()


def document(*blocks: Block) -> Document:
    return Document("md", "题", blocks)


def markdown(text: str) -> Document:
    return Document("md", "题", tuple(to_blocks(text)))


def children(parents: tuple[Parent, ...]) -> list[str]:
    return [parent.text[child.start : child.end] for parent in parents for child in parent.children]


def test_a_short_section_is_one_parent_with_one_child() -> None:
    (parent,) = split(markdown("# 一\n\n甲。\n\n- 乙\n- 丙"), "general", DEFAULT)
    assert (parent.section, parent.text) == (("一",), "甲。\n\n- 乙\n- 丙")
    assert [(child.start, child.end) for child in parent.children] == [(0, len(parent.text))]


def test_sentences_are_never_cut_nor_begun_by_their_punctuation() -> None:
    sentence = "若矩阵的秩小于未知数的个数，则齐次方程组有非零解；反之，只有零解！"
    for child in children(split(document(Block("paragraph", sentence * 80)), "general", DEFAULT)):
        assert len(child) <= 250
        assert child.endswith("！")
        assert child.startswith("若")


def test_every_piece_of_a_table_knows_its_header() -> None:
    rows = "\n".join(f"| QL{i} | 选修课{i} | 教学楼D-{i} |" for i in range(200))
    parents = split(markdown(f"# 课表\n\n| 课程号 | 课程名 | 教室 |\n|---|---|---|\n{rows}\n"), "general", DEFAULT)
    header = "| 课程号 | 课程名 | 教室 |\n| --- | --- | --- |"
    assert len(parents) > 3
    assert all(parent.text.startswith(header) for parent in parents)
    for parent in parents:
        assert [child.lead for child in parent.children[1:]] == [header] * (len(parent.children) - 1)
    lines = [line for child in children(parents) for line in child.split("\n") if "QL" in line]
    assert lines == rows.split("\n")


def test_code_is_cut_between_definitions() -> None:
    functions = [f"def solve_{i}(x):\n    if x > {i}:\n        return x - {i}\n\n    return x" for i in range(60)]
    parents = split(markdown("```python\n" + "\n\n".join(functions) + "\n```\n"), "code", DEFAULT)
    found = children(parents)
    assert len(found) > 5
    for function in functions:
        assert sum(function in child for child in found) == 1
    assert all(parent.text.startswith("```python\n") for parent in parents)


def test_a_formula_is_never_cut() -> None:
    formula = "$$\n" + "\n".join(f"x_{i} &= y_{i} \\\\" for i in range(40)) + "\n$$"
    assert formula in children(split(markdown("文。\n\n" + formula + "\n\n" + "句子。" * 90), "general", DEFAULT))


def test_articles_of_a_legal_text_have_a_child_each() -> None:
    text = "第一章 总则\n" + "\n".join(
        f"第{n}条 学生应当遵守规定。\n（一）按时上课；\n（二）不得作弊。" for n in "一二三四五六"
    )
    law = Document("txt", "校规", tuple(text_blocks(text)))
    assert choose_profile(law) == "legal"
    found = children(split(law, "legal", DEFAULT))
    assert [child[:3] for child in found] == [f"第{n}条" for n in "一二三四五六"]
    assert all("（二）" in child for child in found)


EXAM = "一、选择题（每小题 2 分）\n" + "\n".join(
    f"{n}. 下列说法正确的是（ ）\nA. 甲\nB. 乙\nC. 丙\nD. 丁\n答案：B\n解析：分两步。\n(1) 先看甲；\n(2) 再看乙。"
    for n in range(1, 9)
)


def test_an_exam_item_keeps_all_of_itself_and_shares_no_child() -> None:
    exam = Document("txt", "试卷", tuple(text_blocks(EXAM)))
    assert choose_profile(exam) == "exam"
    found = [child for child in children(split(exam, "exam", DEFAULT)) if "下列" in child]
    assert len(found) == 8
    for n, child in enumerate(found, 1):
        assert child.startswith(f"{n}. ")
        assert child.endswith("(2) 再看乙。")


def test_an_exam_whose_lines_are_blocks_of_their_own_is_cut_the_same() -> None:
    blocks = tuple(Block("paragraph", line) for line in EXAM.split("\n"))
    found = [child for child in children(split(document(*blocks), "exam", DEFAULT)) if "下列" in child]
    assert [child.split(". ")[0] for child in found] == [str(n) for n in range(1, 9)]


def test_the_rest_of_a_long_article_is_led_by_its_first_line() -> None:
    text = "\n".join(f"第{n}条 关于请假的规定：\n" + "学生因故不能上课的，应当事先请假。" * 60 for n in "一二三")
    (first, *rest) = split(document(Block("paragraph", text)), "legal", DEFAULT)[0].children
    assert first.lead == ""
    assert {child.lead for child in rest} == {"第一条 关于请假的规定："}


def test_no_exam_item_is_cut_by_the_end_of_a_parent() -> None:
    lines = [line for n in range(1, 61) for line in (f"{n}. 下列说法正确的是（ ）", "A. 甲", "B. 乙", "答案：B")]
    parents = split(document(*(Block("paragraph", line) for line in lines)), "exam", DEFAULT)
    assert len(parents) > 1
    assert all("下列" in parent.text.split("\n")[0] and parent.text.endswith("答案：B") for parent in parents)


def test_a_lost_number_does_not_join_the_items_after_it() -> None:
    exam = Document("txt", "试卷", tuple(text_blocks(EXAM.replace("3. 下列", "下列"))))
    found = children(split(exam, "exam", DEFAULT))
    assert sum(child.startswith(("4. ", "5. ", "6. ", "7. ", "8. ")) for child in found) == 5


def test_numbered_exercises_with_prose_are_no_exam() -> None:
    text = "## 练习\n\n1. 写出桶的内容；\n2. 查找 6；\n3. 说明理由。\n\n参考答案\n\n1. 略\n2. 略\n3. 略\n"
    assert choose_profile(markdown(text * 3)) == "general"


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("普通的中文讲义。" * 20, "general"),
        ("Plain English prose about operating systems. " * 10, "technical"),
        ("```c\n" + "int x = 1;\n" * 30 + "```", "code"),
        ("说明文字。" * 20 + "\n\n```c\n" + "int x = 1;\n" * 10 + "```", "technical"),
    ],
)
def test_the_text_chooses_its_profile(text: str, profile: Profile) -> None:
    assert choose_profile(markdown(text)) == profile


def test_pages_are_carried_to_parents_and_children() -> None:
    blocks = [Block("paragraph", f"第{page}页的句子。" * 20, page=page) for page in range(1, 9)]
    parents = split(document(*blocks), "general", DEFAULT)
    assert [parents[0].page, parents[-1].page_end] == [1, 8]
    for parent in parents:
        for child in parent.children:
            text = parent.text[child.start : child.end]
            assert f"第{child.page}页" in text
            assert f"第{child.page_end}页" in text


def test_one_huge_line_is_bounded() -> None:
    found = children(split(document(Block("paragraph", "无标点的长行" * 5000)), "general", DEFAULT))
    assert max(map(len, found)) <= 250
    assert "".join(found) == "无标点的长行" * 5000


def test_a_label_stays_with_what_it_leads_to() -> None:
    text = "说明文字写在这里。" * 24 + "\n\n示例如下：\n\n```c\n" + "int value = 1;\n" * 10 + "```"
    (label,) = [child for child in children(split(markdown(text), "general", DEFAULT)) if "示例如下" in child]
    assert "int value" in label


def test_chosen_sizes_are_kept() -> None:
    parents = split(document(Block("paragraph", "十个字的一句话呢。" * 100)), "general", SplitSettings(200, 50))
    assert max(len(parent.text) for parent in parents) <= 200
    assert max(map(len, children(parents))) <= 50


def test_encoding_text_leads_with_title_path_and_header_and_drops_link_targets() -> None:
    text = "见[文档](https://example.com/a_(b)/c?d=e)。"
    parent = Parent(("一", "甲"), text, None, None, (Child(0, len(text), lead="| 表头 |"),))
    assert encoding_text("书", parent, parent.children[0]) == "书 > 一 > 甲\n| 表头 |\n见[文档]。"
    assert encoding_text("一", parent, parent.children[0]).startswith("一 > 甲\n")


def test_packing_prefers_cheap_cuts_and_even_groups() -> None:
    assert pack([10] * 6, [0.1] * 6, 30, [0] * 6) == [0, 3]
    assert pack([10] * 5, [0, 9, 0, 9, 9], 30, [0] * 5) == [0, 2]
    assert pack([99], [0], 10, [0]) == [0]


BLOCKS = st.lists(
    st.builds(
        lambda kind, text, level: Block(kind, text, level=level if kind == "heading" else 0),
        st.sampled_from(["heading", "paragraph", "list", "code", "formula", "quote", "table"]),
        st.text(alphabet="的学。！；，：\n 1.A)“”|-`$", min_size=1, max_size=400).filter(str.strip),
        st.integers(1, 3),
    ),
    max_size=8,
)


@given(BLOCKS, st.sampled_from(["general", "technical", "legal", "code", "exam"]))
@settings(max_examples=120, deadline=None)
def test_children_slice_back_in_order_and_lose_nothing(blocks: list[Block], profile: Profile) -> None:
    doc = document(*blocks)
    parents = split(doc, profile, DEFAULT)
    assert parents == split(doc, profile, DEFAULT)
    kept = "".join("".join(parent.text.split()) for parent in parents)
    for block in blocks:
        if block.kind != "heading":
            assert "".join(block.text.split()) in kept
    for parent in parents:
        at = 0
        for child in parent.children:
            assert at <= child.start < child.end <= len(parent.text)
            assert not parent.text[at : child.start].strip()
            at = child.end
        assert not parent.text[at:].strip()
