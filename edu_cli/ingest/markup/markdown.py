"""Markdown file -> Document, by CommonMark tokens: the parser says what a line is, the text is the source's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from edu_cli.ingest.markup.front_matter import read_front_matter
from edu_cli.ingest.markup.html import html_blocks
from edu_cli.ingest.markup.inline import picture_name, tidy_inline
from edu_cli.ingest.markup.markdown_parser import BlockToken, parse_inline, parse_markdown
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sheet.tables import row_cells, table_block
from edu_cli.ingest.split.contents_list import without_contents
from edu_cli.ingest.text.decode import decode
from edu_cli.text import cjk_share
from edu_cli.types import Block, BlockKind, Document

_ANCHOR = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_CONTAINER = re.compile(
    r"^[ \t]*:{3,}[ \t]*(?:tip|note|info|warning|danger|details|caution|important|code-group)?[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_INDENTED_BELOW = re.compile(r'(?:!!!|\?\?\?\+?|={3})[ \t]+(?:[\w-]+[ \t]*)*(?:"([^"]*)")?[ \t]*$')
_CALLOUT = re.compile(r"^\[!\w+\][-+]?[ \t]*")
_TABLE_LINES = 500  # within which an HTML table is closed
_QUOTE_MARKS = re.compile(r"(?:[ \t]*>)+")
_PROSE_SHARE = 0.5
_COMMENT_LINE = re.compile(r"^[ \t]*(?:#|//|/\*|--|\*[ ])", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")


def read_markdown(path: Path, _options: LoadOptions) -> Document:
    """Headings, text, tables, code and formulas in order; front matter becomes metadata. Raises LoadError."""
    decoded = decode(path.read_bytes(), name=shown(path.name))
    metadata, body = read_front_matter(decoded.text)
    blocks = tuple(without_contents(to_blocks(body)))
    first = next((block for block in blocks if block.kind == "heading"), None)
    title = metadata.get("title") or (first.text if first and first.level == 1 else "") or shown(path.stem)
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
    lines = text.split("\n")
    tokens = parse_markdown(text)
    return [block for block in _walk(tokens, lines) if _says_something(block)]


def _says_something(block: Block) -> bool:
    return (
        any(map(str.isalnum, block.text)) if block.kind in ("paragraph", "list", "quote") else bool(block.text.strip())
    )


def _walk(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _closing(tokens, at) + 1
        if token.type == "html_block" and _opens_table(token.content.lower()):
            stop = _table_end(token, lines)
            yield from html_blocks("\n".join(lines[(token.map or (0, 0))[0] : stop]))
            at = next((i for i in range(end, len(tokens)) if (tokens[i].map or (0, 0))[0] >= stop), len(tokens))
            continue
        yield from _READERS.get(token.type, _skip)(tokens[at:end], lines)
        at = end


def _table_end(token: BlockToken, lines: list[str]) -> int:
    """The line after </table>: a blank line inside an HTML table ends the block of HTML, but not the table."""
    start, end = token.map or (0, 0)
    within = range(start, min(len(lines), start + _TABLE_LINES))
    return next((i + 1 for i in within if "</table" in lines[i].lower()), end)


def _opens_table(html: str) -> bool:
    return html.rfind("<table") > html.rfind("</table")


def _closing(tokens: Sequence[BlockToken], at: int) -> int:
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    return next(i for i in range(at + 1, len(tokens)) if tokens[i].level == level and tokens[i].nesting == -1)


def _source(token: BlockToken, lines: list[str]) -> str:
    start, end = token.map or (0, 0)
    return "\n".join(lines[start:end]).strip("\n")


def _skip(_tokens: Sequence[BlockToken], _lines: list[str]) -> Iterator[Block]:
    yield from ()


def _heading(tokens: Sequence[BlockToken], _lines: list[str]) -> Iterator[Block]:
    title = plain_inline(_ANCHOR.sub("", tokens[1].content))
    if title:
        yield Block(kind="heading", text=title, level=int(tokens[0].tag[1]))


def plain_inline(content: str) -> str:
    """Inline Markdown as it is shown: no emphasis marks, links by their text, pictures by their names."""
    shown: list[str] = []
    for child in parse_inline(content):
        if child.type in ("text", "code_inline"):
            shown.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            shown.append(" ")
        elif child.type == "image":
            shown.append(picture_name(child.content))
        elif child.type == "html_inline":
            shown.append(tidy_inline(child.content))
    return " ".join("".join(shown).split())


def _paragraph(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    text = tidy_inline(_CONTAINER.sub("", _source(tokens[0], lines)))
    tab = _INDENTED_BELOW.match(text)
    if tab:
        text = tab[1] or ""
    kind: BlockKind = "note" if _FOOTNOTE.match(text) else "paragraph"
    yield Block(kind=kind, text="\n".join(line for line in map(str.strip, text.split("\n")) if line))


def _fence(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    text = _source(tokens[0], lines)
    if tokens[0].content.strip():
        yield Block(kind="code", text=text, header=text.split("\n", 1)[0])


def _indented(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    start = (tokens[0].map or (0, 0))[0]
    above = next((line for line in reversed(lines[:start]) if line.strip()), "")
    if _INDENTED_BELOW.match(above.strip()) or _is_indented_prose(tokens[0].content):
        yield from to_blocks(tokens[0].content)
    else:
        yield Block(kind="code", text=_source(tokens[0], lines))


def _is_indented_prose(content: str) -> bool:
    """Whether indented "code" is Chinese text whose writer indents first lines, or a fence below a site's own tag.

    Of 519 indented blocks in six courses, those with half their characters Chinese were prose, but for comments.
    """
    if content.lstrip().startswith(("```", "~~~")):
        return True
    return cjk_share(content) >= _PROSE_SHARE and not _COMMENT_LINE.search(content)


def _math(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    yield Block(kind="formula", text=_source(tokens[0], lines))


def _list(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    at = 1
    while at < len(tokens) - 1:
        end = _closing(tokens, at) + 1
        item = tokens[at:end]
        if any(token.type in ("fence", "code_block", "table_open", "html_block", "math") for token in item):
            yield from _mixed_item(item, lines)
        else:
            text = tidy_inline(_source(item[0], lines))
            yield Block(kind="list", text="\n".join(line.rstrip() for line in text.split("\n") if line.strip()))
        at = end


def _mixed_item(item: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    for block in _walk(item[1:-1], lines):
        yield Block(kind="list", text=block.text) if block.kind == "paragraph" else block


def _quote(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    start, end = tokens[0].map or (0, 0)
    marks = [match[0] for line in lines[start:end] if (match := _QUOTE_MARKS.match(line))]
    depth = min(mark.count(">") for mark in marks)
    inner = "\n".join(re.sub(rf"^(?:[ \t]*> ?){{1,{depth}}}", "", line) for line in lines[start:end])
    for block in to_blocks(_CALLOUT.sub("", inner)):
        shown = block.kind in ("paragraph", "heading")
        yield Block(kind="quote", text=block.text) if shown else block


def _table(tokens: Sequence[BlockToken], lines: list[str]) -> Iterator[Block]:
    start, end = tokens[0].map or (0, 0)
    width = sum(token.type == "th_open" for token in tokens)
    kept = [lines[start], *lines[start + 2 : end]]
    block = table_block([[tidy_inline(cell) for cell in row_cells(line, width)] for line in kept])
    if block:
        yield block


def _html(tokens: Sequence[BlockToken], _lines: list[str]) -> Iterator[Block]:
    for block in html_blocks(tokens[0].content):  # Markdown may stand inside the tags
        yield block if block.kind in ("code", "table") else replace(block, text=tidy_inline(block.text))


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
