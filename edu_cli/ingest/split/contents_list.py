"""A document's own table of contents: it says nothing that its headings do not, and matches every question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.text import fold
from edu_cli.types import Block

_MARKER = re.compile(r"\[{1,2}(?:toc|目录)\]{1,2}", re.IGNORECASE)
_ENTRY = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[(.+)\]\(#[^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*")
_TITLES = frozenset({"目录", "目錄", "contents", "table of contents"})
_LEAST_KNOWN = 0.7  # of the entries: a few headings were renamed since the list was made


def without_contents(blocks: Sequence[Block]) -> list[Block]:
    """`blocks` without `[TOC]`, lists of links to its own headings, and their title."""
    titles = {_plain(block.text) for block in blocks if block.kind == "heading"}
    kept: list[Block] = []
    at = 0
    while at < len(blocks):
        end = at
        while end < len(blocks) and blocks[end].kind == "list":
            end += 1
        if end > at and not _is_contents(blocks[at:end], titles):
            kept += blocks[at:end]
        elif end == at and not _MARKER.fullmatch(blocks[at].text.strip()):
            kept.append(blocks[at])
        is_dropped = end > at or _MARKER.fullmatch(blocks[at].text.strip())
        if is_dropped and kept and kept[-1].kind == "heading" and fold(kept[-1].text) in _TITLES:
            kept.pop()
        at = max(end, at + 1)
    return kept


def _is_contents(items: Sequence[Block], titles: set[str]) -> bool:
    lines = [line for item in items for line in item.text.split("\n")]
    entries = [match[1] for line in lines if (match := _ENTRY.fullmatch(line))]
    known = sum(_plain(entry) in titles for entry in entries)
    return len(entries) == len(lines) and known >= _LEAST_KNOWN * len(lines)


def _plain(title: str) -> str:
    return re.sub(r"[\W_]+", "", fold(title))
