"""The parser is quicker than the library's own loop, and says the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from edu_cli.ingest.markup.markdown_parser import parse_markdown

LINES = (
    "梯度下降", "a | b", "--- | ---", "| c | d |", "- x", "  - y", "1. z", "10) k", "> q", "# h", "===", "---", "",
    "    code", "```", "<div>", "\ttab", "* * *", "![i](u)", "  ", "[a]: b", "+ p", "  w", ":::",
)  # fmt: skip


def told(tokens: Iterable[Any]) -> list[tuple[Any, ...]]:
    return [
        (t.type, t.tag, t.nesting, t.level, list(t.map or ()), t.content, t.markup, t.info, t.hidden) for t in tokens
    ]


@given(st.lists(st.sampled_from(LINES), max_size=12))
@settings(max_examples=300, deadline=None)
def test_the_tokens_are_those_of_commonmark_with_tables(lines: list[str]) -> None:
    text = "\n".join(lines)
    plain = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table").disable(["inline", "reference"])
    assert told(parse_markdown(text)) == told(plain.parse(text))
