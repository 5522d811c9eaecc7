"""HTML -> blocks: headings, paragraphs, lists, tables, code, in reading order; scripts and hidden parts dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.errors import LoadError
from edu_cli.ingest.markup.inline import picture_name
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sheet.tables import table_block
from edu_cli.ingest.text.decode import decode
from edu_cli.types import Block, BlockKind, Document

if TYPE_CHECKING:
    from bs4 import Tag

_DROPPED_NAMES = "head script style noscript template svg nav iframe object embed audio video canvas button select"
_BLOCK_NAMES = (
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol p pre section summary table tbody td tfoot "
    "th thead tr ul"
)
_DROPPED = frozenset(_DROPPED_NAMES.split())
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_MOST_CELLS = 100_000  # beyond these, spans are not filled in: a few tags can ask for billions of cells
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)


def read_html(path: Path, _options: LoadOptions) -> Document:
    """The page's text in reading order. Raises LoadError, `no_text` where it shows none."""
    data = path.read_bytes()
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, declared[1].decode("ascii", "replace") if declared else "", name=shown(path.name))
    soup = _parse(decoded.text)
    blocks = tuple(_blocks(soup))
    if not blocks:
        raise LoadError(
            f"{shown(path.name)} shows no text.",
            code="no_text",
            hint="a page built by scripts must be saved from a browser",
        )
    name = soup.find("title")
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    title = " ".join(name.get_text().split()) if name else ""
    return Document(
        format="html",
        title=title or heading or shown(path.stem),
        blocks=blocks,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def html_blocks(fragment: str) -> list[Block]:
    """The blocks of a piece of HTML, as it stands in Markdown; [] for comments, closing tags and the like."""
    rest = _COMMENT.sub("", fragment)
    if not _TAG.sub("", rest).strip() and "alt" not in rest:
        return []
    return _blocks(_parse(rest))


def _parse(text: str) -> Tag:
    from bs4 import BeautifulSoup

    return BeautifulSoup(text, "lxml")


def _blocks(root: Tag) -> list[Block]:
    try:
        return [block for block in _walk(root, "paragraph") if block.text.strip()]
    except RecursionError:  # tags nested hundreds deep, as broken exporters write them: the text without its structure
        for tag in root.find_all(list(_DROPPED)):
            tag.decompose()
        lines = root.get_text("\n").split("\n")
        return [Block("paragraph", " ".join(line.split())) for line in lines if line.strip()]


def _walk(node: Tag, kind: BlockKind) -> Iterator[Block]:
    """The blocks below `node`: runs of inline content are blocks of `kind`."""
    from bs4 import Tag

    run: list[str] = []
    for child in node.children:
        if isinstance(child, Tag) and _is_dropped(child):
            continue
        if isinstance(child, Tag) and _holds_blocks(child):
            yield Block(kind=kind, text=_shown(run))
            run = []
            yield from _read(child, kind)
        else:
            run.append(_inline(child))
    yield Block(kind=kind, text=_shown(run))


def _is_dropped(tag: Tag) -> bool:
    return tag.name in _DROPPED or tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style") or "")))


def _holds_blocks(tag: Tag) -> bool:
    return tag.name in _BLOCKS or tag.find(list(_BLOCKS)) is not None


def _read(tag: Tag, kind: BlockKind) -> Iterator[Block]:
    name = tag.name
    if name[0] == "h" and name[1:].isdigit():
        yield Block(kind="heading", text=" ".join(_inline(tag).split()), level=int(name[1]))
    elif name == "pre":
        yield Block(kind="code", text=tag.get_text().strip("\n"))
    elif name == "table":
        yield from _table(tag, kind)
    elif name in ("ul", "ol", "menu", "dir"):
        yield from _items(tag)
    elif name == "dl":
        yield from _definitions(tag)
    elif name == "blockquote":
        yield from _walk(tag, "quote")
    elif name == "figcaption":
        yield from _walk(tag, "caption")
    else:
        yield from _walk(tag, kind)


def _items(tag: Tag) -> Iterator[Block]:
    for number, item in enumerate(tag.find_all("li", recursive=False), 1):
        marker = f"{number}. " if tag.name == "ol" else "- "
        for block in _walk(item, "list"):
            if block.text.strip():
                is_nested = block.text.startswith(("- ", "  ")) or not marker
                text = block.text.replace("\n", "\n  ")
                yield Block(
                    kind=block.kind,
                    text=f"  {text}" if is_nested and block.kind == "list" else marker + text,
                    header=block.header,
                    level=block.level,
                )
                marker = ""


def _definitions(tag: Tag) -> Iterator[Block]:
    """A term and what it means on one line, where the meaning is one paragraph."""
    term = ""
    for part in (part for part in tag.find_all(["dt", "dd"]) if part.find_parent("dl") is tag):
        if part.name == "dt":
            if term:
                yield Block(kind="list", text=f"- {term}")
            term = " ".join(_inline(part).split())
            continue
        blocks = [block for block in _walk(part, "list") if block.text.strip()]
        for block in blocks:
            yield replace(block, text=f"- {term}：{block.text}") if term and block.kind == "list" else block
            term = ""
    if term:
        yield Block(kind="list", text=f"- {term}")


def _table(tag: Tag, kind: BlockKind) -> Iterator[Block]:
    """A table of data as rows; one that only lays out the page (a cell alone, or tables in it) as what it holds."""
    rows = [row for row in tag.find_all("tr") if row.find_parent("table") is tag]
    cells = [row.find_all(["td", "th"], recursive=False) for row in rows]
    if tag.find("table") is not None or max((len(row) for row in cells), default=0) < 2:
        yield from _walk(tag, kind)
        return
    caption = tag.find("caption")
    if caption:
        yield Block(kind="caption", text=" ".join(caption.get_text().split()))
    block = table_block(_grid(cells))
    if block:
        yield block


def _grid(rows: Sequence[Sequence[Tag]]) -> list[list[str]]:
    """The cells' text with spans filled in: each row can be read alone."""
    grid: dict[tuple[int, int], str] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in grid:
                x += 1
            text = _inline(cell)
            is_full = len(grid) > _MOST_CELLS
            for dy in range(1 if is_full else _span(cell, "rowspan", len(rows) - y)):
                for dx in range(1 if is_full else _span(cell, "colspan", 100)):
                    grid[y + dy, x + dx] = text if not dx else ""
    width = max((x for _, x in grid), default=-1) + 1
    return [[grid.get((y, x), "") for x in range(width)] for y in range(len(rows))]


def _span(cell: Tag, name: str, most: int) -> int:
    value = str(cell.get(name) or "1")
    return max(1, min(int(value), most)) if value.isdecimal() else 1


def _inline(node: object) -> str:
    from bs4.element import NavigableString, PreformattedString, Tag

    if isinstance(node, NavigableString):  # comments and declarations are preformatted strings
        return "" if isinstance(node, PreformattedString) else re.sub(r"\s+", " ", str(node))
    if not isinstance(node, Tag) or _is_dropped(node):
        return ""
    if node.name == "br":
        return "\n"
    if node.name == "img":
        return picture_name(str(node.get("alt") or ""))
    inner = "".join(_inline(child) for child in node.children)
    if node.name in ("sup", "sub"):
        return ("^" if node.name == "sup" else "_") + inner if inner.strip() else ""
    return f" {inner} " if node.name in _BLOCKS else inner


def _shown(run: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(run).split("\n"))
    return "\n".join(line for line in lines if line)
