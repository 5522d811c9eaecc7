"""`edu status`: what is in the project, at once: no model, no Milvus, no index is opened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from edu_cli.cli.flags import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption

app = new_app()

_MOST_SUBJECTS = 12  # named without -v


@app.command()
def status(
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """What is in the project: documents, chunks, encoder, indexes, and who is writing."""
    from edu_cli.wiring.overview import project_facts

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    facts = project_facts(cli.project, cli.settings)
    if json:
        cli.out.value({"schema": 1, **facts})
    else:
        _show(cli, facts)


def _show(cli: Cli, facts: dict[str, Any]) -> None:
    encoder = facts["encoder"]
    lines = [
        ("project", facts["project"]),
        ("documents", f"{facts['documents']}" + (f" and {facts['failed']} that failed" if facts["failed"] else "")),
        ("chunks", _chunks(facts)),
        ("FAQ entries", str(facts["faq"]) if facts["faq"] else ""),
        ("paths", ", ".join(root["path"] for root in facts["roots"])),
        ("subjects", _subjects(facts, sys.maxsize if cli.out.verbose else _MOST_SUBJECTS)),
        (
            "encoder",
            f"{encoder['name']}, {encoder['dim']} dimensions" if encoder and encoder["dim"] else "none: BM25 only",
        ),
        ("vectors", _store_name(facts) if encoder and encoder["dim"] else ""),
        ("BM25 index", facts["bm25"] + ("; run `edu index`" if facts["bm25"] != "fresh" else "")),
        ("unfinished", _unfinished(facts)),
        ("on disk", f"{facts['bytes'] / 2**20:.1f} MB"),
        ("written by", facts["lock"] or ""),
    ]
    width = max(len(name) for name, _ in lines)
    shown = [f"{name:<{width}}  {value}" for name, value in lines if value]
    cli.out.text("\n".join([*shown, *_answer_lines(facts["answers"])]))


def _answer_lines(answers: dict[str, Any]) -> Iterator[str]:
    if not answers["total"]:
        return
    asked = f"{counted(answers['total'], 'question')} asked"
    yield f"\n{asked}, {answers['tokens']} tokens of an LLM (the last that are kept)"
    rows = [("by", "route", "n", "share", "LLM calls", "tokens", "p50 s", "p95 s")]
    for row in answers["by"]:
        times = (f"{row['p50']:.2f}", f"{row['p95']:.2f}")
        numbers = (str(row["answers"]), f"{row['share']:.0%}", str(row["calls"]), str(row["tokens"]), *times)
        rows.append((row["by"], row["route"], *numbers))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:  # of ASCII words, for which Rich is too large to be loaded
        named = (cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True))
        numbers = (cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True))
        yield "  " + "  ".join((*named, *numbers))


def _unfinished(facts: dict[str, Any]) -> str:
    if facts["unsettled"]:
        return f"{facts['unsettled']} chunks of a run that was cut off; `edu ingest` mends them"
    return "the last run was cut off; `edu ingest PATH` goes on" if facts["cut_off"] and not facts["lock"] else ""


def _chunks(facts: dict[str, Any]) -> str:
    return f"{counted(facts['parents'], 'parent')}, {counted(facts['children'], 'child', 'children')}"


def _store_name(facts: dict[str, Any]) -> str:
    return "Milvus Lite" if facts["milvus"] == "lite" else facts["milvus"]


def _subjects(facts: dict[str, Any], most: int) -> str:
    """The largest subjects of each tenant, with their numbers of documents."""
    parts = []
    for tenant, found in facts["subjects"].items():
        largest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{subject or '(none)'} {n}" for subject, n in largest[:most])
        more = f" and {len(largest) - most} more" if len(largest) > most else ""
        parts.append((f"{tenant}: " if tenant else "") + named + more)
    return "; ".join(parts)
