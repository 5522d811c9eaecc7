"""The frozen values of asking: question -> hits -> candidates -> passages -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Leg = Literal["dense", "sparse", "bm25"]


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
    """A parent with all that a reader needs to judge and cite it. `also` names documents with the same text.

    `pages` tells where in `context` a page begins: (offset, page), in order; `queries` are those of several searches
    that found it.
    """

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
    also: tuple[str, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question for at most `k` distinct parents; `mode` is hybrid or one leg, which shows its own order.

    `passage` is one that might answer, made up to search with.
    """

    question: str
    k: int
    mode: str = "hybrid"
    scope: Scope = field(default_factory=Scope)
    rerank: bool = True
    passage: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What `edu search` gives: distinct parents, best first, and the probability that they hold the answer.

    `parts` are the further questions that were searched for, each with what was found for it alone.
    """

    question: str
    passages: tuple[Passage, ...]
    confidence: float
    seconds: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    parts: tuple[SearchResult, ...] = ()


@dataclass(frozen=True, slots=True)
class WebPage:
    """One result of a web search: what it is called, where it is, and what of it the search server sent."""

    title: str
    address: str
    text: str


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
    """One step of an answer, as the trace keeps it; `tokens` and `prompts` (name@version) are of its LLM calls."""

    name: str
    seconds: float
    detail: str
    tokens: int = 0
    prompts: tuple[str, ...] = ()


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
