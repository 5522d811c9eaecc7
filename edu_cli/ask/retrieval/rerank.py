"""Examined -> the order of its rows: that of the fusion, or that of a cross-encoder over windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.evidence import heading_of
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.pool import Floats
from edu_cli.protocols import Reranker
from edu_cli.text import sentences
from edu_cli.types import StoredParent

READ_CLOSELY = 20  # passages a cross-encoder is asked about: each costs it a tenth of a second on a CPU
_WINDOW_CHARS = 700  # about 450 tokens of Chinese, which with the question fill a cross-encoder's 512
_MODEL_SHARE = 0.7  # of a cross-encoder in the final score; the rest is the fused score, which breaks its ties


@dataclass(frozen=True, slots=True)
class Order:
    """Rows of Examined, best first, with the score of each row (by row, not by place)."""

    rows: npt.NDArray[np.intp]
    scores: Floats
    reranked: bool
    probabilities: Floats | None = None


def by_fusion(examined: Examined) -> Order:
    """The order that fusion gave."""
    return Order(examined.fused.order(), examined.fused.scores, reranked=False)


def by_reranker(examined: Examined, reranker: Reranker, question: str) -> Order:
    """A cross-encoder over the first passages, windowed around the child that hit; the others keep their order below.

    Raises EncoderError.
    """
    order = examined.fused.order()
    close = order[:READ_CLOSELY]
    texts = [window(examined.parents[i], examined.evidence.best[i]) for i in close]
    probabilities = np.zeros(len(order))
    probabilities[close] = reranker.score(question, texts)
    fused = examined.fused.scores
    top = max(float(fused.max(initial=0.0)), 1e-9)
    scores = _MODEL_SHARE * probabilities + (1 - _MODEL_SHARE) * fused / top
    return Order(
        np.concatenate([close[np.argsort(-scores[close], kind="stable")], order[READ_CLOSELY:]]),
        scores,
        reranked=True,
        probabilities=probabilities,
    )


def window(parent: StoredParent, child_id: str) -> str:
    """The heading and the part of a parent around a child: whole sentences, as many as the window takes."""
    heading = heading_of(parent)
    room = max(_WINDOW_CHARS - len(heading) - 1, _WINDOW_CHARS // 2)
    text = parent.text
    if len(text) > room:
        child = next((c for c in parent.children if c.child_id == child_id), None)
        start, end = (child.start, child.end) if child else (0, 0)
        text = text[slice(*_grown(sentences(text), start, end, room))]
    return f"{heading}\n{text}".strip() if heading else text


def _grown(spans: Sequence[tuple[int, int]], start: int, end: int, room: int) -> tuple[int, int]:
    """(start, end) widened by whole sentences, after and before in turn, while they fit in `room` characters."""
    if end - start >= room:
        return start, start + room
    after = [span_end for _, span_end in spans if span_end > end]
    before = [span_start for span_start, _ in reversed(spans) if span_start < start]
    grown = True
    while grown:
        grown = False
        if after and after[0] - start <= room:
            end, grown = after.pop(0), True
        if before and end - before[0] <= room:
            start, grown = before.pop(0), True
    return (start, end) if end > start else (0, room)
