"""What an ingest that left nothing undone notes for the next one (unchanged.py)."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from edu_cli.cli.context import Cli
from edu_cli.cli.receipt import receipt_json, summary
from edu_cli.cli.render import to_json
from edu_cli.cli.unchanged import CannotTellError, note_unchanged, world_digest
from edu_cli.cli.visible import safe
from edu_cli.ingest.plan import RACY_NS
from edu_cli.ingest.receipt import ChunkCounts, FileReceipt, Receipt
from edu_cli.ingest.request import IngestRequest
from edu_cli.project import Project

_SECONDS = 98765.125  # stands where the next run writes its own


@dataclass(frozen=True, slots=True)
class Glance:
    """The world as it was before an ingest looked at it; `digest` is "" where stamps do not show changes."""

    args: list[str]
    given: list[str]
    watched: list[str]
    digest: str


def glance(cli: Cli, where: Project, request: IngestRequest, args: Sequence[str], given: Sequence[Path]) -> Glance:
    """Takes the stamps of all that decides what an ingest of the paths `given` finds."""
    paths = [str(path.expanduser().absolute()) for path in given]
    dictionary = cli.settings.lexical.user_dict
    watched = [str(where.root / name) for name in ("edu.toml", ".env", *([dictionary] if dictionary else []))]
    found = Glance(list(args), paths, watched, "")
    if request.force or request.rebuild or cli.settings.milvus.uri:
        return found  # it has something to do each time, or a store that cannot be seen from outside
    if cli.out.verbose or cli.settings.ingest.pdf_password:
        return found  # its answer is long, or its arguments are secret
    try:
        digest = world_digest(found.args, paths, watched, settled_by_ns=time.time_ns() - RACY_NS)
    except (CannotTellError, OSError):
        return found
    return replace(found, digest=digest)


def note_receipt(where: Project, seen: Glance, receipt: Receipt, *, as_json: bool) -> None:
    """Notes what the next run will answer. The caller holds the lock, and has closed the project."""
    if not seen.digest or receipt.warnings or receipt.counts()["failed"]:
        return
    again = replace(receipt, files=tuple(_next(file) for file in receipt.files if file.status != "removed"))
    again = replace(again, chunks=ChunkCounts(), seconds={**dict.fromkeys(receipt.seconds, 0.0), "total": _SECONDS})
    text = to_json(receipt_json(again, verbose=False)) if as_json else safe(summary(again, dry_run=False))
    head, _, tail = (text + "\n").partition(f"{_SECONDS}" if as_json else f"{_SECONDS:.1f}")
    note_unchanged(os.fspath(where.state), seen.digest, seen.given, seen.watched, (head, tail))


def _next(file: FileReceipt) -> FileReceipt:
    return file if file.status == "skipped" else FileReceipt(file.path, "unchanged", file.subject)
