"""The report's charts as SVG: means with their intervals, first ranks, confidence, calibration. Text is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from edu_cli.evaluate.measures import headline
from edu_cli.text import shortened

_ROW = 26
_LEFT, _WIDTH = 150, 330  # pixels: labels, and a bar of length 1
_TENTHS = 10
_MOST_SLICES = 12
_SIDE = 260  # pixels: the square that the curve of a confidence stands in


def charts_of(report: Mapping[str, Any]) -> str:
    """All the charts that the report has the figures for."""
    return "".join(f"<figure><figcaption>{safe(title)}</figcaption>{svg}</figure>" for title, svg in _charts(report))


def safe(value: object) -> str:
    """Escaped for HTML, control characters as spaces."""
    return escape("".join(c if c.isprintable() else " " for c in str(value)))


def _charts(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    part = report.get("retrieval", {})
    if part.get("judged"):
        names = headline(part["measures"])
        yield f"Default search ({part['default']})", _bars({name: part["measures"][name] for name in names})
        ways = _ways(part, names[0])
        if len(ways) > 1:
            yield f"{names[0]} by way of searching", _bars(ways)
        yield "Rank of the first relevant hit", _columns(_first_ranks(report["per_question"], part["lost"]["k"]))
    yield from _confidence(report)
    calibration = report.get("calibration", {})
    fitted = calibration.get("fit")
    sides = {f" {side} the fit": fitted[side] for side in ("before", "after")} if fitted else {"": calibration}
    for side, curve in sides.items():
        if curve.get("bins"):
            error = f"(error {curve['ece']:.3f}, {curve['n']} cases)"
            yield f"How often a confidence was right{side} {error}", _curve(curve)
    yield from _slices(report)


def _slices(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    part = report.get("retrieval", {})
    if len(part.get("slices", {})) > 1:
        name = headline(part["measures"])[0]
        means = {label: one["measures"][name] for label, one in part["slices"].items()}
        weakest = sorted(means.items(), key=lambda pair: (pair[1]["mean"], pair[0]))[:_MOST_SLICES]
        yield f"{name} by slice, the weakest first", _bars(dict(weakest))


def _ways(part: Mapping[str, Any], name: str) -> dict[str, Mapping[str, float]]:
    modes = {mode: measures[name] for mode, measures in part.get("modes", {}).items() if measures}
    strategies = {
        f"strategy {strategy}": one["measures"][name]
        for strategy, one in part.get("strategies", {}).items()
        if one.get("measures")
    }
    return {**modes, **strategies}


def _bars(means: Mapping[str, Mapping[str, float]]) -> str:
    rows = "".join(_bar(i, label, mean) for i, (label, mean) in enumerate(means.items()))
    return _svg(_LEFT + _WIDTH + 60, _ROW * len(means) + 4, rows)


def _bar(row: int, label: str, mean: Mapping[str, float]) -> str:
    y = _ROW * row
    low, high = _LEFT + _WIDTH * mean["low"], _LEFT + _WIDTH * mean["high"]
    whisker = f'<path d="M{low:.1f} {y + 13}H{high:.1f}M{low:.1f} {y + 9}v8M{high:.1f} {y + 9}v8" class="whisker"/>'
    return (
        f'<text x="{_LEFT - 8}" y="{y + 17}" text-anchor="end">{safe(_short(label))}</text>'
        f'<rect x="{_LEFT}" y="{y + 4}" width="{_WIDTH}" height="18" class="track"/>'
        f'<rect x="{_LEFT}" y="{y + 4}" width="{_WIDTH * mean["mean"]:.1f}" height="18" class="bar">'
        f"<title>{safe(label)}: {mean['mean']:.4f} ({mean['low']:.4f} to {mean['high']:.4f})</title></rect>"
        f'{whisker if high - low > 1 else ""}<text x="{_LEFT + _WIDTH + 8}" y="{y + 17}">{mean["mean"]:.3f}</text>'
    )


def _first_ranks(rows: Sequence[Mapping[str, Any]], k: int) -> dict[str, tuple[int, str]]:
    """How many questions have their first relevant hit at which rank of the parents; the lost ones at the end."""
    edges = [edge for edge in (1, 2, 3, 5) if edge < k] + [k]
    judged = [row for row in rows if any(entry["grade"] > 0 for entry in row["relevant"])]
    counts = dict.fromkeys(edges, 0)
    lost = 0
    for row in judged:
        first = min((entry["found_at"] for entry in row["relevant"] if entry["found_at"]), default=None)
        if row["lost"] or first is None:
            lost += 1
        else:
            counts[next((edge for edge in edges if first <= edge), k)] += 1
    starts = [1, *(edge + 1 for edge in edges)]
    bars = {
        (f"{start}" if start == edge else f"{start}-{edge}"): (counts[edge], "bar")
        for start, edge in zip(starts, edges, strict=False)
    }
    return {**bars, "lost": (lost, "bar bad")}


def _columns(counts: Mapping[str, tuple[int, str]]) -> str:
    """Counts as columns; each comes with its class."""
    step, height = 70, 150
    most = max((n for n, _ in counts.values()), default=0) or 1
    columns = []
    for i, (label, (n, name)) in enumerate(counts.items()):
        tall, x = height * n / most, step * i + 10
        columns.append(
            f'<rect x="{x}" y="{20 + height - tall:.1f}" width="50" height="{tall:.1f}" class="{name}"/>'
            f'<text x="{x + 25}" y="{14 + height - tall:.1f}" text-anchor="middle">{n}</text>'
            f'<text x="{x + 25}" y="{height + 38}" text-anchor="middle">{safe(label)}</text>'
        )
    return _svg(step * len(counts) + 10, height + 46, "".join(columns))


def _confidence(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Answerable and unanswerable questions by confidence, where there are both."""
    rows = [row for row in report.get("per_question", ()) if row["confidence"] is not None]
    refusal = report.get("refusal")
    if not refusal:
        return
    tenths = [[0, 0] for _ in range(_TENTHS)]
    for row in rows:
        absent = row["answerable"] is False
        if absent or row["relevant"]:
            tenths[min(int(row["confidence"] * _TENTHS), _TENTHS - 1)][absent] += 1
    yield "Confidence of answerable (blue) and unanswerable (red) questions", _stacked(tenths, refusal["threshold"])


