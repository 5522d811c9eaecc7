"""Rankings made by hand for the tests of evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edu_cli.errors import UsageError
from edu_cli.types import Passage, Scope, SearchRequest, SearchResult


def passage(doc, *, section=(), page=None, page_end=None, text="", rank=1, score=1.0, parent=None, **rest):
    return Passage(
        rank=rank,
        score=score,
        doc=doc,
        title=doc,
        section=tuple(section),
        page=page,
        page_end=page_end,
        subject="",
        parent_id=parent or f"{doc}-{'/'.join(section)}-{page}-{text}",
        child_id=f"c-{doc}",
        doc_id=f"d-{doc}",
        text=text,
        context=text,
        **{"sources": {}, "also": (), **rest},
    )


def result(question, docs, confidence=0.9):
    ranked = [passage(doc, rank=i, score=1 / i) if isinstance(doc, str) else doc for i, doc in enumerate(docs, start=1)]
    return SearchResult(question, tuple(ranked), confidence, {"total": 0.01})


_ALL = Scope()


class ScriptedSearch:
    """Gives, for each mode and question, the documents that the script says; records what it was asked."""

    def __init__(self, script: Mapping[str, Mapping[str, Sequence]], confidence: Mapping[str, float] | None = None):
        self.script = script
        self.confidence = confidence or {}
        self.asked: list[tuple[str, str, bool, Scope]] = []

    def search(self, request: SearchRequest) -> SearchResult:
        question = request.question
        self.asked.append((question, request.mode, request.rerank, request.scope))
        name = "hybrid+rerank" if request.mode == "hybrid" and request.rerank else request.mode
        if name not in self.script:
            raise UsageError("unusable")
        docs = self.script[name].get(question, [])
        return result(question, list(docs)[: request.k], self.confidence.get(question, 0.9))
