"""A report as files: JSON, CSV, a TREC run, JUnit XML. Markdown and HTML have modules of their own."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from edu_cli.errors import StoreError, UsageError
from edu_cli.evaluate.retrieval import Ranked

FORMATS = (".json", ".html", ".md", ".csv")


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
    """`question Q0 document rank score tag`, distinct documents, for other tools to score."""
    lines = []
    for one in run:
        best: dict[str, float] = {}
        for hit in one.hits:
            best.setdefault(hit.doc, hit.score)
        lines += [
            f"{_word(one.item.id)} Q0 {_word(doc)} {rank} {score:.6f} {tag}"
            for rank, (doc, score) in enumerate(best.items(), start=1)
        ]
    return "".join(f"{line}\n" for line in lines)


def to_junit(report: Mapping[str, Any]) -> str:
    """A test suite with a case a gate, as CI systems show them."""
    gates = report.get("gates", [])
    failed = [gate for gate in gates if not gate["ok"]]
    cases = "".join(map(_case, gates))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name="edu eval" tests="{len(gates)}" failures="{len(failed)}">\n'
        f"{cases}</testsuite></testsuites>\n"
    )


def _case(gate: Mapping[str, Any]) -> str:
    name = quoteattr(_xml(f"{gate['measure']} >= {gate['wanted']}"))
    if gate["ok"]:
        return f'<testcase classname="edu.eval" name={name}/>\n'
    got = "nothing" if gate["got"] is None else gate["got"]
    message = quoteattr(_xml(f"got {got}, wanted at least {gate['wanted']}. {gate['note']}".strip()))
    return f'<testcase classname="edu.eval" name={name}><failure message={message}/></testcase>\n'


def _xml(text: str) -> str:
    """XML has no way to say most control characters."""
    return "".join(c if c.isprintable() else " " for c in text)


def _word(text: str) -> str:
    """TREC files are cut at white space."""
    return "_".join(text.split()) or "_"


def _inert(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula is led by an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t") else cell
