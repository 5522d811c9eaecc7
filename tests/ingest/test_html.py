from __future__ import annotations

from pathlib import Path

import pytest

from edu_cli.errors import LoadError
from edu_cli.ingest.markup.html import html_blocks, read_html
from edu_cli.ingest.options import LoadOptions

PAGE = """<html><head><meta charset="gb2312"><title>通知</title><style>p{color:red}</style></head><body>
<nav>首页</nav><h1>关于选课的通知</h1><p>开放时间为 9 月 2 日 07:45，<b>补退选</b>截止到 9 月 16 日。</p>
<script>alert(1)</script><div style="display:none">看不见</div>
<ul><li>第一项<ul><li>下级</li></ul></li><li>第二项</li></ul><ol><li>步骤</li></ol>
<pre>for x in y:
    print(x)</pre></body></html>"""


def test_a_gbk_page_is_read_as_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "通知.html"
    path.write_bytes(PAGE.encode("gbk"))
    document = read_html(path, LoadOptions())
    assert (document.title, document.encoding) == ("通知", "gb18030")
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("heading", "关于选课的通知"),
        ("paragraph", "开放时间为 9 月 2 日 07:45，补退选截止到 9 月 16 日。"),
        ("list", "- 第一项"),
        ("list", "  - 下级"),
        ("list", "- 第二项"),
        ("list", "1. 步骤"),
        ("code", "for x in y:\n    print(x)"),
    ]


def test_spanned_cells_are_repeated_down_so_that_rows_stand_alone() -> None:
    (block,) = html_blocks(
        "<table><tr><th>系</th><th>课</th></tr><tr><td rowspan=2>计算机</td><td>网络</td></tr>"
        "<tr><td>数据库</td></tr></table>"
    )
    assert block.text.split("\n")[2:] == ["| 计算机 | 网络 |", "| 计算机 | 数据库 |"]


def test_terms_stand_with_their_meaning() -> None:
    blocks = html_blocks("<dl><dt>教师</dt><dd>龚老师</dd><dt>学分</dt><dd><p>3</p></dd><dt>空</dt></dl>")
    assert [block.text for block in blocks] == ["- 教师：龚老师", "- 学分：3", "- 空"]


def test_tables_that_lay_out_the_page_are_read_through() -> None:
    blocks = html_blocks("<table><tr><td><h2>标题</h2><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>")
    assert [block.kind for block in blocks] == ["heading", "table"]


def test_a_page_without_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "空.html"
    path.write_text("<html><body><script>run()</script></body></html>", encoding="utf-8")
    with pytest.raises(LoadError) as error:
        read_html(path, LoadOptions())
    assert error.value.code == "no_text"


def test_tags_nested_thousands_deep_cost_the_structure_only() -> None:
    assert "浅" in html_blocks("<p>浅</p>" + "<div>" * 3000 + "深")[0].text


def test_what_stands_after_the_closing_tag_is_read_as_browsers_show_it() -> None:
    assert [b.text for b in html_blocks("<html><body><p>正文</p></body></html>尾注<p>版权</p>")] == [
        "正文",
        "尾注",
        "版权",
    ]


def test_comments_do_not_cut_a_word_and_a_declared_encoding_does_no_harm() -> None:
    assert [b.text for b in html_blocks('<?xml version="1.0" encoding="gbk"?><p>梯<!-- 分页 -->度</p>')] == ["梯度"]
