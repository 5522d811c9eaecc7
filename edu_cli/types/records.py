"""The frozen values of what people and answers leave behind: FAQ, pending questions, conversations, traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

PendingStatus = Literal["open", "answered", "rejected"]


@dataclass(frozen=True, slots=True)
class FaqRecord:
    """An approved answer. `source` is a file, `pending`, `added`, or an ingested document's path."""

    faq_id: str
    subject: str
    question: str
    answer: str
    source: str


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question that got no grounded answer, for a teacher: asked `times` times, to look up in `nearest`."""

    pending_id: str
    subject: str
    question: str
    confidence: float
    nearest: tuple[str, ...]
    times: int
    status: PendingStatus
    answer: str
    created_at: str


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """One question of a conversation with its answer; `standalone` is the question without references."""

    question: str
    standalone: str
    answer: str


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation. `summary` tells of the first `folded` turns, which later prompts do not carry word by word."""

    session_id: str
    title: str
    summary: str
    folded: int
    turns: tuple[SessionTurn, ...]
    updated_at: str


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One answer's steps as they were; `exchanges` are the LLM's prompts and replies."""

    trace_id: int
    question: str
    route: str
    mode: str
    seconds: float
    calls: int
    tokens: int
    created_at: str
    answer: Mapping[str, Any]
    exchanges: tuple[Mapping[str, Any], ...]
