"""The gates and the comparison with a baseline as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from edu_cli.evaluate.table import Table, number


def gate_tables(report: Mapping[str, Any]) -> Iterator[Table]:
    """A row a gate."""
    rows = [
        (
            gate["measure"],
            number(gate["wanted"]),
            number(gate["got"]),
            number(gate["p"]),
            "ok" if gate["ok"] else "FAILED",
            gate["note"],
        )
        for gate in report.get("gates", [])
    ]
    if rows:
        yield Table("Gates", ("measure", "at least", "got", "p", "verdict", "note"), tuple(rows), words=(4, 5))


def baseline_tables(report: Mapping[str, Any]) -> Iterator[Table]:
    """The questions that are worse than in the baseline, with what else is not as it was."""
    part = report.get("baseline")
    if not part:
        return
    rows_by_id = {row["id"]: row for row in report["per_question"]}
    rows = [
        (
            one["id"],
            number(one["before"]),
            number(one["now"]),
            rows_by_id[one["id"]]["lost"] or "",
            rows_by_id[one["id"]]["question"],
        )
        for one in part["worst"]
    ]
    left_out = [
        f"questions only in {where}, which are not compared: {part[key]}"
        for key, where in (("only_here", "this run"), ("only_there", "the baseline"))
        if part[key]
    ]
    yield Table(
        f"Against the baseline, by {part['measure']}: {part['worse']} of {part['questions']} questions are worse, "
        f"{part['better']} better",
        ("id", "before", "now", "lost", "question"),
        tuple(rows),
        words=(3, 4),
        notes=(*part["changed"], *left_out),
    )
