"""Block -> pieces: the spans that splitting never cuts, with what a cut before each would cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edu_cli.ingest.split.profiles import Sizes
from edu_cli.text import sentences
from edu_cli.types import Block

# What it costs to cut before a piece, against an unevenness of 0..1 a group (see `pack`): the order is what matters.
AT_BLOCK = 0.0
AT_LINE = 0.05
AT_SENTENCE = 0.12
BELOW_LABEL = 0.5
IN_SENTENCE = 0.6
IN_UNIT = 2.0
NEVER = 4.0  # where it can be helped

_MOST_HEADER = 0.3  # of a parent: a longer one would leave too little room for what it heads

_LATE_MARK = "。！？；：，、,.!?;:”’」』）】》)]}…%％°℃"
_KEPT_TOGETHER = re.compile(r"`[^`\n]+`|\$\$.+?\$\$|\$[^$\n]{1,300}\$|\]\([^)\n]{1,500}\)", re.DOTALL)
_DEFINITION = re.compile(
    r"(?:export |public |private |protected |internal |static |final |abstract |async |default |inline |unsafe |pub )*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|namespace|template|void|@|CREATE|"
    r"SELECT|INSERT|UPDATE|DELETE|ALTER|DROP)\b"
)
_SEPARATORS = ["\n\n", "\n", "。", "！", "？", "；", ";", "，", ",", "、", " ", ""]


class Piece(NamedTuple):
    """`text` stands in a parent after `glue` (left out at its start). `block` is its block's place in the section.

    `header` is repeated before a piece that a parent begins with; `is_unit` marks the start of an article or exam item.
    """

    text: str
    glue: str
    block: int
    cost: float
    header: str = ""
    is_unit: bool = False


def pieces_of(block: Block, index: int, glue: str, cost: float, sizes: Sizes, units: Sequence[int]) -> Iterator[Piece]:
    """The pieces of one block, in order; together they are its text. `units` are offsets where units begin."""
    if block.kind == "code":
        spans = _code_spans(block)
    elif block.kind == "table":
        spans = _row_spans(block)
    elif block.kind == "formula":
        spans = [(0, len(block.text), 0.0)]
    else:
        spans = _prose_spans(block.text)
    if units:
        spans = _cut_at_units(spans, units)
    header = block.header if len(block.header) <= _MOST_HEADER * sizes.parent else ""
    first = True
    for start, end, inner in spans:
        text = block.text[start:end]
        for nth, part in enumerate(_bounded(text, sizes, block.kind)):
            yield Piece(
                text=part,
                glue=glue if first else "",
                block=index,
                cost=cost if first else (inner if nth == 0 else IN_SENTENCE),
                header="" if first else header,
                is_unit=nth == 0 and start in units,
            )
            first = False


def _prose_spans(text: str) -> list[tuple[int, int, float]]:
    kept = [match.span() for match in _KEPT_TOGETHER.finditer(text)]
    spans: list[tuple[int, int, float]] = []
    at = 0
    for start, end in sentences(text):
        while at < len(kept) and kept[at][1] <= start:
            at += 1
        is_inside = at < len(kept) and kept[at][0] < start
        if spans and (is_inside or text[start] in _LATE_MARK):
            spans[-1] = (spans[-1][0], end, spans[-1][2])
            continue
        before = text[:start].rstrip(" \t") if start < 2 else text[max(0, start - 80) : start].rstrip(" \t")
        cost = AT_LINE if before.endswith("\n") else AT_SENTENCE
        if before.rstrip().endswith(("：", ":")):
            cost = BELOW_LABEL
        spans.append((start, end, cost))
    return spans


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _row_spans(block: Block) -> list[tuple[int, int, float]]:
    """One span a row; the header rows stay with the first row below them."""
    spans = [(start, end, AT_LINE) for start, end in _line_spans(block.text)]
    n_header = block.header.count("\n") + 1 if block.header and block.text.startswith(block.header) else 0
    if 0 < n_header < len(spans):
        spans[: n_header + 1] = [(0, spans[n_header][1], 0.0)]
    return spans


def _code_spans(block: Block) -> list[tuple[int, int, float]]:
    """One span a line. A cut is cheap before a definition that stands furthest left, dear inside an indented body."""
    text = block.text
    lines = list(_line_spans(text))
    solid = [text[a:b] for a, b in lines if text[a:b].strip() and not text[a:b].lstrip().startswith(("```", "~~~"))]
    base = min((len(line) - len(line.lstrip()) for line in solid), default=0)
    spans: list[tuple[int, int, float]] = []
    is_after_blank = is_quoted = False
    for start, end in lines:
        line = text[start:end]
        if not line.strip() and spans:
            spans[-1] = (spans[-1][0], end, spans[-1][2])
            is_after_blank = True
            continue
        is_first = len(spans) == 1 and text.startswith(("```", "~~~"))  # a fence alone says nothing
        spans.append((start, end, NEVER if is_quoted or is_first else _code_cost(line, base, is_after_blank)))
        is_quoted ^= line.count('"""') % 2 == 1 or line.count("/*") != line.count("*/")
        is_after_blank = False
    return spans


def _code_cost(line: str, base: int, is_after_blank: bool) -> float:
    code = line.strip()
    depth = len(line) - len(line.lstrip()) - base
    if code[:1] in ")}]" or code.startswith(("```", "~~~", "end", "else", "elif", "catch", "finally", "except")):
        return NEVER
    if depth <= 0:
        if is_after_blank:
            return 0.02
        return 0.05 if _DEFINITION.match(code) else 0.4
    return (1.0 if is_after_blank else 2.0) + 0.02 * min(depth, 40)


def _cut_at_units(spans: list[tuple[int, int, float]], units: Sequence[int]) -> list[tuple[int, int, float]]:
    found: list[tuple[int, int, float]] = []
    for start, end, cost in spans:
        inner = [unit for unit in units if start < unit < end]
        for a, b in zip([start, *inner], [*inner, end], strict=True):
            found.append((a, b, 0.0 if a in units else cost))
    return found


def _bounded(text: str, sizes: Sizes, kind: str) -> list[str]:
    """`text` itself, or its parts where it is too long to be kept whole."""
    limit = sizes.parent if kind == "formula" else sizes.whole
    if len(text.strip()) <= limit:
        return [text]
    # Imported where a text needs it: the import takes half a second.
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=sizes.child,
        chunk_overlap=0,
        separators=_SEPARATORS,
        keep_separator="end",
        add_start_index=True,
        strip_whitespace=False,
    )
    starts = [doc.metadata["start_index"] for doc in splitter.create_documents([text])]
    kept = [start for start in starts if start == 0 or text[start] not in _LATE_MARK]
    if any(b - a > limit for a, b in zip(kept, [*kept[1:], len(text)], strict=True)):
        kept = starts
    return [text[a:b] for a, b in zip([0, *kept[1:]], [*kept[1:], len(text)], strict=True)]
