"""The report as one HTML page that works from a file: no network, no scripts but its own, every text escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from edu_cli.evaluate.charts import charts_of, safe
from edu_cli.evaluate.measures import headline
from edu_cli.evaluate.table import Table, number
from edu_cli.evaluate.tables import headline_of, tables_of
from edu_cli.evaluate.verdict_tables import baseline_tables, gate_tables

_WORST = 200  # questions shown; the JSON report has them all


def to_html(report: Mapping[str, Any]) -> str:
    """Verdict, key figures, charts, the worst questions with their evidence and filters, and all tables."""
    page = files("edu_cli.evaluate").joinpath("report.html").read_text(encoding="utf-8")
    verdict = [*gate_tables(report), *baseline_tables(report)]
    titles = {table.title for table in verdict}
    parts = {
        "TITLE": safe(f"edu eval: {report['dataset']}"),
        "SUMMARY": safe(headline_of(report)),
        "TOLD": _told(report),
        "VERDICT": _verdict(report) + "".join(map(_table, verdict)),
        "CARDS": _cards(report),
        "CHARTS": charts_of(report),
        "TABLES": "".join(_table(table) for table in tables_of(report) if table.title not in titles),
        "RULES": "".join(f"<li>{safe(rule)}</li>" for rule in report["rules"]),
        "QUESTIONS": _as_data(_worst(report)),
    }
    for name, text in parts.items():  # every text is escaped, so none can look like a placeholder
        page = page.replace(f"<!--{name}-->", text)
    return page


def _told(report: Mapping[str, Any]) -> str:
    """What was left out, and what looks like a mistake in the data set."""
    lines = [f"line {bad['line']} {bad['reason']}; it is left out" for bad in report["invalid"]] + report["warnings"]
    if not lines:
        return ""
    items = "".join(f"<li>{safe(line)}</li>" for line in lines)
    return f"<details class='told'><summary>{len(lines)} remarks on the data set</summary><ul>{items}</ul></details>"


def _verdict(report: Mapping[str, Any]) -> str:
    gates = report.get("gates", [])
    if not gates:
        return ""
    failed = sum(not gate["ok"] for gate in gates)
    text = f"{failed} of {len(gates)} gates failed" if failed else f"all {len(gates)} gates passed"
    return f'<p class="verdict {"bad" if failed else "good"}">{text}</p>'


def _cards(report: Mapping[str, Any]) -> str:
    """The figures that are looked for first."""
    retrieval, generation = report.get("retrieval", {}), report.get("generation", {})
    found: list[tuple[str, float | None]] = []
    if retrieval.get("judged"):
        names = headline(retrieval["measures"])[:3]
        found += [(name, retrieval["measures"][name]["mean"]) for name in names]
    for name, part in report.get("routing", {}).items():
        found.append((f"{name} accuracy", part["accuracy"]))
    measures = generation.get("measures", {})
    found += [(name, measures[name]["mean"]) for name in ("Contains", "Faithfulness") if name in measures]
    refusal = generation.get("refusal") or report.get("refusal") or {}
    found += [(f"refusal {name}", refusal[name]) for name in ("recall", "precision") if name in refusal]
    if "p50" in report.get("latency", {}):
        found.append(("seconds, median", report["latency"]["p50"]))
    return "".join(f"<div><dt>{safe(name)}</dt><dd>{number(value)}</dd></div>" for name, value in found)


def _table(table: Table) -> str:
    notes = "".join(f'<p class="note">{safe(note)}</p>' for note in table.notes)
    if not table.rows:
        return f"<h3>{safe(table.title)}</h3>{notes}"
    kinds = ["" if i in table.numbers else ' class="words"' for i in range(len(table.headers))]
    head = "".join(f"<th{kind}>{safe(text)}</th>" for kind, text in zip(kinds, table.headers, strict=True))
    body = "".join(_row(row, kinds) for row in table.rows)
    return (
        f"<h3>{safe(table.title)}</h3>{notes}"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(row: Sequence[str], kinds: Sequence[str]) -> str:
    failed = ' class="failed"' if "FAILED" in row[1:] else ""
    return f"<tr{failed}>{''.join(f'<td{kind}>{safe(text)}</td>' for kind, text in zip(kinds, row, strict=True))}</tr>"


def _worst(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The questions: what went most wrong first, then by rank measure and answer."""
    rows = report.get("per_question", [])
    return sorted(rows, key=lambda row: (-len(row["wrong"]), *_quality(row), row["id"]))[:_WORST]


def _quality(row: Mapping[str, Any]) -> tuple[float, float]:
    measures = row["measures"]
    return measures.get("nDCG@10", next(iter(measures.values()), 2.0)), measures.get("F1", 2.0)


def _as_data(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
