"""Drawings of boxes and arrows -> their labels as one block, so that no table is made of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.ingest.layout.line import Box, Line, join_rows, median_size, rows_of, union
from edu_cli.types import Block

_MOST_SHAPES, _MOST_STROKES = 300, 250  # on a page; more are a plot or a map, whose labels are few
_LEAST_SIDE = 12.0  # points; a smaller shape is an arrow's head
_MOST_LABEL, _MOST_ROWS = 80, 9  # characters and rows in one box; more is framed text
_APART = 3.0  # points between two boxes; the cells of a table share their edges or leave a hairline
_TOUCH = 4.0  # points by which an arrow may miss its box
_CORNER = 3.0  # points from a corner within which a stroke may be the rule of a cell
_MEET = 2.5  # points by which one stroke may miss another
_NEAR = 40.0  # points between two parts of one drawing, such as the boxes before and after three dots
_WRAPPED = 0.6  # of the box's width, from which on a row of a label goes on in the next
_SCRIPT = 0.8  # of the size of what an index belongs to

Point = tuple[float, float]
Stroke = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class _Shape:
    """A closed outline."""

    box: Box
    strokes: tuple[Stroke, ...]


def with_figures(paths: Sequence[Any], lines: Sequence[Line], number: int) -> list[Line]:
    """The lines, the labels of each drawing replaced by one block with a label a line; `paths` are `get_cdrawings()`.

    A drawing is boxes that hold labels and stand apart, joined by strokes or set side by side in a larger box.
    """
    out = list(lines)
    for box in _figures(paths, lines):
        inside = [line for line in out if line.block is None and _holds(box, line.box)]
        if len(inside) > 1:
            labels = _labels(inside, [shape.box for shape in _shapes(paths) if _is_within(shape.box, box)])
            out = [line for line in out if line not in inside]
            block = Block("paragraph", "\n".join(labels), page=number)
            out.append(Line("", union([line.box for line in inside]), median_size(inside), block=block))
    return out


def _figures(paths: Sequence[Any], lines: Sequence[Line]) -> list[Box]:
    """The boxes around the drawings of a page."""
    if sum(len(path["items"]) for path in paths) > _MOST_SHAPES + _MOST_STROKES:
        return []
    shapes = [*_shapes(paths)]
    nodes = _nodes(shapes, lines)
    if len(nodes) < 2:
        return []
    strokes = [stroke for path in paths for stroke in _strokes(path)]
    groups = _joined(nodes, [stroke for stroke in strokes if not any(_is_own(stroke, node) for node in nodes)])
    return _merged([*(union(group) for group in groups), *_containers(shapes, nodes, lines)])


def _shapes(paths: Sequence[Any]) -> Iterator[_Shape]:
    for path in paths:
        for item in path["items"]:
            if item[0] == "re" and _is_large(item[1]):
                yield _Shape(tuple(item[1][:4]), ())
        strokes = tuple(_strokes(path))
        closed = len(strokes) > 2 and _distance(strokes[0][0], strokes[-1][1]) < 1
        if closed and _is_large(path["rect"]) and all(item[0] in "lc" for item in path["items"]):
            yield _Shape(tuple(path["rect"]), strokes)


def _is_large(box: Sequence[float]) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) >= _LEAST_SIDE


def _strokes(path: Any) -> Iterator[Stroke]:
    for item in path["items"]:
        if item[0] in "lc":
            yield tuple(item[1]), tuple(item[-1])


def _nodes(shapes: Sequence[_Shape], lines: Sequence[Line]) -> list[Box]:
    """The boxes with a label each, that no other such box touches."""
    found: list[Box] = []
    for box in dict.fromkeys(shape.box for shape in shapes):
        held = [line for line in lines if _holds(box, line.box)]
        whole = all(line.box[0] > box[0] - 2 and line.box[2] < box[2] + 2 for line in held)
        if held and whole and len(held) <= _MOST_ROWS and sum(len(line.text) for line in held) <= _MOST_LABEL:
            found.append(box)
    inner = [box for box in found if not any(box != other and _is_within(other, box) for other in found)]
    return [box for box in inner if not any(box != other and _gap(box, other) < _APART for other in inner)]


def _is_own(stroke: Stroke, node: Box) -> bool:
    """Whether a stroke is part of a box's outline, or divides it."""
    return all(_is_near(point, node, 1.0) for point in stroke)


