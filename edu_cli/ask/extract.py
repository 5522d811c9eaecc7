"""Question + passages -> the sentences that answer it, verbatim, with their numbers: an answer without any LLM."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from edu_cli.ask.injection import evidence
from edu_cli.ask.terms import grams
from edu_cli.text import sentences
from edu_cli.types import Passage


@dataclass(frozen=True, slots=True)
class Extract:
    """One sentence of passage `n` (from 1), verbatim, at `start` of its context."""

    n: int
    start: int
    text: str
    score: float


def extract(question: str, passages: Sequence[Passage]) -> list[Extract]:
    """The sentences that answer `question`, best first; [] where none shares anything with it."""
    found = _candidates(passages)
    if not found:
        return []
    wanted = grams(question)
    bags = [grams(e.text) for e in found]
    weight = {g: math.log(1 + len(bags) / (1 + sum(g in b for b in bags))) for g in wanted}
    total = sum(weight.values()) or 1.0
    scored = [
        Extract(e.n, e.start, e.text, sum(weight[g] for g in wanted & b) / total + 0.1 * (e.n == 1))
        for e, b in zip(found, bags, strict=True)
    ]
    return sorted((e for e in scored if e.score > 0.15), key=lambda e: (-e.score, e.n, e.start))[:3]


def _candidates(passages: Sequence[Passage]) -> list[Extract]:
    found = []
    for n, passage in enumerate(passages, 1):
        text = evidence(passage.context)
        for start, end in sentences(text):
            piece = passage.context[start:end].strip()
            if text[start:end].strip() and len(re.sub(r"\W", "", piece)) >= 4:
                found.append(Extract(n, start, piece, 0.0))
    return found


def as_answer(extracts: Sequence[Extract]) -> str:
    """The sentences in reading order, each followed by its `[n]`."""
    ordered = sorted(extracts, key=lambda e: (e.n, e.start))
    return "\n".join(f"{e.text}[{e.n}]" for e in ordered)
