"""The report as one HTML page that works from a file: no network, no scripts but its own, every text escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from edu_cli.evaluate.table import Table
from edu_cli.evaluate.tables import tables_of

_WORST = 200  # questions shown; the JSON report has them all


def to_html(report: Mapping[str, Any]) -> str:
    """Verdict, charts, tables, and the worst questions with their evidence and filters."""
    page = files("edu_cli.evaluate").joinpath("report.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": _escaped(f"edu eval: {report['dataset']}"),
        "SUMMARY": _summary(report),
        "VERDICT": _verdict(report),
        "CHART": _chart(report) + _curves(report),
        "TABLES": "".join(map(_table, tables_of(report))),
        "RULES": "".join(f"<li>{_escaped(rule)}</li>" for rule in report["rules"]),
        "QUESTIONS": _as_data(_worst(report)),
    }
    for name, text in parts.items():  # every text is escaped, so none can look like a placeholder
        page = page.replace(f"<!--{name}-->", text)
    return page


def _summary(report: Mapping[str, Any]) -> str:
    encoder = report["encoder"]
    facts = {
        "questions": report["questions"],
        "left out": len(report["invalid"]),
        "encoder": encoder["name"] if encoder else "none (BM25 only)",
        "corpus": report["corpus_hash"][:12],
        "seed": report["seed"],
    }
    return "".join(f"<div><dt>{_escaped(k)}</dt><dd>{_escaped(v)}</dd></div>" for k, v in facts.items())


def _verdict(report: Mapping[str, Any]) -> str:
    gates = report.get("gates", [])
    if not gates:
        return ""
    failed = [gate for gate in gates if not gate["ok"]]
    text = f"{len(failed)} of {len(gates)} gates failed" if failed else f"all {len(gates)} gates passed"
    return f'<p class="verdict {"bad" if failed else "good"}">{text}</p>'


def _chart(report: Mapping[str, Any]) -> str:
    """Bars of the first measure by mode, or of every measure at the largest cut, with their intervals."""
    part = report.get("retrieval", {})
    if not part.get("judged"):
        return ""
    if "modes" in part:
        name = "nDCG@10" if "nDCG@10" in part["measures"] else next(iter(part["measures"]))
        bars = {mode: measures[name] for mode, measures in part["modes"].items() if measures}
    else:
        name, bars = "measures", part["measures"]
    rows = [_bar(i, label, mean) for i, (label, mean) in enumerate(bars.items())]
    height = 30 * len(rows) + 6
    return (
        f"<h2>{_escaped(name)}</h2>"
        f'<svg viewBox="0 0 700 {height}" width="700" height="{height}" role="img" aria-label="{_escaped(name)}">'
        f"{''.join(rows)}</svg>"
    )


def _bar(row: int, label: str, mean: Mapping[str, float]) -> str:
    y, width = 30 * row, 440
    left, right = 150 + width * mean["low"], 150 + width * mean["high"]
    return (
        f'<text x="140" y="{y + 20}" text-anchor="end">{_escaped(label)}</text>'
        f'<rect x="150" y="{y + 6}" width="{width * mean["mean"]:.1f}" height="20" class="bar"/>'
        f'<path d="M{left:.1f} {y + 16}H{right:.1f}M{left:.1f} {y + 11}v10M{right:.1f} {y + 11}v10" class="whisker"/>'
        f'<text x="{right + 8:.1f}" y="{y + 20}">{mean["mean"]:.3f}</text>'
    )


def _curves(report: Mapping[str, Any]) -> str:
    """How often each confidence was right; the diagonal is perfect. Before and after, where it was fitted."""
    calibration = report.get("calibration", {})
    fitted = calibration.get("fit") or {}
    sides = {side: fitted[side] for side in ("before", "after")} if fitted else {"confidence": calibration}
    drawn = "".join(_curve(name, part) for name, part in sides.items() if part.get("bins"))
    return f'<h2>Calibration</h2><div class="curves">{drawn}</div>' if drawn else ""


def _curve(name: str, part: Mapping[str, Any]) -> str:
    points = [(20 + 200 * b["confidence"], 220 - 200 * b["right"], b["n"]) for b in part["bins"]]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{min(9, 2 + n**0.5 / 2):.1f}"><title>{n} cases</title></circle>'
        for x, y, n in points
    )
    label = f"{name}: error {part['ece']:.3f} over {part['n']} cases"
    return (
        f'<svg viewBox="0 0 260 250" width="260" height="250" role="img" aria-label="{escape(label)}">'
        f'<path d="M20 20V220H220M20 220L220 20" class="whisker faint"/><polyline points="{line}" class="line"/>{dots}'
        f'<text x="20" y="242">{escape(label)}</text></svg>'
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{_escaped(header)}</th>" for header in table.headers)
    rows = "".join(f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<h2>{_escaped(table.title)}</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _worst(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The questions, worst first."""
    rows = report.get("per_question", [])
    return sorted(rows, key=lambda row: (_quality(row), row["id"]))[:_WORST]


def _quality(row: Mapping[str, Any]) -> float:
    measures = row.get("measures") or {}
    return measures.get("nDCG@10", next(iter(measures.values()), 2.0))


def _escaped(value: object) -> str:
    return escape("".join(c if c.isprintable() else " " for c in str(value)))


def _as_data(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
