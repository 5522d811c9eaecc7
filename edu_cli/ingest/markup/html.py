"""HTML -> blocks: headings, paragraphs, lists, tables, code, in reading order; scripts and hidden parts dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edu_cli.errors import LoadError
from edu_cli.ingest.markup.inline import picture_name
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sheet.tables import table_block
from edu_cli.ingest.text.decode import decode
from edu_cli.types import Block, BlockKind, Document

# lxml ships no types: an element is Any, and text stands in it and after its children
Element = Any

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
_LAST_TAGS = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)


def read_html(path: Path, _options: LoadOptions) -> Document:
    """The page's text in reading order. Raises LoadError, `no_text` where it shows none."""
    data = path.read_bytes()
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, declared[1].decode("ascii", "replace") if declared else "", name=shown(path.name))
    root = _parse(decoded.text)
    blocks = tuple(_blocks(root))
    if not blocks:
        raise LoadError(
            f"{shown(path.name)} shows no text.",
            code="no_text",
            hint="a page built by scripts must be saved from a browser",
        )
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    name = next(root.iter("title"), None)
    title = " ".join("".join(name.itertext()).split()) if name is not None else ""
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


def _parse(text: str) -> Element:
    """The <html> element, comments and processing instructions left out; None where there is nothing."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - compiled, without stubs

    # as bytes, since a declared encoding is refused in a string
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    text = _LAST_TAGS.sub("", text)  # what stands after them is shown by browsers and left out by the parser
    return etree.fromstring(text.encode(), parser) if text.strip() else None


def _blocks(root: Element) -> list[Block]:
    if root is None:
        return []
    try:
        return [block for block in _read(root, "paragraph") if block.text.strip()]
    except RecursionError:  # tags nested hundreds deep, as broken exporters write them: the text without its structure
        lines = "\n".join(root.xpath(f"//text()[not(ancestor::{' or ancestor::'.join(_DROPPED)})]")).split("\n")
        return [Block("paragraph", " ".join(line.split())) for line in lines if line.strip()]


def _walk(node: Element, kind: BlockKind) -> Iterator[Block]:
    """The blocks below `node`: runs of inline content are blocks of `kind`."""
    run = [_flowing(node.text)]
    for child in node:
        if not _is_dropped(child):
            if _holds_blocks(child):
                yield Block(kind=kind, text=_shown(run))
                run = []
                yield from _read(child, kind)
            else:
                run.append(_inline(child))
        run.append(_flowing(child.tail))
    yield Block(kind=kind, text=_shown(run))


def _is_dropped(element: Element) -> bool:
    return (
        element.tag in _DROPPED or element.get("hidden") is not None or bool(_HIDDEN.search(element.get("style") or ""))
    )


def _holds_blocks(element: Element) -> bool:
    return any(part.tag in _BLOCKS for part in element.iter())


def _read(element: Element, kind: BlockKind) -> Iterator[Block]:
    name = element.tag
    if name[0] == "h" and name[1:].isdigit():
        yield Block(kind="heading", text=" ".join(_inline(element).split()), level=int(name[1]))
    elif name == "pre":
        yield Block(kind="code", text="".join(element.itertext()).strip("\n"))
    elif name == "table":
        yield from _table(element, kind)
    elif name in ("ul", "ol", "menu", "dir"):
        yield from _items(element)
    elif name == "dl":
        yield from _definitions(element)
    elif name == "blockquote":
        yield from _walk(element, "quote")
    elif name == "figcaption":
        yield from _walk(element, "caption")
    else:
        yield from _walk(element, kind)


def _items(element: Element) -> Iterator[Block]:
    for number, item in enumerate(element.iterchildren("li"), 1):
        marker = f"{number}. " if element.tag == "ol" else "- "
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


def _definitions(element: Element) -> Iterator[Block]:
    """A term and what it means on one line, where the meaning is one paragraph."""
    term = ""
    for part in (part for part in element.iter("dt", "dd") if _is_nearest(part, element)):
        if part.tag == "dt":
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


def _is_nearest(part: Element, holder: Element) -> bool:
    """Whether no other element of the holder's name stands between the two."""
    return next(part.iterancestors(holder.tag)) is holder


def _table(element: Element, kind: BlockKind) -> Iterator[Block]:
    """A table of data as rows; one that only lays out the page (a cell alone, or tables in it) as what it holds."""
    rows = [row for row in element.iter("tr") if _is_nearest(row, element)]
    cells = [list(row.iterchildren("td", "th")) for row in rows]
    if element.find(".//table") is not None or max((len(row) for row in cells), default=0) < 2:
        yield from _walk(element, kind)
        return
    caption = element.find(".//caption")
    if caption is not None:
        yield Block(kind="caption", text=" ".join("".join(caption.itertext()).split()))
    block = table_block(_grid(cells))
    if block:
        yield block


def _grid(rows: Sequence[Sequence[Element]]) -> list[list[str]]:
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


def _span(cell: Element, name: str, most: int) -> int:
    value = cell.get(name) or "1"
    return max(1, min(int(value), most)) if value.isdecimal() else 1


def _inline(element: Element) -> str:
    if _is_dropped(element):
        return ""
    name = element.tag
    if name == "br":
        return "\n"
    if name == "img":
        return picture_name(element.get("alt") or "")
    inner = _flowing(element.text) + "".join(_inline(child) + _flowing(child.tail) for child in element)
    if name in ("sup", "sub"):
        return ("^" if name == "sup" else "_") + inner if inner.strip() else ""
    return f" {inner} " if name in _BLOCKS else inner


def _flowing(text: str | None) -> str:
    """Text outside <pre>, where a line break is a space."""
    return re.sub(r"\s+", " ", text) if text else ""


def _shown(run: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(run).split("\n"))
    return "\n".join(line for line in lines if line)
