"""Examined -> the order of its rows: that of the fusion, or that of a cross-encoder over windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.evidence import heading_of
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.pool import Floats
from edu_cli.ask.retrieval.reading import Reading, reading_for
from edu_cli.protocols import Reranker
from edu_cli.text import sentences
from edu_cli.types import StoredParent


@dataclass(frozen=True, slots=True)
class Order:
    """Rows of Examined, best first, with the score of each row (by row, not by place).

    `reading` is how a cross-encoder was asked, None where none was; `probabilities` are its answers, by row, 0 for the
    rows that it was not shown.
    """

    rows: npt.NDArray[np.intp]
    scores: Floats
    reading: Reading | None = None
    probabilities: Floats | None = None

    @property
    def reranked(self) -> bool:
        """Whether a cross-encoder had a part in it."""
        return self.reading is not None


def by_fusion(examined: Examined) -> Order:
    """The order that fusion gave."""
    return Order(examined.fused.order(), examined.fused.scores)


def by_reranker(examined: Examined, reranker: Reranker, question: str) -> Order:
    """A cross-encoder over the first passages, windowed around the child that hit; the others keep their order below.

    Raises EncoderError.
    """
    reading = reading_for(reranker.name)
    close = examined.fused.order()[: reading.passages]
    texts = [window(examined.parents[i], examined.evidence.best[i], reading.chars) for i in close]
    probabilities = np.zeros(len(examined.parents))
    probabilities[close] = reranker.score(question, texts)
    return reordered(examined, reading, probabilities)


def reordered(examined: Examined, reading: Reading, probabilities: Floats) -> Order:
    """The order of the fusion with what a cross-encoder says of the first `reading.passages` rows."""
    order, fused = examined.fused.order(), examined.fused.scores
    close, rest = order[: reading.passages], order[reading.passages :]
    scores = (1 - reading.share) * fused / max(float(fused.max(initial=0.0)), 1e-9)
    scores[close] += reading.share * probabilities[close]
    if len(rest):  # not read: below all that were
        scores[rest] *= scores[close].min() / max(float(scores[rest].max()), 1e-9)
    rows = np.concatenate([close[np.argsort(-scores[close], kind="stable")], rest])
    return Order(rows, scores, reading, probabilities)


def window(parent: StoredParent, child_id: str, chars: int) -> str:
    """The heading and the part of a parent around a child: whole sentences, as many as `chars` take."""
    heading = heading_of(parent)
    room = max(chars - len(heading) - 1, chars // 2)
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
