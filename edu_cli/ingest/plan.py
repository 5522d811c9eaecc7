"""Files found x documents known -> what is to be loaded, left alone or removed. Only changed files are read."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from edu_cli.ingest.roots import Target
from edu_cli.ingest.scan import FoundFile, ScanResult, Skipped
from edu_cli.text import content_id
from edu_cli.types import FileStamp, KnownDocument

Status = Literal["added", "updated", "unchanged", "renamed", "removed", "skipped", "failed"]

# A file written within this time of the look at it may change again without changing its stamp (the kernel's clock
# ticks every 1 to 10 ms, FAT's every 2 s): its stamp is not trusted, and the next run reads it again.
RACY_NS = 2_000_000_000
_LARGEST_INTEGER = 2**63 - 1  # that SQLite can hold; some file systems number beyond it


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents are made from files: what changes their text or their place, besides the files themselves."""

    text: str
    subject: str | None = None
    force: bool = False
    prune: bool = True


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to load. `status` is what its receipt will say if it loads and differs from what is known."""

    doc_id: str
    path: str
    file: Path
    stamp: FileStamp
    content_hash: str
    subject: str
    status: Status
    before: KnownDocument | None = None
    origin: KnownDocument | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What one target needs.

    `unseen` could not be looked at: documents from there stay. `restamp` are stamps of files that were touched but hold
    the same, by document id.
    """

    target: Target
    load: tuple[PlannedFile, ...]
    unchanged: tuple[KnownDocument, ...]
    removed: tuple[KnownDocument, ...]
    renamed: tuple[KnownDocument, ...]
    skipped: tuple[Skipped, ...]
    unseen: tuple[Skipped, ...] = ()
    restamp: Mapping[str, FileStamp] = field(default_factory=dict)

    @property
    def gone(self) -> list[str]:
        """Ids of the documents that must not be found any more under these ids."""
        return [document.doc_id for document in (*self.removed, *self.renamed)]


def plan_target(
    target: Target,
    found: ScanResult,
    known: Sequence[KnownDocument],
    absorbed: Mapping[str, KnownDocument],
    recipe: Recipe,
) -> Plan:
    """Compares the files of a target with the documents of its root, and with those of roots that it absorbs.

    `absorbed` are by the path that they would now have. Files are read only where their stamp differs.
    """
    mine = {document.path: document for document in known if not target.part or target.covers(document.path)}
    files = {target.document_path(file.rel): file for file in found.files}
    moved = [document for path, document in absorbed.items() if path in files]
    away = [(path, document) for path, document in (*mine.items(), *absorbed.items()) if path not in files]
    lost = [document for path, document in away if not any(_lies_in(path, place.rel) for place in found.unseen)]
    candidates = _by_hash([*moved, *(lost if recipe.prune else [])])
    compared = [_compare(target, path, file, mine.get(path), recipe) for path, file in files.items()]
    load = [_with_origin(item, candidates) for item in compared if isinstance(item, PlannedFile)]
    unchanged = [item for item in compared if isinstance(item, _Same)]
    taken = {file.origin.doc_id for file in load if file.origin} | {document.doc_id for document in moved}
    gone = [*moved, *(lost if recipe.prune else [])]
    return Plan(
        target,
        load=tuple(load),
        unchanged=tuple(same.document for same in unchanged),
        removed=tuple(document for document in gone if document.doc_id not in taken),
        renamed=tuple(document for document in gone if document.doc_id in taken),
        skipped=found.skipped,
        unseen=found.unseen,
        restamp={same.document.doc_id: same.stamp for same in unchanged if same.stamp},
    )


def _lies_in(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(place + "/")


def subject_of(path: str, chosen: str | None) -> str:
    """The subject of a document: the one chosen, else the first folder of its path."""
    if chosen is not None:
        return chosen
    return path.split("/", 1)[0] if "/" in path else ""


class _Same(NamedTuple):
    """A document that needs no loading, with its new stamp where it was touched."""

    document: KnownDocument
    stamp: FileStamp | None


def _compare(
    target: Target, path: str, file: FoundFile, before: KnownDocument | None, recipe: Recipe
) -> PlannedFile | _Same:
    subject = subject_of(path, recipe.subject)
    exact = FileStamp(file.size, file.mtime_ns, file.ctime_ns, file.inode & _LARGEST_INTEGER)
    as_before = before if before and _made_alike(before, recipe, subject) else None
    if as_before and as_before.stamp == exact:
        return _Same(as_before, None)
    kept = _trusted(exact)
    digest = _hash(file.path)
    if as_before and digest and as_before.content_hash == digest:
        return _Same(as_before, kept)
    doc_id = content_id("document", target.tenant, target.root_path, path)
    status: Status = "updated" if before and not before.failed else "added"
    return PlannedFile(doc_id, path, file.path, kept, digest, subject, status, before)


def _made_alike(before: KnownDocument, recipe: Recipe, subject: str) -> bool:
    return not (recipe.force or before.failed) and (before.recipe, before.subject) == (recipe.text, subject)


def _with_origin(file: PlannedFile, candidates: dict[str, list[KnownDocument]]) -> PlannedFile:
    """A file that is new here, as renamed where a document that went away had the same content."""
    if file.before or not candidates.get(file.content_hash):
        return file
    return replace(file, status="renamed", origin=candidates[file.content_hash].pop(0))


def _by_hash(documents: Iterable[KnownDocument]) -> dict[str, list[KnownDocument]]:
    by_hash: dict[str, list[KnownDocument]] = defaultdict(list)
    for document in documents:
        if document.content_hash and not document.failed:
            by_hash[document.content_hash].append(document)
    return by_hash


def _trusted(stamp: FileStamp) -> FileStamp:
    """The stamp as it may be compared with later ones."""
    is_racy = max(stamp.mtime_ns, stamp.ctime_ns) > time.time_ns() - RACY_NS
    return stamp._replace(mtime_ns=0) if is_racy else stamp


def _hash(path: Path) -> str:
    """BLAKE2b of the file's bytes, "" where it cannot be read (its reader will say why)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError:
        return ""
