from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from edu_cli.ingest.markup.markdown import read_markdown, to_blocks
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Document


def read(folder: Path, text: str) -> Document:
    path = folder / "讲义.md"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return read_markdown(path, LoadOptions())


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in to_blocks(textwrap.dedent(text)) if block.kind == "heading"]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in to_blocks(textwrap.dedent(text))]


def test_front_matter_is_metadata_and_no_text(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        """\
        ---
        title: "机器学习导论"
        # 注释，不是标题
        tags: [ml, 导论]
        keywords:
          - 监督
          - 无监督
        ---
        # 第一章

        正文
        """,
    )
    assert document.title == "机器学习导论"
    assert document.metadata == {"title": "机器学习导论", "tags": "ml, 导论", "keywords": "监督, 无监督"}
    assert [block.text for block in document.blocks] == ["第一章", "正文"]


def test_a_thematic_break_at_the_start_is_no_front_matter(tmp_path: Path) -> None:
    assert [block.text for block in read(tmp_path, "---\n\n一句普通的话。\n\n---\n\n后文").blocks] == [
        "一句普通的话。",
        "后文",
    ]


def test_headings_of_every_kind_and_level_are_found() -> None:
    text = """\
    大标题
    ===

    小标题
    ---

    #### 四级 `code` **粗** [链](http://x.y) ##
    ###### 六级 {#id}
    """
    assert headings(text) == [(1, "大标题"), (2, "小标题"), (4, "四级 code 粗 链"), (6, "六级")]


def test_no_heading_is_found_inside_code() -> None:
    text = """\
    # 真

    ````markdown
    ```bash
    # 假一
    ```
    # 假二
    ````

    ~~~text
    ~~~ 不是结束
    # 假三
    ~~~

        # 假四（缩进代码）

    ```
    # 假五（没有关闭）
    """
    assert headings(text) == [(1, "真")]


def test_code_is_kept_to_the_character() -> None:
    code = "```python\nif x > 0:\n\n    return  x\t# 注释\n```"
    assert kinds(code + "\n") == [("code", code)]
    assert kinds("段\n\n    a\n      b\n") == [("paragraph", "段"), ("code", "    a\n      b")]


def test_formulas_are_not_read_as_markdown() -> None:
    formula = "$$\na\n= b\n\n# c\n- d\n$$"
    assert kinds(f"设\n{formula}\n则") == [("paragraph", "设"), ("formula", formula), ("paragraph", "则")]
    assert kinds("\\begin{align}\nx &= *y*\n\\end{align}")[0][0] == "formula"
    assert kinds("$$E=mc^2$$ 是质能方程\n\n后文\n\n$$x$$") == [
        ("paragraph", "$$E=mc^2$$ 是质能方程"),
        ("paragraph", "后文"),
        ("formula", "$$x$$"),
    ]


def test_inline_formulas_and_code_stay_while_tags_and_pictures_go() -> None:
    text = (
        "当 $a<b>c$ 且 `<b>` 时 <b>粗</b> 2<sup>10</sup> &lt; List<String> ![架构图](a.png) ![](b.png) ![image](c.png)"
    )
    assert kinds(text)[0][1].split() == [
        "当",
        "$a<b>c$",
        "且",
        "`<b>`",
        "时",
        "粗",
        "2^10",
        "<",
        "List<String>",
        "架构图",
    ]


def test_tables_keep_their_header_and_every_cell() -> None:
    (block,) = to_blocks("| 名 | 式 |\n|:--|--:|\n| 甲 | $|x|$ |\n| 乙 | `a||b` |\n| 丙 | 1 | 多 |\n丁 | a\\|b\n")
    assert block.header == "| 名 | 式 |\n| --- | --- |"
    assert block.text.split("\n")[2:] == [
        "| 甲 | $\\|x\\|$ |",
        "| 乙 | `a\\|\\|b` |",
        "| 丙 | 1 \\| 多 |",
        "| 丁 | a\\|b |",
    ]


def test_html_tables_are_tables_even_with_blank_lines_inside() -> None:
    text = "<table>\n<tr><th>名</th><th>值</th></tr>\n\n<tr><td>甲</td>\n    <td>1</td></tr>\n\n</table>\n\n后文"
    assert kinds(text) == [("table", "| 名 | 值 |\n| --- | --- |\n| 甲 | 1 |"), ("paragraph", "后文")]


def test_html_headings_details_pictures_and_comments() -> None:
    text = """\
    <h2 align="center">居中标题</h2>

    <!-- 注释
    不要 -->

    <details><summary>点开</summary>

    里面

    </details>

    <p><img src="x.png" alt="部署图"></p>

    <p align="center">
    ![时序图](a.png)
    </p>
    """
    assert kinds(text) == [
        ("heading", "居中标题"),
        ("paragraph", "点开"),
        ("paragraph", "里面"),
        ("paragraph", "部署图"),
        ("paragraph", "时序图"),
    ]


def test_footnotes_and_link_definitions_are_not_lost() -> None:
    assert kinds("文[^1]\n\n[^1]: http://only.one\n") == [("paragraph", "文[^1]"), ("note", "[^1]: http://only.one")]
    assert kinds("[ref]: http://x.y") == [("paragraph", "[ref]: http://x.y")]


def test_list_items_stand_alone_and_their_code_is_code() -> None:
    text = "- 一\n  - 二\n- 三\n\n  ```sh\n  # 不是标题\n  ```\n"
    assert [kind for kind, _ in kinds(text)] == ["list", "list", "code"]
    assert kinds(text)[0][1] == "- 一\n  - 二"


def test_quotes_and_callouts_lose_their_marks() -> None:
    assert kinds("> [!NOTE]\n> 引用\n> # 引用里的标题\n>> 深\n") == [
        ("quote", "引用"),
        ("quote", "引用里的标题"),
        ("quote", "深"),
    ]


def test_bodies_of_admonitions_and_tabs_are_text_not_code() -> None:
    text = '!!! note "提示"\n\n    正文\n\n    ```py\n    x = 1\n    ```\n\n:::tip 贴士\n内容\n:::\n'
    assert kinds(text) == [
        ("paragraph", "提示"),
        ("paragraph", "正文"),
        ("code", "```py\nx = 1\n```"),
        ("paragraph", "贴士\n内容"),
    ]


def test_title_falls_back_from_metadata_to_heading_to_name(tmp_path: Path) -> None:
    assert read(tmp_path, "# 一级\n\n文").title == "一级"
    assert read(tmp_path, "## 二级\n\n文").title == "讲义"


@pytest.mark.parametrize(
    "text", ["> " * 300 + "深", "- " * 200 + "深", "$$\n" * 3000, "[" * 3000, "*a_" * 3000, "<table>" * 500]
)
def test_hostile_markdown_ends(text: str) -> None:
    to_blocks(text)


def test_carriage_returns_alone_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes("# 甲\r\r文\r## 乙\r\r字".encode())
    assert [block.level for block in read_markdown(path, LoadOptions()).blocks] == [1, 0, 2, 0]
