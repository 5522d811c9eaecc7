"""Question -> passages: encode, legs side by side, fusion, reranking, confidence. What `edu search` shows."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edu_cli.ask.retrieval.asked import asked
from edu_cli.ask.retrieval.confidence import calibrated, confidence
from edu_cli.ask.retrieval.duplicates import distinct
from edu_cli.ask.retrieval.examine import Examined, examine
from edu_cli.ask.retrieval.hyde import hyde_weights
from edu_cli.ask.retrieval.pool import pool_of
from edu_cli.ask.retrieval.ranking import Ranking, ranking_for
from edu_cli.ask.retrieval.rerank import Order, by_fusion, by_reranker
from edu_cli.ask.retrieval.retrieve import LEGS, QuestionVectors, Retriever, encoded
from edu_cli.ask.retrieval.script import in_script_of
from edu_cli.errors import EncoderError, UsageError
from edu_cli.protocols import Encoder, LexicalIndex, ParentSource, Reranker, VectorSearch
from edu_cli.settings import SearchSettings
from edu_cli.types import Leg, LegScore, Passage, Scope, SearchRequest, SearchResult

_LEGS_OF: dict[str, tuple[Leg, ...]] = {"hybrid": LEGS, "dense": ("dense",), "sparse": ("sparse",), "bm25": ("bm25",)}
_EVERYTHING = Scope()
_NEEDS_ENCODER = ("dense", "sparse")
_SCRIPT_SEEN = 3  # passages that tell which script the material is written in


class Searcher:
    """Retrieval over one project. Without encoder or store (None) only BM25 searches; without a BM25 index, the rest.

    Without a `reranker` (a cross-encoder) the fusion's order stands. One instance serves several threads.
    """

    def __init__(
        self,
        *,
        encoder: Encoder | None,
        store: VectorSearch | None,
        lexical: LexicalIndex | None,
        parents: ParentSource,
        settings: SearchSettings,
        reranker: Reranker | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self._encoder = encoder
        self._retriever = Retriever(store, lexical)
        self._lexical = lexical
        self._parents = parents
        self._settings = settings
        self._reranker = reranker
        self._encoder_name = encoder.name if encoder is not None else None
        self._warnings = tuple(warnings)

    def search(self, request: SearchRequest) -> SearchResult:
        """At most k distinct parents, best first. Only the hybrid ranking is reranked: one leg shows its own order.

        A hypothetical `passage` is encoded with the question and searched with, by weights of its own; the confidence
        is the question's alone, since what was made up is near to something in any case (bench/fit_hyde.py).
        Raises UsageError for an empty question, EncoderError where a mode needs an encoder that is not there.
        """
        question = self._checked(request.question, request.mode)
        clock = _Clock()
        look = functools.partial(self._look, request=request, clock=clock)
        seen = look(question)
        worded = in_script_of(_first_texts(seen.examined), question)
        if worded != question and seen.vectors is not None:
            seen = look(worded)
        examined, alone = seen.examined, seen.alone
        order = self._order(examined, worded, rerank=request.rerank and request.mode == "hybrid")
        is_judged_by_reader = order.reading is not None and order.reading.judges
        judged = (examined, order) if alone is examined or is_judged_by_reader else (alone, by_fusion(alone))
        sure = calibrated(confidence(*judged, self._ranking(seen.vectors)), self._settings)
        passages = _passages(examined, order, request.k)
        clock.stop("rerank")
        return SearchResult(question, passages, sure, clock.seconds(), self._warnings)

    def _look(self, question: str, request: SearchRequest, clock: _Clock) -> _Seen:
        vectors = self.encode(question) if request.mode != "bm25" else None
        both = self.encode(f"{question}\n{request.passage}") if vectors and request.passage else None
        clock.stop("encode")
        look = functools.partial(self.examine, question, vectors, mode=request.mode, scope=request.scope, k=request.k)
        examined = look(found_by=both)
        alone = look() if both else examined
        clock.stop("retrieve")
        return _Seen(vectors, examined, alone)

    def examine(
        self,
        question: str,
        vectors: QuestionVectors | None,
        *,
        mode: str = "hybrid",
        scope: Scope = _EVERYTHING,
        k: int = 10,
        found_by: QuestionVectors | None = None,
    ) -> Examined:
        """All that ranking weighs; the scripts that fit the weights read it too.

        `found_by` are the vectors that the dense and sparse legs search with in place of the question's own; what they
        find is judged by the question.
        """
        words = asked(question, self._lexical)
        pool_size = max(self._settings.pool, 2 * k)
        hits = self._retriever.retrieve(question, found_by or vectors, _LEGS_OF[mode], k=pool_size, scope=scope)
        return examine(
            words,
            vectors,
            pool_of(hits),
            self._parents,
            self._ranking(vectors),
            fusion=self._settings.fusion,
            mode=mode,
            k=k,
            shifted=hyde_weights() if found_by else None,
        )

    def encode(self, question: str) -> QuestionVectors | None:
        """A question's vectors; None without an encoder."""
        return encoded(self._encoder, question) if self._encoder else None

    def _order(self, examined: Examined, question: str, *, rerank: bool) -> Order:
        if rerank and self._reranker is not None:
            return by_reranker(examined, self._reranker, question)
        return by_fusion(examined)

    def _ranking(self, vectors: QuestionVectors | None) -> Ranking:
        return ranking_for(self._encoder_name if vectors is not None else None)

    def _checked(self, question: str, mode: str) -> str:
        question = question.strip()
        if not question:
            raise UsageError("The question is empty.", hint='edu search "什么是跳表？"')
        if mode not in _LEGS_OF:
            raise UsageError(f"There is no search mode {mode!r}.", hint=f"choose one of {', '.join(_LEGS_OF)}")
        if mode in _NEEDS_ENCODER and self._encoder is None:
            raise EncoderError(
                f"--mode {mode} needs an encoder, and this project has BM25 only.",
                hint="run `edu ingest --rebuild` with an encoder, or search with --mode bm25",
            )
        return question


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a question found: with a hypothetical passage, and `alone` without it."""

    vectors: QuestionVectors | None
    examined: Examined
    alone: Examined


class _Clock:
    """Seconds of each stage, by name."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._start = self._last = now()
        self._seconds: dict[str, float] = {}

    def stop(self, stage: str) -> None:
        """What passed since the last stop belongs to `stage`."""
        now = self._now()
        self._seconds[stage] = self._seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        return {**self._seconds, "total": self._last - self._start}


