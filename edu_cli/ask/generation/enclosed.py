"""What stands between brackets or backticks belongs together: where a text may not be cut."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENS = {")": "(", "]": "[", "）": "（", "】": "【", "”": "“", "》": "《"}
_CODE = re.compile(r"(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
_TO = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)"
_LINK = re.compile(rf"\[[^\[\]\n]*\]{_TO}")
_TARGET = re.compile(rf"(?<=\]){_TO}")
_QUOTES = "”》"


def enclosed(text: str, *, quotes: bool = False) -> list[tuple[int, int]]:
    """Spans (start, end) of what is in brackets or a span of code, with these; a pair stands on one line.

    A link is one span from its text to its target. `quotes`: what is quoted or a title counts too.
    """
    spans = [(code.start(), code.end()) for code in _CODE.finditer(text)]
    without_code = _CODE.sub(lambda code: "`" * len(code[0]), text)
    spans += [(link.start(), link.end()) for link in _LINK.finditer(without_code)]
    at = 0
    for line in without_code.split("\n"):
        spans += [(at + start, at + end) for start, end in _pairs(line, "" if quotes else _QUOTES)]
        at += len(line) + 1
    return spans


def _pairs(line: str, passed_over: str) -> Iterator[tuple[int, int]]:
    """Each closing bracket with the nearest open one of its kind; those without one (as of "1)") are no bracket."""
    is_open: list[tuple[str, int]] = []
    for at, char in enumerate(line):
        if char in _OPENS.values():
            is_open.append((char, at))
        elif char in _OPENS and char not in passed_over:
            held = next((n for n in range(len(is_open) - 1, -1, -1) if is_open[n][0] == _OPENS[char]), None)
            if held is not None:
                yield is_open[held][1], at + 1
                del is_open[held:]


def link_at(text: str, start: int) -> int:
    """Where the link ends that begins at `start`; `start` where none does."""
    link = _LINK.match(text, start)
    return link.end() if link else start


def read_length(text: str) -> int:
    """Characters that a reader sees of `text`: the targets of its links are not."""
    return len(_TARGET.sub("", text))
