"""The report as tables of text: what the terminal, Markdown and HTML show alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from edu_cli.evaluate.measures import headline
from edu_cli.evaluate.table import Table, interval, number, questions
from edu_cli.evaluate.verdict_tables import baseline_tables, gate_tables


def tables_of(report: Mapping[str, Any]) -> list[Table]:
    """The tables of all parts that the report has; the gates last, so that a terminal ends with them."""
    parts = (
        *(_retrieval, _strategies, _grains, _slices, _legs, _lost, _routing, _generation),
        *(_reliability, _scalars, baseline_tables, gate_tables),
    )
    return [table for part in parts for table in part(report)]


def headline_of(report: Mapping[str, Any]) -> str:
    """What was measured on what, in a line."""
    n, of = report["questions"], report.get("drawn_from")
    asked = f"{n} of {of} questions, drawn by lot with seed {report['seed']}" if of else questions(n)
    encoder = report["encoder"]
    settings = ", ".join(f"{key}={value}" for key, value in report["settings"].items())
    parts = [
        f"{report['dataset']}: {asked}",
        encoder["name"] if encoder else "no encoder: BM25 words only",
        f"corpus {report['corpus_hash'][:12]}",
        settings,
    ]
    return "; ".join(part for part in parts if part)


def _retrieval(report: Mapping[str, Any]) -> Iterator[Table]:
    part = report.get("retrieval")
    if not part or not part["judged"]:
        return
    names = headline(part["measures"])
    rows = [(part["default"], part["measures"])] if "modes" not in part else list(part["modes"].items())
    cells = [(mode, *_means(measures, names), interval(measures[names[0]])) for mode, measures in rows if measures]
    unjudged = f", {part['unjudged']} without labels left out" if part["unjudged"] else ""
    title = f"Retrieval ({questions(part['judged'])}{unjudged})"
    yield Table(title, ("mode", *names, f"{names[0]} 95%"), tuple(cells), notes=tuple(part.get("notes", ())))


def _strategies(report: Mapping[str, Any]) -> Iterator[Table]:
    part = report.get("retrieval", {}).get("strategies")
    if not part:
        return
    names = headline(report["retrieval"]["measures"])
    rows = [
        (name, *("-" for _ in names), one["missing"])
        if one.get("missing")
        else (name, *_means(one["measures"], names), f"{one['rewritten']} of {one['n']}")
        for name, one in part.items()
    ]
    yield Table("Strategies", ("strategy", *names, "questions rewritten"), tuple(rows))


def _grains(report: Mapping[str, Any]) -> Iterator[Table]:
    yield from _parts("Grains", "grain", report.get("retrieval", {}).get("grains", {}))


def _slices(report: Mapping[str, Any]) -> Iterator[Table]:
    yield from _parts("Slices", "slice", report.get("retrieval", {}).get("slices", {}))


def _parts(title: str, first: str, parts: Mapping[str, Any]) -> Iterator[Table]:
    """A row each, where there are at least two to compare."""
    if len(parts) < 2:
        return
    names = headline(next(iter(parts.values()))["measures"])
    rows = [(name, str(one["n"]), *_means(one["measures"], names)) for name, one in parts.items()]
    yield Table(title, (first, "n", *names), tuple(rows), detail=True)


def _legs(report: Mapping[str, Any]) -> Iterator[Table]:
    legs = report.get("retrieval", {}).get("found_by")
    if legs and len(legs) > 1:
        title = "Legs that had the first relevant hit in their own ranking (share of the questions that have one)"
        yield Table(title, ("leg", "share"), tuple((leg, number(share)) for leg, share in legs.items()), detail=True)


def _lost(report: Mapping[str, Any]) -> Iterator[Table]:
    lost = report.get("retrieval", {}).get("lost", {})
    if lost.get("counts"):
        rows = [(f"{place}: {lost['meanings'][place]}", str(n)) for place, n in lost["counts"].items()]
        n = sum(lost["counts"].values())
        title = f"Where {questions(n)} {'was' if n == 1 else 'were'} lost (k = {lost['k']})"
        yield Table(title, ("place", "questions"), tuple(rows))


def _routing(report: Mapping[str, Any]) -> Iterator[Table]:
    for name, part in report.get("routing", {}).items():
        scores = f"accuracy {number(part['accuracy'])}, macro F1 {number(part['macro_f1'])}"
        title = f"{name.capitalize()} of the {part['of']} ({questions(part['n'])}): {scores}"
        if "course_to_general" in part:
            title += f"; {questions(part['course_to_general'], 'course ')} sent to general"
        got = list(dict.fromkeys(label for row in part["confusion"].values() for label in row))
        rows = [
            (
                label,
                *(str(one["n"]), *(number(one[key]) for key in ("precision", "recall", "f1"))),
                *(str(part["confusion"].get(label, {}).get(other, 0)) for other in got),
            )
            for label, one in part["classes"].items()
        ]
        headers = ("wanted", "n", "precision", "recall", "F1", *(f"got {label}" for label in got))
        yield Table(title, headers, tuple(rows))


def _generation(report: Mapping[str, Any]) -> Iterator[Table]:
    part = report.get("generation")
    if not part:
        return
    rows = [
        (name, number(one["mean"]), interval(one), f"{one.get('scored', one)['n']}/{one['n']}")
        for name, one in part["measures"].items()
    ]
    if rows:
        yield Table(f"Answers ({questions(part['questions'])})", ("measure", "mean", "95%", "scored"), tuple(rows))
    cost, seconds = part["cost"], report.get("latency", {}).get("routes", {})
    routes = [
        (
            *(route, str(one["n"]), str(one["calls"]), str(one["prompt_tokens"]), str(one["completion_tokens"])),
            *(number(seconds.get(route, {}).get(name)) for name in ("p50", "p95")),
        )
        for route, one in cost["routes"].items()
    ]
    title = f"Cost ({number(cost['without_llm'])} of the answers without an LLM)"
    headers = ("route", "answers", "calls", "tokens in", "tokens out", "p50 s", "p95 s")
    yield Table(title, headers, tuple(routes), detail=True)


def _reliability(report: Mapping[str, Any]) -> Iterator[Table]:
    """A row for each tenth of confidence; with a fit, of the held half, before it and after."""
    part = report.get("calibration")
    if not part:
        return
    fitted = part.get("fit") or {}
    curves = {f"held half, {side}": fitted[side] for side in ("before", "after")} if fitted else {"": part}
    for name, curve in curves.items():
        rows = [
            (f"{one['low']:.1f}-{one['high']:.1f}", *(number(one[key]) for key in ("n", "confidence", "right")))
            for one in curve["bins"]
        ]
        title = f"How often a confidence was right{f' ({name})' if name else ''}: error {number(curve['ece'])}"
        yield Table(title, ("confidence", "questions", "mean confidence", "right"), tuple(rows), detail=True)


def _scalars(report: Mapping[str, Any]) -> Iterator[Table]:
    calibration, latency = report.get("calibration", {}), report.get("latency", {})
    fitted = calibration.get("fit") or {}
    parts: dict[str, Mapping[str, Any]] = {
        "refusal by confidence:": report.get("refusal", {}),
        "refusal by the answers:": report.get("generation", {}).get("refusal", {}),
        "calibration:": {
            **calibration,
            **{f"error {side}": fitted[side]["ece"] for side in ("before", "after") if fitted},
            **({"error by chance alone": fitted["after"].get("chance")} if fitted else {}),
        },
        "search seconds:": latency.get("search", {}),
        "answer seconds:": latency.get("answer", {}),
    }
    rows = [
        (f"{section} {name.replace('_', ' ')}", number(value))
        for section, part in parts.items()
        for name, value in part.items()
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    ]
    if rows:
        yield Table("Refusal, calibration, latency", ("figure", "value"), tuple(rows), detail=True)


def _means(measures: Mapping[str, Any], names: list[str]) -> list[str]:
    return [number(measures[name]["mean"]) if name in measures else "-" for name in names]
