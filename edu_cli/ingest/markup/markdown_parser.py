"""CommonMark with pipe tables and formulas: block tokens only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, paragraph
from markdown_it.token import Token

_ENVIRONMENT = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray|aligned|matrix|cases)\*?\}")
_TABLE_SIGN = re.compile(r"-[ \t]*:?[ \t]*\||\|[ \t]*:?-")
_MOST_LINES = 80  # a sign that nothing closes within these is text
_MATH_END = {"$$": "$$", "\\[": "\\]"}
_OPENERS = frozenset("#>-+*_=`~<$\\|:0123456789")  # what a block other than a paragraph may begin with


class BlockToken:
    """What rules set and our reader looks at of a `markdown_it.token.Token`, which checks 14 fields when it is made:
    a quarter of the time that parsing took.
    """

    map: tuple[int, int] | None = None
    content = markup = info = ""
    attrs: Any = None
    children: Any = None
    meta: Any = None
    hidden = False

    def __init__(self, type_: str, tag: str, nesting: int, level: int) -> None:
        self.type = type_
        self.tag = tag
        self.nesting = nesting
        self.level = level


class _State(StateBlock):
    """A parser's state that makes the lighter tokens."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Any:
        """As the method it replaces: a closing tag has the level of its opening one."""
        self.level -= nesting < 0
        token = BlockToken(ttype, tag, nesting, self.level)
        self.level += nesting > 0
        self.tokens.append(token)  # pyright: ignore[reportArgumentType]
        return token


def parse_markdown(text: str) -> Sequence[BlockToken]:
    """The block tokens of `text`, whose line ends are LF; inline content is not parsed, since it is kept as written."""
    # Each rule is tried on every line, so those that cannot match are left out: a tenth of the time.
    has_formulas = any(sign in text for sign in ("$$", "\\[", "\\begin"))
    parser = _parser(bool(_TABLE_SIGN.search(text)), has_formulas)
    tokens: list[Any] = []
    state = _State(text, parser, {}, tokens)
    parser.block.tokenize(state, state.line, state.lineMax)
    return tokens


def parse_inline(content: str) -> list[Token]:
    """The inline tokens of one paragraph's or heading's content."""
    parser = _parser(False, False)
    tokens: list[Token] = []
    parser.inline.parse(content, parser, {}, tokens)
    return tokens


@lru_cache(maxsize=4)
def _parser(has_tables: bool, has_formulas: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 50})
    # Without the rule for link definitions, `[^1]: note` stays a paragraph.
    parser.disable(["inline", "reference"])
    if has_tables:
        parser.enable("table")
    if has_formulas:
        parser.block.ruler.before("fence", "math", _math_rule, {"alt": ["paragraph", "blockquote", "list"]})
    parser.block.ruler.before("table", "line", _line_rule, {"alt": []})
    return parser


def _line_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph of one line, as most are, without asking the other rules one by one."""
    is_alone = start + 1 >= state.lineMax or state.isEmpty(start + 1)
    if not is_alone or state.sCount[start] - state.blkIndent > 3 or _line(state, start)[:1] in _OPENERS:
        return False
    return paragraph(state, start, end, silent)


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
