"""The receipt of an ingest as JSON and as the table that it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from edu_cli.text import counted

if TYPE_CHECKING:
    from edu_cli.cli.render import Output
    from edu_cli.ingest.receipt import FileReceipt, Receipt

_MOST_ROWS = 30  # files listed without -v; more would push the summary off the screen
_MOST_WARNINGS = 20
_SHOWN_S = 0.05  # less than this is not worth a figure


def receipt_json(receipt: Receipt, *, verbose: bool) -> dict[str, Any]:
    """The contract's JSON; `unchanged` documents are listed only when `verbose`."""
    pin = receipt.encoder
    return {
        "schema": 1,
        **receipt.counts(),
        "documents": [_file_json(f) for f in receipt.files if verbose or f.status != "unchanged"],
        "chunks": asdict(receipt.chunks),
        "encoder": {"name": pin.name, "dim": pin.dim, "sparse": pin.dim > 0} if pin else None,
        "corpus_hash": receipt.corpus_hash,
        "seconds": {name: round(value, 3) for name, value in receipt.seconds.items()},
        "warnings": list(receipt.warnings),
    }


def show_receipt(out: Output, receipt: Receipt, *, dry_run: bool) -> None:
    """A row a file that was loaded, a line a file that was not, warnings, and the sums."""
    if dry_run and not out.quiet:
        _show_plan(out, _shortened(out, receipt.files))
    elif not dry_run:
        if not out.quiet:
            _show_loaded(out, [f for f in receipt.files if f.children and (out.verbose or f.status != "unchanged")])
        _show_others(out, receipt)
    _show_warnings(out, receipt)
    out.text(summary(receipt, dry_run=dry_run))


def _show_plan(out: Output, files: Sequence[FileReceipt]) -> None:
    listed = [f for f in files if out.verbose or f.status != "unchanged"]
    rows = [(f.path, f.status, f.subject, _why(f)) for f in listed]
    if rows:
        out.table(("file", "would be", "subject", "note"), rows)


def _show_loaded(out: Output, files: Sequence[FileReceipt]) -> None:
    rows = [
        (
            f"{f.path} ({f.reason})" if f.reason else f.path,
            f.status,
            f.format,
            str(f.pages or ""),
            str(len(f.pages_ocr) or ""),
            str(f.children or ""),
            f"{f.seconds:.1f}" if f.seconds >= _SHOWN_S else "",
        )
        for f in _shortened(out, files)
    ]
    headers = ("file", "status", "format", "pages", "OCR", "chunks", "s")
    kept = [i for i in range(len(headers)) if i < 3 or any(row[i] for row in rows)]
    right = [n for n, i in enumerate(kept) if i >= 3]
    if rows:
        out.table([headers[i] for i in kept], [[row[i] for i in kept] for row in rows], right=right)


def _show_others(out: Output, receipt: Receipt) -> None:
    """Files that failed; and without -q, where the run did something or with -v, those that went or were skipped."""
    did = not out.quiet and (out.verbose or any(f.status not in ("unchanged", "skipped") for f in receipt.files))
    wanted = ("removed", "skipped", "failed") if did else ("failed",)
    for status in wanted:
        for f in _shortened(out, [f for f in receipt.files if f.status == status]):
            out.text(f"{status} {f.path}{_said_of(f, _why(f))}")


def _why(file: FileReceipt) -> str:
    """Why a file stands where it does: what failed, else what was decided."""
    return file.error[1] if file.error else file.reason


def _said_of(file: FileReceipt, said: str) -> str:
    """What is said of a file, to stand behind its path: its name is not said again."""
    name = file.path.rsplit("/", 1)[-1]
    return said.removeprefix(name) if said.startswith(f"{name} ") else f": {said}" * bool(said)


def _shortened(out: Output, files: Sequence[FileReceipt]) -> Sequence[FileReceipt]:
    if out.verbose or len(files) <= _MOST_ROWS:
        return files
    out.note(f"{len(files) - _MOST_ROWS} more {files[-1].status} are listed with -v")
    return files[:_MOST_ROWS]


def _show_warnings(out: Output, receipt: Receipt) -> None:
    for warning in receipt.warnings:
        out.warn(warning)
    told = [f"{f.path}{_said_of(f, warning)}" for f in receipt.files for warning in f.warnings]
    for line in told if out.verbose else told[:_MOST_WARNINGS]:
        out.warn(line)
    if not out.verbose and len(told) > _MOST_WARNINGS:
        out.warn(f"{len(told) - _MOST_WARNINGS} more warnings; -v shows them")


def summary(receipt: Receipt, *, dry_run: bool) -> str:
    """The line that the receipt ends with."""
    counts = [f"{n} {status}" for status, n in receipt.counts().items() if n]
    head = ", ".join(counts) or "no files found"
    if dry_run:
        return f"{head} (nothing was done)"
    c = receipt.chunks
    parts = [head]
    if c.children:
        parts.append(counted(c.children, "chunk"))
    if c.encoded and receipt.encoder:
        parts.append(f"{c.encoded} encoded by {receipt.encoder.name}")
    if receipt.encoder and receipt.encoder.name == "none":
        parts.append("no encoder: BM25 only")
    return "; ".join([*parts, f"{receipt.seconds['total']:.1f} s"])


def _file_json(file: FileReceipt) -> dict[str, Any]:
    value = {
        "path": file.path,
        "status": file.status,
        "subject": file.subject,
        "format": file.format,
        "encoding": file.encoding,
        "title": file.title,
        "pages": file.pages,
        "pages_ocr": [asdict(page) for page in file.pages_ocr],
        "sections": file.sections,
        "parents": file.parents,
        "children": file.children,
        "chars": file.chars,
        "warnings": list(file.warnings),
        "error": {"code": file.error[0], "message": file.error[1]} if file.error else None,
        "seconds": round(file.seconds, 3),
    }
    return value | ({"reason": file.reason} if file.reason else {})
