"""The frozen values of ingest: path -> Document(blocks) -> Section -> Parent/Child."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "formula", "quote", "note", "caption"]
Profile = Literal["general", "technical", "legal", "code", "exam"]


@dataclass(frozen=True, slots=True)
class Block:
    """A reading-order unit of a document, its text verbatim.

    A table's text is one line a row (`| a | b |`), its header row (with the `| --- |` line, if any) given in `header`
    too, so that pieces of a long table can repeat it. `level` is 1-9 for headings, else 0. `page` counts from 1.
    """

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None
    header: str = ""


@dataclass(frozen=True, slots=True)
class OcrPage:
    """A page whose text was read by OCR, and why (`no_text`, `garbled`, `scan`, `forced`, `picture`)."""

    page: int
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class FaqEntry:
    """One question with its approved answer; `line` is where it stands in its table (from 1)."""

    question: str
    answer: str
    subject: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One source file after loading."""

    format: str
    title: str
    blocks: tuple[Block, ...]
    encoding: str | None = None
    pages: int | None = None
    pages_ocr: tuple[OcrPage, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    faq: tuple[FaqEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks that stand under one heading path (outermost heading first; empty before the first heading)."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Child:
    """What is matched: `parent.text[start:end]`, with what its encoding is led by besides the heading path."""

    start: int
    end: int
    page: int | None = None
    page_end: int | None = None
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Parent:
    """What the model reads: one section or a bounded part of it, with its children in order."""

    section: tuple[str, ...]
    text: str
    page: int | None
    page_end: int | None
    children: tuple[Child, ...]


@dataclass(frozen=True, slots=True)
class StoredChild:
    """A child as the catalog keeps it: `parent.text[start:end]`."""

    child_id: str
    start: int
    end: int
    page: int | None = None
    page_end: int | None = None


@dataclass(frozen=True, slots=True)
class StoredParent:
    """A parent as the catalog keeps it, with what its document says. `doc` is the path that users see."""

    parent_id: str
    doc_id: str
    doc: str
    title: str
    subject: str
    section: tuple[str, ...]
    page: int | None
    page_end: int | None
    text: str
    children: tuple[StoredChild, ...]