def _stacked(tenths: Sequence[Sequence[int]], threshold: float) -> str:
    step, height = 44, 150
    most = max(map(sum, tenths)) or 1
    parts = []
    for i, (present, absent) in enumerate(tenths):
        x, up, more = step * i + 10, height * present / most, height * absent / most
        parts.append(
            f'<rect x="{x}" y="{20 + height - up:.1f}" width="{step - 4}" height="{up:.1f}" class="bar">'
            f"<title>{present} answerable</title></rect>"
            f'<rect x="{x}" y="{20 + height - up - more:.1f}" width="{step - 4}" height="{more:.1f}" class="bar bad">'
            f"<title>{absent} unanswerable</title></rect>"
            f'<text x="{x}" y="{height + 38}" text-anchor="middle">{i / _TENTHS:.1f}</text>'
        )
        if present + absent:
            middle, above = x + step / 2 - 2, 14 + height - up - more
            parts.append(f'<text x="{middle:.1f}" y="{above:.1f}" text-anchor="middle">{present + absent}</text>')
    parts.append(f'<text x="{step * _TENTHS + 10}" y="{height + 38}" text-anchor="middle">1.0</text>')
    at = step * _TENTHS * threshold + 8
    side, anchor = (-6, "end") if threshold >= 0.5 else (6, "start")
    line = (
        f'<path d="M{at:.1f} 8V{height + 20}" class="whisker dashed"/>'
        f'<text x="{at + side:.1f}" y="14" text-anchor="{anchor}">declined below {threshold:g}</text>'
    )
    return _svg(step * _TENTHS + 40, height + 46, "".join(parts) + line)


def _curve(part: Mapping[str, Any]) -> str:
    """Points of (mean confidence, share that was right) with their numbers of cases; the diagonal is perfect."""
    end = 30 + _SIDE
    dots, corners = [], []
    for one in part["bins"]:
        x, y, n = 30 + _SIDE * one["confidence"], 10 + _SIDE * (1 - one["right"]), one["n"]
        corners.append(f"{x:.1f},{y:.1f}")
        said = y - 10 if y > _SIDE / 2 else y + 20  # the number stands within the frame
        dots.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{min(9, 2 + n**0.5 / 2):.1f}"><title>{n} cases</title></circle>'
            f'<text x="{x:.1f}" y="{said:.1f}" text-anchor="middle" class="n">{n}</text>'
        )
    axes = (
        f'<text x="24" y="16" text-anchor="end">1</text><text x="24" y="{_SIDE + 14}" text-anchor="end">0</text>'
        f'<text x="{end}" y="{_SIDE + 28}" text-anchor="middle">1</text>'
        f'<text x="{end / 2 + 15}" y="{_SIDE + 28}" text-anchor="middle">confidence</text>'
        f'<text x="14" y="{_SIDE / 2}" text-anchor="middle" transform="rotate(-90 14 {_SIDE / 2})">right</text>'
    )
    frame = f'<path d="M30 10V{_SIDE + 10}H{end}M30 {_SIDE + 10}L{end} 10" class="whisker faint"/>'
    line = f'<polyline points="{" ".join(corners)}" class="line"/>'
    return _svg(end + 20, _SIDE + 34, f"{frame}{line}{''.join(dots)}{axes}")


def _short(label: str) -> str:
    return shortened(label, 22)


def _svg(width: float, height: float, inside: str) -> str:
    return f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img">{inside}</svg>'
