"""What a person reads of the material's Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.cli.unmarked import unmarked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**元组是不可变类型**，列表可变。[1]", "元组是不可变类型，列表可变。[1]"),
        ("见[文档](https://example.org/a_(b))。", "见文档。"),
        ('见[第二章](../02.md "标题")。[2]', "见第二章。[2]"),
        ("![结构图](img/a.png)如图。", "结构图如图。"),
        ("## 小结\n要点。", "小结\n要点。"),
        ("`**kwargs` 收**关键字**参数", "`**kwargs` 收关键字参数"),
        ("```\n**x**\n# 注释\n```\n[1]", "```\n**x**\n# 注释\n```\n[1]"),
        ("2**3 和 4**5", "2**3 和 4**5"),
        ("__init__ 是构造方法", "__init__ 是构造方法"),
        ("a <span style='x'>b</span><br/>c, 1 < 2 > 0", "a b c, 1 < 2 > 0"),
        ("数组 a[i](0) 和引用 [1]", "数组 a[i](0) 和引用 [1]"),
        ("C# 语言\n#include", "C# 语言\n#include"),
    ],
)
def test_marks_go_and_text_stays(text: str, shown: str) -> None:
    assert unmarked(text) == shown


@given(st.text(alphabet="*_`[]()!#<>ab 中\n/"))
def test_any_text_is_shown(text: str) -> None:
    assert len(unmarked(text)) <= len(text)
