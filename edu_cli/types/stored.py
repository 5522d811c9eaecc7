"""What the catalog keeps and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # for annotations only: most verbs do without numpy's 0.1 s
    import numpy as np
    import numpy.typing as npt

    from edu_cli.types.documents import Child, FaqEntry, OcrPage, Parent
    from edu_cli.types.vectors import SparseVector


class FileStamp(NamedTuple):
    """What `stat` said of a file when it was read; equal stamps mean that it need not be read again (as git does).

    A tuple, as KnownDocument is: thousands are made in a run that finds nothing to do, five times as fast.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Root:
    """A PATH that was ingested. `path` is relative to the project; `whole` is False where only its files were given.

    `subject` is the one that was given for all of it, None where each first folder names its own.
    """

    root_id: int
    tenant: str
    path: str
    whole: bool
    subject: str | None = None


class KnownDocument(NamedTuple):
    """What planning must know of a document in the catalog. `digest` depends on all that was stored of it."""

    doc_id: str
    root_id: int
    path: str
    stamp: FileStamp
    content_hash: str
    recipe: str
    subject: str
    digest: str
    failed: bool


@dataclass(frozen=True, slots=True)
class CatalogChild:
    """A child ready for the catalog. `text_key` names its encoding text, hence its vectors, in the vector cache."""

    child_id: str
    child: Child
    text_key: str


@dataclass(frozen=True, slots=True)
class CatalogParent:
    """A parent ready for the catalog; `parent.children` and `children` are the same ones, in the same order."""

    parent_id: str
    parent: Parent
    children: tuple[CatalogChild, ...]


@dataclass(frozen=True, slots=True)
class CatalogDocument:
    """A document ready for the catalog: one that failed has an `error` (code, message) and no parents."""

    doc_id: str
    root_id: int
    path: str
    tenant: str
    subject: str
    stamp: FileStamp
    content_hash: str
    recipe: str
    format: str
    digest: str
    title: str = ""
    encoding: str | None = None
    pages: int | None = None
    pages_ocr: tuple[OcrPage, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    faq: tuple[FaqEntry, ...] = ()
    profile: str = ""
    error: tuple[str, str] | None = None
    parents: tuple[CatalogParent, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildRow:
    """A child with all that its encoding text and its vector row are made from, as the catalog gives it back."""

    child_id: str
    parent_id: str
    doc_id: str
    doc: str
    title: str
    subject: str
    tenant: str
    parent: Parent
    child: Child
    text_key: str


@dataclass(frozen=True, slots=True)
class EncoderPin:
    """The encoder that a project's vectors were made with; name "none" (dim 0) means BM25 only."""

    name: str
    fingerprint: str
    dim: int


@dataclass(frozen=True, slots=True)
class CachedVectors:
    """What an encoder once gave for a text."""

    dense: npt.NDArray[np.float32]
    sparse: SparseVector
