"""The report as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edu_cli.evaluate.table import Table
from edu_cli.evaluate.tables import headline_of, tables_of
from edu_cli.evaluate.verdict_tables import baseline_tables, gate_tables

_WORST = 10


def to_markdown(report: Mapping[str, Any]) -> str:
    """Verdict, gates and the main tables; folded away the other tables, the questions that were lost, the rules."""
    lines = [f"## edu eval: {_cell(report['dataset'])}", "", _cell(headline_of(report)), ""]
    gates = report.get("gates", [])
    if gates:
        failed = sum(not gate["ok"] for gate in gates)
        lines += [f"**{failed} of {len(gates)} gates failed**" if failed else f"**all {len(gates)} gates passed**", ""]
    verdict = [*gate_tables(report), *baseline_tables(report)]
    others = [table for table in tables_of(report) if table not in verdict]
    for table in (*verdict, *(table for table in others if not table.detail)):
        lines += _table(table)
    details = [line for table in others if table.detail for line in _table(table)]
    lines += _folded("More figures", details) + _lost(report)
    lines += _folded("Rules", [f"- {rule}" for rule in report["rules"]])
    return "\n".join(lines)


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>", ""] if lines else []


def _table(table: Table) -> list[str]:
    head = "| " + " | ".join(map(_cell, table.headers)) + " |"
    rule = "| " + " | ".join("---:" if i in table.numbers else "---" for i in range(len(table.headers))) + " |"
    rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    notes = [f"- {_cell(note)}" for note in table.notes]
    return [
        f"### {_cell(table.title)}",
        "",
        *notes,
        *([""] if notes else []),
        *([head, rule, *rows, ""] if rows else []),
    ]


def _lost(report: Mapping[str, Any]) -> list[str]:
    lost: Mapping[str, str] = report.get("retrieval", {}).get("lost", {}).get("questions", {})
    if not lost:
        return []
    questions = {row["id"]: row["question"] for row in report.get("per_question", [])}
    shown: Sequence[tuple[str, str]] = list(lost.items())[:_WORST]
    rows = [f"- `{_cell(ident)}` {_cell(questions.get(ident, ''))} ({place})" for ident, place in shown]
    return _folded(f"{len(lost)} questions without a relevant hit", rows)


def _cell(value: object) -> str:
    """Text that cannot break out of its cell or become markup."""
    text = "".join(c if c.isprintable() else " " for c in str(value))
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\`|[]*_":
        text = text.replace(mark, f"\\{mark}")
    return text
