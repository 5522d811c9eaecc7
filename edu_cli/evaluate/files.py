"""A report as files: JSON, CSV, a TREC run, JUnit XML. Markdown and HTML have modules of their own."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from edu_cli.errors import StoreError, UsageError
from edu_cli.evaluate.retrieval import Ranked

FORMATS = (".json", ".html", ".md", ".csv")
_SCORE_STEP = 1e-6  # the last digit of a score in a TREC run
_WHY = 20  # questions that a failure in JUnit names


def write_report(report: Mapping[str, Any], path: Path) -> None:
    """Writes the report in the format that the name ends in. Raises UsageError and StoreError."""
    write_text(path, render(report, checked_format(path)))


def checked_format(path: Path) -> str:
    """The ending that decides the format. Raises UsageError for one that is none of FORMATS."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"--out {path} ends in none of {', '.join(FORMATS)}.", hint="as in --out report.html")
    return path.suffix.lower()


def render(report: Mapping[str, Any], ending: str) -> str:
    """The report as text."""
    if ending == ".json":
        return json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    if ending == ".csv":
        return to_csv(report)
    if ending == ".md":
        from edu_cli.evaluate.markdown import to_markdown

        return to_markdown(report)
    from edu_cli.evaluate.html import to_html

    return to_html(report)


def check_writable(path: Path) -> None:
    """Raises StoreError where a file at `path` could not be written, and UsageError where it is a folder."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; a file is wanted.", hint=f"as in {path / 'report.json'}")
    place = next(parent for parent in path.absolute().parents if parent.exists())
    if not os.access(path if path.exists() else place, os.W_OK) or not place.is_dir():
        raise StoreError(f"{path} cannot be written.", hint="choose another place")


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8, making the folder. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}.", hint="choose another place"
        ) from error


def to_csv(report: Mapping[str, Any]) -> str:
    """One row a question."""
    rows = report.get("per_question", [])
    names = sorted({name for row in rows for name in row.get("measures", {})})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "question", "confidence", "lost", *names])
    for row in rows:
        measures = row.get("measures", {})
        cells = [row["id"], row["question"], row.get("confidence"), row.get("lost") or ""]
        writer.writerow([_inert(cell) for cell in (*cells, *(measures.get(name, "") for name in names))])
    return out.getvalue()


def to_trec_run(run: Sequence[Ranked], tag: str) -> str:
    """`question Q0 document rank score tag`, distinct documents, for other tools to score.

    Those order by score, so a score that is not below the one before it is written as just below.
    """
    lines = []
    for one in run:
        last = math.inf
        for rank, (doc, score) in enumerate(one.ranking, start=1):
            last = min(score, last - _SCORE_STEP)
            lines.append(f"{_word(one.item.id)} Q0 {_word(doc)} {rank} {last:.6f} {tag}\n")
    return "".join(lines)


def to_junit(report: Mapping[str, Any]) -> str:
    """A test suite with a case a gate, as CI systems show them; a failure names the questions that went wrong."""
    gates = report.get("gates", [])
    failed = sum(not gate["ok"] for gate in gates)
    encoder = (report["encoder"] or {}).get("name", "none")
    facts = {name: report[name] for name in ("dataset", "questions", "corpus_hash", "seed")} | {"encoder": encoder}
    properties = "".join(f"<property name={_quoted(k)} value={_quoted(v)}/>" for k, v in facts.items())
    cases = "".join(_case(gate, report) for gate in gates)
    counts = f'tests="{len(gates)}" failures="{failed}" errors="0" skipped="0" time="0"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name="edu eval" {counts}>\n'
        f"<properties>{properties}</properties>\n{cases}</testsuite></testsuites>\n"
    )


def _case(gate: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    name = _quoted(f"{gate['measure']} >= {gate['wanted']}")
    case = f'<testcase classname="edu.eval" name={name} time="0"'
    if gate["ok"]:
        return f"{case}/>\n"
    got = "nothing" if gate["got"] is None else gate["got"]
    message = _quoted(f"got {got}, wanted at least {gate['wanted']}. {gate['note']}".strip())
    why = escape(_xml(_why(gate["measure"], report)))
    return f'{case}><failure type="gate" message={message}>{why}</failure></testcase>\n'


def _why(figure: str, report: Mapping[str, Any]) -> str:
    """What is not as it was in the baseline, and the questions that stand lowest by the figure.

    Of a figure that single questions do not have, the first ones that something went wrong with.
    """
    name = figure.removeprefix("generation.")
    short = [row for row in report["per_question"] if row["measures"].get(name, 1.0) < 1]
    told = [
        (row, [f"{name} {row['measures'][name]:.3f}"]) for row in sorted(short, key=lambda row: row["measures"][name])
    ] or [(row, []) for row in report["per_question"] if row["wrong"]]
    lines = list(report.get("baseline", {}).get("changed", []))
    lines += [
        f"{row['id']} {row['question']}: {'; '.join([*value, *(wrong['text'] for wrong in row['wrong'][:1])])}"
        for row, value in told[:_WHY]
    ]
    return "\n".join(lines)


def _quoted(value: object) -> str:
    return quoteattr(_xml(str(value)))


def _xml(text: str) -> str:
    """XML has no way to say most control characters."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def _word(text: str) -> str:
    """TREC files are cut at white space."""
    return "_".join(text.split()) or "_"


def _inert(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula is led by an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t") else cell
