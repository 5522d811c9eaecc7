"""Questions take on the script of what they find."""

from __future__ import annotations

import pytest

from edu_cli.ask.retrieval.script import in_script_of

SIMPLIFIED, TRADITIONAL = "操作系统给每个进程分配内存。", "作業系統給每個程序分配記憶體。"


@pytest.mark.parametrize(
    ("texts", "question", "asked"),
    [
        ([SIMPLIFIED] * 3, "什麼是進程？", "什么是进程？"),
        ([TRADITIONAL] * 3, "什么是进程？", "什麼是進程？"),
        ([SIMPLIFIED] * 3, "什么是进程？", "什么是进程？"),
        ([TRADITIONAL] * 3, "什麼是進程？", "什麼是進程？"),
        ([SIMPLIFIED, SIMPLIFIED, TRADITIONAL], "什麼是進程？", "什么是进程？"),
        ([SIMPLIFIED, "def f(): ..."], "什麼是進程？", "什么是进程？"),
        (["def f(): ..."], "什麼是進程？", "什麼是進程？"),
        ([TRADITIONAL], "what is a process?", "what is a process?"),
        ([], "什麼是進程？", "什麼是進程？"),
    ],
)
def test_a_question_is_put_into_the_script_of_most_passages(texts: list[str], question: str, asked: str) -> None:
    assert in_script_of(texts, question) == asked


def test_a_name_that_only_traditional_has_does_not_make_a_text_traditional() -> None:
    text = SIMPLIFIED * 3 + "作者是於先生。"
    assert in_script_of([text], "什么是进程？") == "什么是进程？"
