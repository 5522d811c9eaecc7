"""The report as tables of text: what the terminal, Markdown and HTML show alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_FIRST_K = ("nDCG", "Recall", "MRR", "P", "Hit")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; all but the first column are numbers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(report: Mapping[str, Any]) -> list[Table]:
    """The tables of all parts that the report has."""
    return [
        table
        for part in (_retrieval, _slices, _lost, _routing, _generation, _scalars, _gates)
        for table in part(report)
    ]


def _retrieval(report: Mapping[str, Any]) -> Iterator[Table]:
    part = report.get("retrieval")
    if not part or not part["judged"]:
        return
    names = _columns(part["measures"])
    rows = [(part["default"], part["measures"])] if "modes" not in part else list(part["modes"].items())
    first = names[0]
    cells = [
        (mode, *(_number(measures[name]["mean"]) for name in names), _interval(measures[first]))
        for mode, measures in rows
        if measures
    ]
    unjudged = f", {part['unjudged']} without labels left out" if part["unjudged"] else ""
    yield Table(f"Retrieval ({part['judged']} questions{unjudged})", ("mode", *names, f"{first} 95%"), tuple(cells))


def _slices(report: Mapping[str, Any]) -> Iterator[Table]:
    slices = report.get("retrieval", {}).get("slices", {})
    if len(slices) < 2:
        return
    names = _columns(next(iter(slices.values()))["measures"])
    rows = [
        (name, str(one["n"]), *(_number(one["measures"][column]["mean"]) for column in names))
        for name, one in slices.items()
    ]
    yield Table("Slices", ("slice", "n", *names), tuple(rows))


def _lost(report: Mapping[str, Any]) -> Iterator[Table]:
    lost = report.get("retrieval", {}).get("lost", {})
    if lost.get("counts"):
        rows = [(f"{place}: {lost['meanings'][place]}", str(n)) for place, n in lost["counts"].items()]
        title = f"Where {sum(lost['counts'].values())} questions were lost (k = {lost['k']})"
        yield Table(title, ("place", "questions"), tuple(rows))


def _routing(report: Mapping[str, Any]) -> Iterator[Table]:
    for name, part in report.get("routing", {}).items():
        rows = [
            (label, str(one["n"]), *(_number(one[key]) for key in ("precision", "recall", "f1")))
            for label, one in part.get("classes", {}).items()
        ]
        scores = f"accuracy {_number(part['accuracy'])}, macro F1 {_number(part['macro_f1'])}"
        title = f"{name.capitalize()} of the {part['of']}: {scores}"
        yield Table(title, ("class", "n", "precision", "recall", "F1"), tuple(rows))


def _generation(report: Mapping[str, Any]) -> Iterator[Table]:
    part = report.get("generation")
    if not part:
        return
    rows = [
        (name, _number(one["mean"]), _interval(one), f"{one.get('scored', one)['n']}/{one['n']}")
        for name, one in part["measures"].items()
    ]
    if rows:
        yield Table(f"Answers ({part['questions']} questions)", ("measure", "mean", "95%", "scored"), tuple(rows))
    cost = part["cost"]
    routes = [
        (route, str(one["n"]), str(one["calls"]), str(one["prompt_tokens"]), str(one["completion_tokens"]))
        for route, one in cost["routes"].items()
    ]
    title = f"Cost ({_number(cost['without_llm'])} of the answers without an LLM)"
    yield Table(title, ("route", "answers", "calls", "tokens in", "tokens out"), tuple(routes))


def _scalars(report: Mapping[str, Any]) -> Iterator[Table]:
    parts = {name: report.get(name, {}) for name in ("refusal",)}
    fitted = report.get("calibration", {}).get("fit") or {}
    parts["calibration"] = {
        **report.get("calibration", {}),
        **{f"error {side}": fitted[side]["ece"] for side in ("before", "after") if fitted},
    }
    parts["answers' refusal"] = report.get("generation", {}).get("refusal", {})
    parts.update({f"{stage} seconds": times for stage, times in report.get("latency", {}).items()})
    rows = [
        (f"{section} {name}", _number(value))
        for section, part in parts.items()
        for name, value in part.items()
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    ]
    if rows:
        yield Table("Refusal, calibration, latency", ("figure", "value"), tuple(rows))


def _gates(report: Mapping[str, Any]) -> Iterator[Table]:
    rows = [
        (
            gate["measure"],
            _number(gate["wanted"]),
            _number(gate["got"]),
            "-" if gate["p"] is None else _number(gate["p"]),
            "ok" if gate["ok"] else "FAILED",
            gate["note"],
        )
        for gate in report.get("gates", [])
    ]
    if rows:
        yield Table("Gates", ("measure", "at least", "got", "p", "", "note"), tuple(rows))


def _columns(measures: Mapping[str, Any]) -> list[str]:
    """The measures that a table has room for: each kind at its largest k up to 10, and MAP."""
    ks = sorted({int(name.split("@")[1]) for name in measures if "@" in name})
    k = max([k for k in ks if k <= 10] or ks[:1], default=10)
    return [name for name in [f"{kind}@{k}" for kind in _FIRST_K] + ["MAP"] if name in measures]


def _interval(mean: Mapping[str, float]) -> str:
    return f"{mean['low']:.3f}-{mean['high']:.3f}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
