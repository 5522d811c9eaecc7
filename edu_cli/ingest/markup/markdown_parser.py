"""CommonMark with pipe tables and formulas: block tokens only."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_ENVIRONMENT = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray|aligned|matrix|cases)\*?\}")
_TABLE_SIGN = re.compile(r"-[ \t]*:?[ \t]*\||\|[ \t]*:?-")
_MOST_LINES = 80  # a sign that nothing closes within these is text
_MATH_END = {"$$": "$$", "\\[": "\\]"}


def parse_markdown(text: str) -> list[Token]:
    """The block tokens of `text`; inline content is not parsed, since it is kept as written."""
    # Each rule is tried on every line, so those that cannot match are left out: a tenth of the time.
    return _parser(bool(_TABLE_SIGN.search(text)), any(sign in text for sign in ("$$", "\\[", "\\begin"))).parse(text)


def parse_inline(content: str) -> list[Token]:
    """The inline tokens of one paragraph's or heading's content."""
    parser = _parser(False, False)
    tokens: list[Token] = []
    parser.inline.parse(content, parser, {}, tokens)
    return tokens


@lru_cache(maxsize=4)
def _parser(has_tables: bool, has_formulas: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 50})
    # Without the rule for link definitions, `[^1]: note` stays a paragraph.
    parser.disable(["inline", "reference"])
    if has_tables:
        parser.enable("table")
    if has_formulas:
        parser.block.ruler.before("fence", "math", _math_rule, {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _math_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""`$$ … $$`, `\[ … \]` and LaTeX environments as one token, so that nothing inside is read as Markdown."""
    opening = _line(state, start)
    if opening[:1] not in ("$", "\\"):
        return False
    environment = _ENVIRONMENT.match(opening)
    sign = opening[:2]
    if environment:
        closing = "\\end{" + environment[0][len("\\begin{") :]
        rest = opening[environment.end() :]
    elif sign in _MATH_END:
        closing, rest = _MATH_END[sign], opening[2:]
    else:
        return False
    if closing in rest.rstrip().removesuffix(closing):
        return False  # a formula within a sentence
    at = start
    while closing not in rest:
        at += 1
        if at >= min(end, start + _MOST_LINES):
            return False
        rest = _line(state, at)
    if not silent:
        state.line = at + 1
        token = state.push("math", "", 0)
        token.map = [start, at + 1]
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
