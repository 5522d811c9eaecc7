"""`edu status`: what is in the project, at once: no model, no Milvus, no index is opened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli.cli.context import Cli, new_app, open_cli

if TYPE_CHECKING:
    from edu_cli.cli.flags import DebugOption, JsonOption, ProjectOption, QuietOption, VerboseOption
    from edu_cli.index.catalog import Catalog

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
    from edu_cli.wiring.places import open_reader

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with open_reader(cli.project) as catalog:
        facts = _facts(cli, catalog)
    if json:
        cli.out.value({"schema": 1, **facts})
    else:
        _show(cli, facts)


def _facts(cli: Cli, catalog: Catalog) -> dict[str, Any]:
    from edu_cli.index.documents import subjects, tenants
    from edu_cli.index.lock import holder
    from edu_cli.wiring.places import check_indexes

    pin = catalog.encoder()
    report = check_indexes(cli.project, cli.settings, catalog)
    owners = tenants(catalog)
    return {
        "project": str(cli.project.root),
        **catalog.counts(),
        "roots": [{"path": root.path, "tenant": root.tenant} for root in catalog.roots()],
        "tenants": owners,
        "subjects": {tenant: subjects(catalog, tenant) for tenant in owners},
        "encoder": {"name": pin.name, "dim": pin.dim, "sparse": pin.dim > 0} if pin else None,
        "milvus": cli.settings.milvus.uri or "lite",
        "bm25": report.status,
        "corpus_hash": report.corpus_hash,
        "unsettled": len(catalog.unsettled()),
        "answers": _answers(catalog),
        "bytes": _size(cli.project.state),
        "lock": holder(cli.project.lock_path),
    }


def _answers(catalog: Catalog) -> dict[str, Any]:
    """What the kept traces tell: how many questions, and by route and by what answered."""
    from dataclasses import asdict

    from edu_cli.ask.usage import usage
    from edu_cli.index.records_talk import TalkRecords

    found = usage(TalkRecords(catalog.database).outcomes())
    return {
        "total": sum(row.answers for row in found),
        "tokens": sum(row.tokens for row in found),
        "by": [asdict(row) for row in found],
    }


def _show(cli: Cli, facts: dict[str, Any]) -> None:
    encoder = facts["encoder"]
    lines = [
        ("project", facts["project"]),
        ("documents", f"{facts['documents']}" + (f" and {facts['failed']} that failed" if facts["failed"] else "")),
        ("chunks", f"{facts['parents']} parents, {facts['children']} children"),
        ("FAQ entries", str(facts["faq"]) if facts["faq"] else ""),
        ("paths", ", ".join(root["path"] for root in facts["roots"])),
        ("subjects", _subjects(facts, sys.maxsize if cli.out.verbose else _MOST_SUBJECTS)),
        (
            "encoder",
            f"{encoder['name']}, {encoder['dim']} dimensions" if encoder and encoder["dim"] else "none: BM25 only",
        ),
        ("vectors", _store_name(facts) if encoder and encoder["dim"] else ""),
        ("BM25 index", facts["bm25"] + ("; run `edu index`" if facts["bm25"] != "fresh" else "")),
        (
            "unfinished",
            f"{facts['unsettled']} chunks of a run that was cut off; `edu ingest` mends them"
            * bool(facts["unsettled"]),
        ),
        ("on disk", f"{facts['bytes'] / 2**20:.1f} MB"),
        ("written by", facts["lock"] or ""),
    ]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        if value:
            cli.out.text(f"{name:<{width}}  {value}")
    _show_answers(cli, facts["answers"])


def _show_answers(cli: Cli, answers: dict[str, Any]) -> None:
    if not answers["total"]:
        return
    cli.out.text(f"\n{answers['total']} questions asked, {answers['tokens']} tokens of an LLM (the last that are kept)")
    rows = [
        (
            row["by"],
            row["route"],
            str(row["answers"]),
            f"{row['share']:.0%}",
            str(row["calls"]),
            str(row["tokens"]),
            f"{row['p50']:.2f}",
            f"{row['p95']:.2f}",
        )
        for row in answers["by"]
    ]
    cli.out.table(("by", "route", "n", "share", "LLM calls", "tokens", "p50 s", "p95 s"), rows, right=range(2, 8))


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


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