def _first_texts(examined: Examined) -> list[str]:
    return [examined.parents[i].text for i in examined.fused.order()[:_SCRIPT_SEEN]]


def _passages(examined: Examined, order: Order, k: int) -> tuple[Passage, ...]:
    rows = order.rows.tolist()
    kept = distinct([examined.parents[i].doc for i in rows], [examined.evidence.texts[i] for i in rows], k)
    return tuple(
        _passage(examined, order, int(order.rows[place]), rank, also)
        for rank, (place, also) in enumerate(kept, start=1)
    )


def _passage(examined: Examined, order: Order, row: int, rank: int, also: tuple[str, ...]) -> Passage:
    parent, child_id = examined.parents[row], examined.evidence.best[row]
    child = next((c for c in parent.children if c.child_id == child_id), None)
    score = round(float(order.scores[row]), 6)
    return Passage(
        rank=rank,
        score=score,
        doc=parent.doc,
        title=parent.title,
        section=parent.section,
        page=child.page if child and child.page is not None else parent.page,
        subject=parent.subject,
        parent_id=parent.parent_id,
        child_id=child_id,
        doc_id=parent.doc_id,
        text=parent.text[child.start : child.end] if child else parent.text,
        context=parent.text,
        sources=_sources(examined, row),
        rerank_score=score if order.reranked else None,
        page_end=child.page_end if child and child.page is not None else parent.page_end,
        also=also,
        pages=tuple((c.start, c.page) for c in parent.children if c.page is not None),
    )


def _sources(examined: Examined, row: int) -> dict[Leg, LegScore]:
    pool, shares = examined.pool, examined.fused.shares
    return {
        leg: LegScore(
            int(pool.ranks[leg][row]),
            round(float(pool.scores[leg][row]), 6),
            round(float(shares[leg][row]), 6) if leg in shares else 0.0,
        )
        for leg in pool.scores
        if pool.ranks[leg][row] > 0
    }
