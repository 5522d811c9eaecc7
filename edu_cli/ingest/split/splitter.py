"""Section -> Parent/Child: what the model reads and what is matched."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.config import SplitSettings
from edu_cli.ingest.split.pieces import AT_BLOCK, BELOW_LABEL, IN_UNIT, Piece, pieces_of
from edu_cli.ingest.split.profiles import Sizes, choose_profile, sizes_of
from edu_cli.ingest.split.sections import to_sections
from edu_cli.ingest.split.units import unit_starts
from edu_cli.types import Block, Child, Document, Parent, Profile, Section

_LABEL_CHARS = 40
_LEAD_CHARS = 80
_LINK = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*(?:[ ]+\"[^\"\n]*\")?\)")
_LONG_URL = re.compile(r"(https?://[^\s<>\"，。；）)]{60})[^\s<>\"，。；）)]+")

__all__ = ["choose_profile", "encoding_text", "split"]


def split(document: Document, profile: Profile, settings: SplitSettings) -> tuple[Parent, ...]:
    """The document's parents with their children, in order.

    A parent never crosses a section; `parent.text[child.start:child.end]` is the child; the children of a parent are in
    order, do not overlap, and cover all of its text but white space and a table header repeated at its start.
    """
    sizes = sizes_of(profile, settings)
    return tuple(parent for section in to_sections(document) for parent in _split_section(section, profile, sizes))


def encoding_text(title: str, parent: Parent, child: Child) -> str:
    """What an encoder and BM25 see of a child: title, heading path and what it leans on, then its text."""
    path = [title, *parent.section] if title and title not in parent.section else list(parent.section)
    # Where a link leads says little about the text that holds it, and takes up much of what an encoder reads.
    text = parent.text[child.start : child.end]
    if "](" in text:
        text = _LINK.sub("]", text)
    if "://" in text:
        text = _LONG_URL.sub(r"\1", text)
    return "\n".join(part for part in (" > ".join(path), child.lead, text) if part)


def pack(lengths: Sequence[int], costs: Sequence[float], limit: int, extra: Sequence[int]) -> list[int]:
    """Where groups of consecutive pieces begin (0 first), each within `limit`, cut where it costs least.

    A group costs (1 - filled share)² and what the cut before it costs: few, even groups win. A piece longer than the
    limit is a group by itself. `extra[i]` is added to the length of a group that begins at i.
    """
    n = len(lengths)
    best = [0.0] * (n + 1)
    came = [0] * (n + 1)
    for end in range(1, n + 1):
        total = 0
        least = float("inf")
        for start in range(end - 1, -1, -1):
            total += lengths[start]
            size = total + extra[start]
            if size > limit and start < end - 1:
                if total > limit:
                    break
                continue
            uneven = 1 - size / limit
            cost = best[start] + uneven * uneven + (costs[start] if start else 0.0)
            if cost < least:
                least, came[end] = cost, start
        best[end] = least
    starts: list[int] = []
    at = n
    while at:
        at = came[at]
        starts.append(at)
    return starts[::-1]


def _split_section(section: Section, profile: Profile, sizes: Sizes) -> list[Parent]:
    pieces = _pieces(section, profile, sizes)
    lengths = [len(piece.glue) + len(piece.text) for piece in pieces]
    extra = [len(piece.header) + 1 if piece.header else 0 for piece in pieces]
    if sum(lengths) <= sizes.parent:
        starts = [0]
    else:
        starts = pack(lengths, [piece.cost for piece in pieces], sizes.parent, extra)
    groups = [pieces[a:b] for a, b in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    return [_parent(section, group, sizes) for group in groups if any(piece.text.strip() for piece in group)]


def _pieces(section: Section, profile: Profile, sizes: Sizes) -> list[Piece]:
    pieces: list[Piece] = []
    units = unit_starts(profile, [block.text for block in section.blocks])
    is_one_child = not any(units) and sum(len(block.text) + 2 for block in section.blocks) <= sizes.child
    before = None
    for index, block in enumerate(section.blocks):
        if not block.text.strip():
            continue
        glue = "" if before is None else "\n" if _is_tight(before, block) else "\n\n"
        cost = BELOW_LABEL if before is not None and _is_label(before, block) else AT_BLOCK
        if is_one_child:  # as most sections are: no need to know where they could be cut
            pieces.append(Piece(block.text, glue, index, cost))
        else:
            pieces.extend(pieces_of(block, index, glue, cost, sizes, units[index]))
        before = block
    return _held_together(pieces)


def _held_together(pieces: list[Piece]) -> list[Piece]:
    """Makes cuts inside a unit dear: an item may go on over many blocks."""
    first = next((nth for nth, piece in enumerate(pieces) if piece.is_unit), len(pieces))
    inside = (p if p.is_unit else p._replace(cost=p.cost + IN_UNIT) for p in pieces[first:])
    return [*pieces[:first], *inside]


def _is_tight(before: Block, block: Block) -> bool:
    return before.kind == block.kind and block.kind in ("list", "heading")


def _is_label(before: Block, block: Block) -> bool:
    """Whether a block leads to the next: it ends in a colon, is bold as a whole, or is a word above code or a table."""
    text = before.text.strip()
    if text.endswith(("：", ":")):
        return True
    if before.kind not in ("paragraph", "caption") or len(text) > _LABEL_CHARS or text[-1] in "。！？；.!?;":
        return False
    return block.kind in ("code", "table", "formula") or (text.startswith("**") and text.endswith("**"))


def _parent(section: Section, pieces: Sequence[Piece], sizes: Sizes) -> Parent:
    header = pieces[0].header
    text = f"{header}\n" if header else ""
    spans: list[tuple[int, int]] = []
    for nth, piece in enumerate(pieces):
        text += piece.glue if nth else ""
        start = len(text) if nth or not header else 0
        text += piece.text
        spans.append((start, len(text)))
    children = tuple(
        _child(section, pieces, spans, text, a, b)
        for a, b in _child_groups(pieces, spans, sizes, [section.blocks[piece.block].page for piece in pieces])
        if text[spans[a][0] : spans[b - 1][1]].strip()
    )
    pages = [page for piece in pieces if (page := section.blocks[piece.block].page) is not None]
    return Parent(
        section=section.path,
        text=text.rstrip(),
        page=min(pages, default=None),
        page_end=max(pages, default=None),
        children=children,
    )


def _child_groups(
    pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], sizes: Sizes, pages: Sequence[int | None]
) -> list[tuple[int, int]]:
    """(first, last + 1) of the pieces of each child: units apart, a unit in one child where it is kept whole.

    Prose is cut where a page begins too, so that a child's page is the page to cite.
    """
    has_units = any(piece.is_unit for piece in pieces)
    begins = [n for n in range(1, len(pieces)) if (pieces[n].is_unit if has_units else pages[n] != pages[n - 1])]
    groups: list[tuple[int, int]] = []
    for a, b in zip([0, *begins], [*begins, len(pieces)], strict=True):
        limit = sizes.whole if has_units else sizes.child
        if spans[b - 1][1] - spans[a][0] <= limit:
            groups.append((a, b))
            continue
        lengths = [spans[i][1] - (spans[i - 1][1] if i > a else spans[i][0]) for i in range(a, b)]
        starts = pack(lengths, [piece.cost for piece in pieces[a:b]], sizes.child, [0] * (b - a))
        groups += [(a + x, a + y) for x, y in zip(starts, [*starts[1:], b - a], strict=True)]
    return groups


def _child(
    section: Section, pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], text: str, a: int, b: int
) -> Child:
    start, end = spans[a][0], spans[b - 1][1]
    part = text[start:end]
    end -= len(part) - len(part.rstrip())
    start += len(part) - len(part.lstrip("\n"))
    pages = [page for piece in pieces[a:b] if (page := section.blocks[piece.block].page) is not None]
    return Child(
        start=start,
        end=end,
        page=min(pages, default=None),
        page_end=max(pages, default=None),
        lead=_lead(section, pieces, a),
    )


def _lead(section: Section, pieces: Sequence[Piece], at: int) -> str:
    """What a child that begins at `at` leans on: its table's header, its FAQ's question, the first line of its unit."""
    piece = pieces[at]
    if not at or piece.is_unit or section.blocks[piece.block].kind == "code":
        return ""
    if piece.header:
        return piece.header
    unit = next((before for before in reversed(pieces[:at]) if before.is_unit), None)
    return unit.text.strip().split("\n", 1)[0][:_LEAD_CHARS] if unit else ""
