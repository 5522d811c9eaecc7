"""Bold faces that are made by painting the outline as well, since most Chinese fonts come in one weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from edu_cli.ingest.layout.line import Line

_OPERATOR = b"2 Tr"  # fill, then stroke
_MOST = 0.7  # of a line's width, as for other bold lines


def outline_marker(page: Any) -> Callable[[Line], Line]:
    """What makes a line of a pymupdf page bold where most of it is outlined; text layers do not tell."""
    if _OPERATOR not in page.read_contents():
        return lambda line: line
    boxes = [box for kind, box in page.get_bboxlog() if kind == "stroke-text"]

    def marked(line: Line) -> Line:
        x0, y0, x1, y1 = line.box
        middle = (y0 + y1) / 2
        inside = sum(max(0.0, min(box[2], x1) - max(box[0], x0)) for box in boxes if box[1] < middle < box[3])
        return replace(line, bold=True) if inside > _MOST * (x1 - x0) else line

    return marked
