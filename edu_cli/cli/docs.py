"""`edu docs`: documents listed, shown, removed and exported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from edu_cli.cli.context import Cli, new_app, open_cli
from edu_cli.cli.writing import writing
from edu_cli.errors import UsageError
from edu_cli.text import counted, nearest

if TYPE_CHECKING:
    import typer

    from edu_cli.cli.flags import (
        DebugOption,
        DocArgument,
        GlobArgument,
        JsonOption,
        LockTimeoutOption,
        OfSubjectOption,
        OfTenantOption,
        ProjectOption,
        QuietOption,
        VerboseOption,
    )
    from edu_cli.index.catalog import Catalog
    from edu_cli.index.documents import DocumentRecord
    from edu_cli.types import StoredParent

app = new_app(default="list")


@app.command("list")
def list_documents(
    doc: GlobArgument = None,
    subject: OfSubjectOption = None,
    tenant: OfTenantOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """List documents, failed ones included."""
    from edu_cli.index.documents import check_names, documents
    from edu_cli.wiring.places import open_reader

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with open_reader(cli.project) as catalog:
        check_names(catalog, tenant, subject)
        found = documents(catalog, tenant=tenant, subject=subject, glob=doc)
    if json:
        cli.out.value({"schema": 1, "documents": [_record_json(record) for record in found]})
    elif found:
        rows = [
            (r.path, r.subject, r.format, str(r.pages or ""), str(r.children or ""), r.error[1] if r.error else r.title)
            for r in found
        ]
        cli.out.table(("document", "subject", "format", "pages", "chunks", "title"), rows, right=(3, 4))
    else:
        cli.out.note("no documents")


@app.command()
def show(
    doc: DocArgument,
    tenant: OfTenantOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show a document and its sections. With -v their texts too."""
    from edu_cli.wiring.places import open_reader

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with open_reader(cli.project) as catalog:
        found = _wanted(catalog, doc, tenant)
        parents = {record.doc_id: list(catalog.export([record.doc_id])) for record in found}
    if json:
        shown = [{**_record_json(r), "sections": [_parent_json(p) for p in parents[r.doc_id]]} for r in found]
        cli.out.value({"schema": 1, "documents": shown})
        return
    for record in found:
        _show(cli, record, parents[record.doc_id])


@app.command()
def remove(
    docs: Annotated[
        list[str], typer.Argument(metavar="DOC...", help="Paths, or globs over paths.", show_default=False)
    ],
    tenant: OfTenantOption = None,
    lock_timeout: LockTimeoutOption = 60.0,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Remove documents. Files that still exist come back with the next ingest of their folder."""
    from edu_cli.ingest.pipeline import remove as remove_documents

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with writing(cli, cli.project, lock_timeout) as session:
        found = {record.doc_id: record for doc in docs for record in _wanted(session.catalog, doc, tenant)}
        deleted = remove_documents(list(found), session.tools)
        session.refresh(False)
    if json:
        cli.out.value({"schema": 1, "removed": [r.path for r in found.values()], "chunks": deleted})
    else:
        for record in found.values():
            cli.out.text(f"removed {record.path}")


@app.command()
def export(
    doc: GlobArgument = None,
    tenant: OfTenantOption = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Write every parent as a line of JSON. They come in document order; with --json all in one value."""
    from edu_cli.wiring.places import open_reader

    cli = open_cli(project, json=json, quiet=quiet, verbose=verbose)
    with open_reader(cli.project) as catalog:
        ids = None if doc is None and tenant is None else [r.doc_id for r in _wanted(catalog, doc, tenant)]
        exported = (_parent_json(parent) for parent in catalog.export(ids))
        if json:
            cli.out.value({"schema": 1, "parents": list(exported)})
            return
        for value in exported:
            cli.out.value(value)


def _wanted(catalog: Catalog, doc: str | None, tenant: str | None) -> Sequence[DocumentRecord]:
    """The documents that a path or glob names. Raises UsageError where there are none."""
    from edu_cli.index.documents import check_names, documents

    check_names(catalog, tenant, None)
    found = documents(catalog, tenant=tenant, glob=doc)
    if not found and doc is not None:
        near = nearest(doc, [r.path for r in documents(catalog, tenant=tenant)], cutoff=0.6)  # all share an ending
        hint = f"did you mean {near}?" if near else "`edu docs list` lists them all"
        raise UsageError(f"There is no document {doc}.", hint=hint)
    return found


def _record_json(record: DocumentRecord) -> dict[str, Any]:
    value = asdict(record)
    value["error"] = {"code": record.error[0], "message": record.error[1]} if record.error else None
    return value


def _parent_json(parent: StoredParent) -> dict[str, Any]:
    return {
        "doc": parent.doc,
        "title": parent.title,
        "subject": parent.subject,
        "section": list(parent.section),
        "page": parent.page,
        "parent_id": parent.parent_id,
        "text": parent.text,
        "children": [
            {"child_id": c.child_id, "text": parent.text[c.start : c.end], "start": c.start, "end": c.end}
            for c in parent.children
        ],
    }


def _show(cli: Cli, record: DocumentRecord, parents: Sequence[StoredParent]) -> None:
    out = cli.out
    pages = f", {record.pages} pages" if record.pages else ""
    ocr = f", {len(record.pages_ocr)} by OCR" if record.pages_ocr else ""
    out.text(f"{record.path}  ({record.format}{pages}{ocr})  {record.title}")
    for label, value in (
        ("path", record.root),
        ("tenant", record.tenant),
        ("subject", record.subject),
        ("encoding", record.encoding or ""),
        ("profile", record.profile),
        ("read", record.updated_at),
        ("error", record.error[1] if record.error else ""),
        *record.metadata.items(),
        *(("warning", warning) for warning in record.warnings),
        *((f"page {p.page}", f"read by OCR: {p.reason}, confidence {p.confidence:.2f}") for p in record.pages_ocr),
    ):
        if value:
            out.text(f"  {label}: {value}")
    for parent in parents:
        page = f" (p. {parent.page})" if parent.page else ""
        heading = " › ".join(parent.section) or "(before the first heading)"
        out.text(f"  - {heading}{page}: {counted(len(parent.children), 'chunk')}, {len(parent.text)} characters")
        if cli.out.verbose:
            out.text(parent.text + "\n")