def _joined(nodes: Sequence[Box], strokes: Sequence[Stroke]) -> list[list[Box]]:
    """Groups of boxes that strokes join, each of two and more."""
    parent = list(range(len(nodes) + len(strokes)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    for at, stroke in enumerate(strokes, len(nodes)):
        for index, node in enumerate(nodes):
            if any(_ends_at(point, node) for point in stroke):
                parent[root(at)] = root(index)
    for (i, a), (j, b) in itertools.combinations(enumerate(strokes, len(nodes)), 2):
        if any(_is_on(point, b) for point in a) or any(_is_on(point, a) for point in b):
            parent[root(i)] = root(j)
    groups: dict[int, list[Box]] = {}
    for index, node in enumerate(nodes):
        groups.setdefault(root(index), []).append(node)
    return [group for group in groups.values() if len(group) > 1]


def _ends_at(point: Point, node: Box) -> bool:
    """Whether a stroke that ends here ends at the box's side, or within it; rules of cells meet in the corners."""
    if not _is_near(point, node, _TOUCH):
        return False
    corners = ((x, y) for x in (node[0], node[2]) for y in (node[1], node[3]))
    return all(_distance(point, corner) > _CORNER for corner in corners)


def _containers(shapes: Sequence[_Shape], nodes: Sequence[Box], lines: Sequence[Line]) -> Iterator[Box]:
    """Larger boxes with little but boxes side by side in them."""
    for box in dict.fromkeys(shape.box for shape in shapes):
        held = [node for node in nodes if node != box and _is_within(node, box)]
        beside = any(min(a[3], b[3]) > max(a[1], b[1]) for a, b in itertools.combinations(held, 2))
        bare = [line for line in lines if _holds(box, line.box) and not any(_holds(node, line.box) for node in held)]
        if beside and len(bare) <= 2 and sum(len(line.text) for line in bare) <= _MOST_LABEL // 2:
            yield box


def _merged(boxes: Sequence[Box]) -> list[Box]:
    out: list[Box] = []
    for box in boxes:
        touching = [other for other in out if _gap(box, other) <= _NEAR]
        out = [*(other for other in out if other not in touching), union([box, *touching])]
    return out


def _labels(lines: Sequence[Line], boxes: Sequence[Box]) -> list[str]:
    """The labels from top to bottom; rows of one label that its box was too narrow for are joined."""
    smallest = sorted(boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
    groups: dict[Box | None, list[Line]] = {}
    for line in lines:
        groups.setdefault(next((box for box in smallest if _holds(box, line.box)), None), []).append(line)
    labels = [Line(line.text, line.box, line.size) for line in groups.pop(None, ())]
    labels += [_label(held, box) for box, held in groups.items() if box]
    return [line.text for row in rows_of(labels) for line in row.lines]


def _label(lines: Sequence[Line], box: Box) -> Line:
    rows = rows_of(lines)
    text = rows[0].text
    for before, row in itertools.pairwise(rows):
        if row.size < _SCRIPT * before.size:
            text += row.text
        elif before.box[2] - before.box[0] > _WRAPPED * (box[2] - box[0]):
            text = join_rows(text, row.text)
        else:
            text = f"{text}\n{row.text}"
    return Line(text, union([line.box for line in lines]), rows[0].size)


def _holds(outer: Box, box: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _is_within(inner: Box, outer: Box) -> bool:
    return (
        inner[0] >= outer[0] - 1 and inner[1] >= outer[1] - 1 and inner[2] <= outer[2] + 1 and inner[3] <= outer[3] + 1
    )


def _gap(a: Box, b: Box) -> float:
    """The white between two boxes; 0 or less where they touch."""
    return max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])


def _is_near(point: Point, box: Box, by: float) -> bool:
    return box[0] - by <= point[0] <= box[2] + by and box[1] - by <= point[1] <= box[3] + by


def _is_on(point: Point, stroke: Stroke) -> bool:
    (x0, y0), (x1, y1) = stroke
    along = (x1 - x0) ** 2 + (y1 - y0) ** 2
    at = ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / along if along else 0.0
    at = min(1.0, max(0.0, at))
    return _distance(point, (x0 + at * (x1 - x0), y0 + at * (y1 - y0))) < _MEET


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
