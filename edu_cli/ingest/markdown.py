"""Markdown file -> Document, by CommonMark tokens: the parser says what a line is, the text is the source's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.ingest.decode import decode
from edu_cli.ingest.front_matter import read_front_matter
from edu_cli.ingest.html import html_blocks
from edu_cli.ingest.inline import picture_name, tidy_inline
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.tables import table_block
from edu_cli.types import Block, BlockKind, Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_ANCHOR = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_CONTAINER = re.compile(
    r"^[ \t]*:{3,}[ \t]*(?:tip|note|info|warning|danger|details|caution|important|code-group)?[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_INDENTED_BELOW = re.compile(r'(?:!!!|\?\?\?\+?|={3})[ \t]+(?:[\w-]+[ \t]*)*(?:"([^"]*)")?[ \t]*$')
_CALLOUT = re.compile(r"^\[!\w+\][-+]?[ \t]*")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
_MATH_END = {"$$": "$$", "\\[": "\\]"}
_ENVIRONMENT = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray|aligned|matrix|cases)\*?\}")


def read_markdown(path: Path, _options: LoadOptions) -> Document:
    """Headings, text, tables, code and formulas in order; front matter becomes metadata. Raises LoadError."""
    decoded = decode(path.read_bytes())
    metadata, body = read_front_matter(decoded.text)
    blocks = tuple(to_blocks(body))
    first = next((block for block in blocks if block.kind == "heading"), None)
    title = metadata.get("title") or (first.text if first and first.level == 1 else "") or path.stem
    return Document(
        format="md",
        title=title,
        blocks=blocks,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
        metadata=metadata,
    )


def to_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text without front matter; [] for one that shows nothing."""
    lines = text.expandtabs(4).split("\n") if "\t" in text else text.split("\n")
    tokens = _parser().parse(text)
    return [block for block in _walk(tokens, lines) if block.text.strip()]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table")
    # Inline text is kept as written, and `[^1]: note` must not vanish as a link definition.
    parser.disable(["inline", "reference"])
    parser.block.ruler.before("fence", "math", _math_rule, {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _math_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""`$$ … $$`, `\[ … \]` and LaTeX environments as one token, so that nothing inside is read as Markdown."""
    opening = _line(state, start)
    environment = _ENVIRONMENT.match(opening)
    sign = opening[:2]
    if environment:
        closing = "\\end{" + environment[0][len("\\begin{") :]
        rest = opening[environment.end() :]
    elif sign in _MATH_END:
        closing, rest = _MATH_END[sign], opening[2:]
    else:
        return False
    at = start
    while not rest.rstrip().endswith(closing):
        at += 1
        if at >= end:
            return False
        rest = _line(state, at)
    if not silent:
        state.line = at + 1
        token = state.push("math", "", 0)
        token.map = [start, at + 1]
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _walk(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _closing(tokens, at) + 1
        yield from _READERS.get(token.type, _skip)(tokens[at:end], lines)
        at = end


def _closing(tokens: Sequence[Token], at: int) -> int:
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    return next(i for i in range(at + 1, len(tokens)) if tokens[i].level == level and tokens[i].nesting == -1)


def _source(token: Token, lines: list[str]) -> str:
    start, end = token.map or (0, 0)
    return "\n".join(lines[start:end]).strip("\n")


def _skip(_tokens: Sequence[Token], _lines: list[str]) -> Iterator[Block]:
    yield from ()


def _heading(tokens: Sequence[Token], _lines: list[str]) -> Iterator[Block]:
    title = plain_inline(_ANCHOR.sub("", tokens[1].content))
    if title:
        yield Block(kind="heading", text=title, level=int(tokens[0].tag[1]))


def plain_inline(content: str) -> str:
    """Inline Markdown as it is shown: no emphasis marks, links by their text, pictures by their names."""
    parser = _parser()
    children: list[Token] = []
    parser.inline.parse(content, parser, {}, children)
    shown: list[str] = []
    for child in children:
        if child.type in ("text", "code_inline"):
            shown.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            shown.append(" ")
        elif child.type == "image":
            shown.append(picture_name(child.content))
        elif child.type == "html_inline":
            shown.append(tidy_inline(child.content))
    return " ".join("".join(shown).split())


def _paragraph(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    text = tidy_inline(_CONTAINER.sub("", _source(tokens[0], lines)))
    tab = _INDENTED_BELOW.match(text)
    if tab:
        text = tab[1] or ""
    kind: BlockKind = "note" if _FOOTNOTE.match(text) else "paragraph"
    yield Block(kind=kind, text=_trimmed(text))


def _trimmed(text: str) -> str:
    kept = [line.rstrip() for line in text.split("\n")]
    return "\n".join(line for line in kept if line)


def _fence(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    text = _source(tokens[0], lines)
    if tokens[0].content.strip():
        yield Block(kind="code", text=text, header=text.split("\n", 1)[0])


def _indented(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    start = (tokens[0].map or (0, 0))[0]
    above = next((line for line in reversed(lines[:start]) if line.strip()), "")
    if _INDENTED_BELOW.match(above.strip()):  # the body of an admonition or a tab, not code
        yield from to_blocks(tokens[0].content)
    else:
        yield Block(kind="code", text=_source(tokens[0], lines))


def _math(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    yield Block(kind="formula", text=_source(tokens[0], lines))


def _list(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    at = 1
    while at < len(tokens) - 1:
        end = _closing(tokens, at) + 1
        item = tokens[at:end]
        if any(token.type in ("fence", "code_block", "table_open", "html_block", "math") for token in item):
            yield from _mixed_item(item, lines)
        else:
            yield Block(kind="list", text=_trimmed(tidy_inline(_source(item[0], lines))))
        at = end


def _mixed_item(item: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    for block in _walk(item[1:-1], lines):
        yield Block(kind="list", text=block.text) if block.kind == "paragraph" else block


def _quote(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    start, end = tokens[0].map or (0, 0)
    inner = "\n".join(re.sub(r"^[ \t]*> ?", "", line) for line in lines[start:end])
    for block in to_blocks(_CALLOUT.sub("", inner)):
        shown = block.kind in ("paragraph", "heading")
        yield Block(kind="quote", text=block.text) if shown else block


def _table(tokens: Sequence[Token], _lines: list[str]) -> Iterator[Block]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(tidy_inline(token.content))
    block = table_block(rows)
    if block:
        yield block


def _html(tokens: Sequence[Token], _lines: list[str]) -> Iterator[Block]:
    yield from html_blocks(tokens[0].content)


_READERS = {
    "heading_open": _heading,
    "paragraph_open": _paragraph,
    "fence": _fence,
    "code_block": _indented,
    "math": _math,
    "bullet_list_open": _list,
    "ordered_list_open": _list,
    "blockquote_open": _quote,
    "table_open": _table,
    "html_block": _html,
}
