"""LLM graders: whether an answer is grounded and of use, and which passages only look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.ask.generation.context import heading, window
from edu_cli.ask.generation.structured import structured, verdict
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.types import Passage

_PASSAGE_TOKENS = 400  # of a passage around its hit, when it is only judged whether it is about the question
_MOST_SENTENCES = 8


@dataclass(frozen=True, slots=True)
class Grade:
    """A grader's verdict: `unsupported` are the sentences that it finds in no passage, `why` its reason."""

    grounded: bool
    useful: bool
    unsupported: tuple[str, ...]
    why: str


def grade(question: str, text: str, passages: Sequence[Passage], chat: ChatModel, prompt: Prompt) -> Grade | None:
    """The verdict on an answer; None where the grader's replies cannot be used. Raises ChatError."""
    given = {"question": question, "passages": [p.context for p in passages], "answer": text}
    return structured(chat, prompt, given, _grade)


def relevant(question: str, passages: Sequence[Passage], chat: ChatModel, prompt: Prompt) -> tuple[int, ...] | None:
    """Numbers (from 1) of the passages that help to answer; None where the replies cannot be used. Raises ChatError."""
    shown = [{"n": n, "text": f"{heading(p)}\n{window(p, _PASSAGE_TOKENS)}"} for n, p in enumerate(passages, 1)]

    def numbers(value: Any) -> tuple[int, ...]:
        found = sorted({int(n) for n in value["relevant"]})
        if any(not 1 <= n <= len(shown) for n in found):
            raise ValueError("a number of no passage")
        return tuple(found)

    return structured(chat, prompt, {"question": question, "passages": shown}, numbers)


def _grade(value: Any) -> Grade:
    grounded, useful = verdict(value["grounded"]), verdict(value["useful"])
    raw = value.get("unsupported") or ()
    sentences = tuple(str(s).strip() for s in raw if str(s).strip()) if isinstance(raw, list) else ()
    return Grade(grounded, useful, sentences[:_MOST_SENTENCES], " ".join(str(value.get("why") or "").split())[:200])
