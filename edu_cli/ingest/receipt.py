"""What an ingest did, file by file: the table and the JSON that it ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edu_cli.ingest.plan import Plan, PlannedFile, Status
from edu_cli.ingest.prepare import Prepared
from edu_cli.ingest.scan import Skipped
from edu_cli.types import EncoderPin, OcrPage

STATUSES: tuple[Status, ...] = ("added", "updated", "unchanged", "renamed", "removed", "skipped", "failed")


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """What happened to one file. `reason` says why it was skipped, or from where it was renamed."""

    path: str
    status: Status
    subject: str = ""
    format: str = ""
    encoding: str | None = None
    title: str = ""
    pages: int | None = None
    pages_ocr: tuple[OcrPage, ...] = ()
    sections: int = 0
    parents: int = 0
    children: int = 0
    chars: int = 0
    warnings: tuple[str, ...] = ()
    error: tuple[str, str] | None = None
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """Chunks of this run: `encoded` and `reused` are texts that were, or were not, run through the encoder."""

    parents: int = 0
    children: int = 0
    encoded: int = 0
    reused: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """One ingest. `seconds` has load, split, encode, store and total; the first four overlap."""

    files: tuple[FileReceipt, ...]
    chunks: ChunkCounts
    encoder: EncoderPin | None
    corpus_hash: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def counts(self) -> dict[Status, int]:
        """Files by status."""
        found = Counter(file.status for file in self.files)
        return {status: found[status] for status in STATUSES}


def receipt_of(prepared: Prepared) -> FileReceipt:
    """What became of a file that was loaded."""
    file, document = prepared.file, prepared.document
    status = file.status
    if document.error:
        status = "failed"
    elif file.before and file.before.digest == document.digest:
        status = "unchanged"
    return FileReceipt(
        path=file.path,
        status=status,
        subject=file.subject,
        format=document.format,
        encoding=document.encoding,
        title=document.title,
        pages=document.pages,
        pages_ocr=document.pages_ocr,
        sections=len({parent.parent.section for parent in document.parents}),
        parents=len(document.parents),
        children=sum(len(parent.children) for parent in document.parents),
        chars=sum(len(parent.parent.text) for parent in document.parents),
        warnings=document.warnings,
        error=document.error,
        reason=_origin(file),
        seconds=prepared.seconds,
    )


def receipts_of(plans: Sequence[Plan], *, dry: bool = False) -> list[FileReceipt]:
    """Receipts of the files that need no loading; `dry` adds those that would be loaded."""
    receipts = []
    for plan in plans:
        receipts += [FileReceipt(d.path, "unchanged", d.subject) for d in plan.unchanged]
        receipts += [FileReceipt(d.path, "removed", d.subject) for d in plan.removed]
        receipts += [FileReceipt(s.rel, "skipped", reason=s.reason) for s in plan.skipped]
        receipts += [_unseen(s) for s in plan.unseen]
        if dry:
            receipts += [FileReceipt(f.path, f.status, f.subject, reason=_origin(f)) for f in plan.load]
    return receipts


def _unseen(place: Skipped) -> FileReceipt:
    why = f"{place.reason}; what was read there before is kept (check its permissions)."
    return FileReceipt(place.rel or ".", "failed", error=("permission", why))


def _origin(file: PlannedFile) -> str:
    """Under which path it was known before; "" where only its folder has another place."""
    return f"was {file.origin.path}" if file.origin and file.origin.path != file.path else ""
