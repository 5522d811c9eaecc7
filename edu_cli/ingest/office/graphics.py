"""Charts and SmartArt diagrams of office files -> tables and lists."""

from __future__ import annotations

from collections.abc import Iterator

from edu_cli.ingest.office.ooxml import Element, Package, attribute, child, children, descendants, local, whole_number
from edu_cli.ingest.office.table_rows import Cell, table_blocks
from edu_cli.types import Block

_MAX_POINTS = 200  # a chart of more points is a picture of a trend; its first points stand for it


def chart_blocks(package: Package, part: str, relation: str, page: int | None = None) -> list[Block]:
    """A chart's title as a caption, then its categories by its series as a table."""
    found = package.relationships(part).get(relation)
    root = package.side_xml(found.target) if found and not found.external else None
    chart = child(root, "chart")
    title = drawing_text(child(chart, "title")).strip()
    series = [
        (_series_name(e), _points(child(e, "cat"), child(e, "xVal")), _points(child(e, "val"), child(e, "yVal")))
        for e in descendants(child(chart, "plotArea"), "ser")
    ]
    blocks = [Block("caption", title, page=page)] if title else []
    places = sorted({place for _, names, values in series for place in (*names, *values)})[:_MAX_POINTS]
    if not places:
        return blocks
    labels = {place: name for _, names, _ in reversed(series) for place, name in names.items()}
    rows = [[Cell(" ", 0), *(Cell(name or f"系列{i}", i) for i, (name, _, _) in enumerate(series, 1))]]
    rows += [
        [
            Cell(labels.get(place, str(place + 1)), 0),
            *(Cell(v.get(place, ""), i) for i, (_, _, v) in enumerate(series, 1)),
        ]
        for place in places
    ]
    return blocks + table_blocks(rows, 1, page)


def diagram_blocks(package: Package, part: str, relation: str, page: int | None = None) -> list[Block]:
    """SmartArt as a nested list, in the order of its data."""
    found = package.relationships(part).get(relation)
    root = package.side_xml(found.target) if found and not found.external else None
    points = {attribute(e, "modelId"): e for e in children(child(root, "ptLst"), "pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for e in children(child(root, "cxnLst"), "cxn"):
        if attribute(e, "type", "parOf") == "parOf":
            below.setdefault(attribute(e, "srcId"), []).append((whole_number(e, "srcOrd"), attribute(e, "destId")))
    roots = [key for key, e in points.items() if attribute(e, "type") == "doc"]
    lines = [line for key in roots for line in _outline(key, points, below, 0, set())]
    if not lines:  # data without connections: every text in order
        lines = [text for e in points.values() if (text := drawing_text(e).strip())]
    return [Block("list", "\n".join(lines), page=page)] if lines else []


def drawing_text(element: Element | None) -> str:
    """The text of a DrawingML body: a line a paragraph, breaks as lines."""
    return "\n".join(
        "".join(_drawn_text(e) for e in paragraph) for paragraph in descendants(element, "p") if local(paragraph) == "p"
    )


def _drawn_text(e: Element) -> str:
    if local(e) == "br":
        return "\n"
    return "".join(t.text or "" for t in children(e, "t")) if local(e) in ("r", "fld") else ""


def _outline(
    key: str, points: dict[str, Element], below: dict[str, list[tuple[int, str]]], depth: int, seen: set[str]
) -> Iterator[str]:
    for _, child_id in sorted(below.get(key, ())):
        point = points.get(child_id)
        if point is None or child_id in seen or attribute(point, "type") == "pres":
            continue
        seen.add(child_id)
        text = " ".join(drawing_text(child(point, "t")).split())
        if text:
            yield f"{'  ' * depth}- {text}"
        yield from _outline(child_id, points, below, depth + 1 if text else depth, seen)


def _series_name(series: Element) -> str:
    return " ".join((e.text or "").strip() for e in descendants(child(series, "tx"), "v")).strip()


def _points(*holders: Element | None) -> dict[int, str]:
    """The cached points of a reference or literal, by their place; categories of several levels joined."""
    points: dict[int, str] = {}
    for holder in holders:
        levels = [*descendants(holder, "lvl")] or ([holder] if holder is not None else [])
        for level in reversed(levels):
            for e in descendants(level, "pt"):
                value = child(e, "v")
                text = _number((value.text or "").strip() if value is not None else "")
                place = whole_number(e, "idx")
                points[place] = f"{points[place]} {text}" if place in points else text
    return points


def _number(text: str) -> str:
    """Floats as they were typed: Office caches 4.3 as 4.2999999999999998."""
    try:
        return f"{float(text):.12g}" if "." in text or "E" in text.upper() else text
    except ValueError:
        return text
