"""The frozen values that flow between the stages. No behaviour beyond what the fields imply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "formula", "quote", "note", "caption"]
Leg = Literal["dense", "sparse", "bm25"]
Profile = Literal["general", "technical", "legal", "code", "exam"]


# --- ingest: path -> Document(blocks) -> Section -> Parent/Child


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
    """A page whose text was read by OCR, and why (`no_text`, `garbled`, `scan`, `forced`)."""

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


# --- vectors


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (uint32, ascending) and their weights (float32 > 0), equally long."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DualVectors:
    """What an encoder gives for n texts: dense (n, dim) float32 rows of length 1, and n sparse vectors."""

    dense: npt.NDArray[np.float32]
    sparse: Sequence[SparseVector]


@dataclass(frozen=True, slots=True)
class VectorRow:
    """One child as it stands in the vector store."""

    child_id: str
    parent_id: str
    doc_id: str
    subject: str
    tenant: str
    dense: npt.NDArray[np.float32]
    sparse: SparseVector


# --- ask: question -> hits -> candidates -> passages -> answer


@dataclass(frozen=True, slots=True)
class Scope:
    """Which children a search may see. `tenant` always holds; None elsewhere means no restriction."""

    tenant: str = ""
    subject: str | None = None
    doc_ids: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of one leg's ranking; a higher score is better, `rank` counts from 1."""

    child_id: str
    parent_id: str
    doc_id: str
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class LegScore:
    """Where one leg saw a parent: the best rank and score of its children, and the share in the fused score."""

    rank: int
    score: float
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A parent after fusion. `child_ids` are the children that hit, best first."""

    parent_id: str
    doc_id: str
    score: float
    child_ids: tuple[str, ...]
    sources: Mapping[Leg, LegScore]
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A parent with all that a reader needs to judge and cite it."""

    rank: int
    score: float
    doc: str
    title: str
    section: tuple[str, ...]
    page: int | None
    subject: str
    parent_id: str
    child_id: str
    doc_id: str
    text: str
    context: str
    sources: Mapping[Leg, LegScore]
    rerank_score: float | None = None
    page_end: int | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What `edu search` gives: distinct parents, best first, and the probability that they hold the answer."""

    question: str
    passages: tuple[Passage, ...]
    confidence: float
    seconds: Mapping[str, float]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a chat model answered, with what it cost."""

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker `[n]` bound to a passage, and how well the passage bears the sentence out."""

    n: int
    doc: str
    section: tuple[str, ...]
    page: int | None
    quote: str
    claim: str
    support: Literal["supported", "weak", "unsupported"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an answer, as the trace keeps it."""

    name: str
    seconds: float
    detail: str


@dataclass(frozen=True, slots=True)
class LlmUse:
    """Calls and tokens that one answer cost."""

    model: str | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What `edu ask` gives; the fields are those of the contract's JSON."""

    question: str
    standalone_question: str
    answer: str
    refused: bool
    confidence: float
    route: str
    kind: str | None
    strategy: str | None
    mode: str
    queries: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()
    faq: Mapping[str, object] | None = None
    session: str | None = None
    pending_id: str | None = None
    llm: LlmUse = field(default_factory=LlmUse)
    steps: tuple[Step, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
