"""A handful of documents behind a real Searcher: vectors by hash, BM25 replaced by counted words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from fakes import HashEncoder, MemoryStore

from edu_cli.ask.retrieval.asked import pairs_of, plain
from edu_cli.ask.retrieval.search import Searcher
from edu_cli.protocols import LexicalIndex, ParentSource, Reranker
from edu_cli.settings import SearchSettings
from edu_cli.types import Hit, Scope, StoredChild, StoredParent, VectorRow


class PairIndex:
    """Whole parents by the sum of the IDF of the question's character pairs that they hold."""

    def __init__(self, parents: Sequence[StoredParent], tenant: str = "") -> None:
        self._parents = parents
        self._tenant = tenant
        self._pairs = [set(self.tokens("\n".join((*parent.section, parent.text)))) for parent in parents]

    def search(self, question: str, k: int, scope: Scope) -> list[Hit]:
        asked = list(dict.fromkeys(self.tokens(question)))
        weights = dict(zip(asked, self.idf(asked).tolist(), strict=True))
        scored = []
        for parent, pairs in zip(self._parents, self._pairs, strict=True):
            seen = scope.subject in (None, parent.subject) and scope.tenant == self._tenant
            score = sum(weight for pair, weight in weights.items() if pair in pairs)
            if seen and score > 0 and (scope.doc_ids is None or parent.doc_id in scope.doc_ids):
                scored.append((score, parent))
        best = sorted(scored, key=lambda pair: (-pair[0], pair[1].parent_id))[:k]
        return [Hit(p.parent_id, p.parent_id, p.doc_id, score, i) for i, (score, p) in enumerate(best, start=1)]

    def tokens(self, text: str) -> Sequence[str]:
        return pairs_of(plain(text))

    def idf(self, tokens: Sequence[str]) -> npt.NDArray[np.float32]:
        held = np.array([sum(token in pairs for pairs in self._pairs) for token in tokens], np.float32)
        return np.log((len(self._pairs) + 1) / (held + 0.5)).astype(np.float32)


class DictParents:
    """Parents and vectors in dicts; it counts how often it is asked."""

    def __init__(self, parents: Sequence[StoredParent], vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self._parents = {parent.parent_id: parent for parent in parents}
        self._vectors = vectors
        self.asked = 0

    def parents(self, parent_ids: Sequence[str]) -> dict[str, StoredParent]:
        self.asked += 1
        return {parent_id: self._parents[parent_id] for parent_id in parent_ids if parent_id in self._parents}

    def child_vectors(self, child_ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        return {child_id: self._vectors[child_id] for child_id in child_ids if child_id in self._vectors}


@dataclass(frozen=True)
class Corpus:
    """The parts of a searcher over some parents."""

    parents: tuple[StoredParent, ...]
    encoder: HashEncoder
    store: MemoryStore
    lexical: PairIndex
    source: DictParents

    def searcher(
        self,
        *,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 - frozen
        reranker: Reranker | None = None,
        dense: bool = True,
        words: bool = True,
    ) -> Searcher:
        return Searcher(
            encoder=self.encoder if dense else None,
            store=self.store if dense else None,
            lexical=self.lexical if words else None,
            parents=self.source,
            settings=settings,
            reranker=reranker,
        )


def parent(doc: str, text: str, *, section: tuple[str, ...] = (), subject: str = "", n: int = 0) -> StoredParent:
    """A parent whose children are its lines."""
    parent_id = f"{doc}#{n}"
    children, start = [], 0
    for i, line in enumerate(text.split("\n")):
        children.append(StoredChild(f"{parent_id}.{i}", start, start + len(line), page=n + 1, page_end=n + 1))
        start += len(line) + 1
    return StoredParent(parent_id, doc, doc, doc, subject, section, n + 1, n + 1, text, tuple(children))


def corpus(*parents: StoredParent) -> Corpus:
    """All parents, encoded and stored."""
    encoder, store = HashEncoder(64), MemoryStore()
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    for one in parents:
        found = encoder.encode_passages([one.text[c.start : c.end] for c in one.children])
        for child, dense, sparse in zip(one.children, found.dense, found.sparse, strict=True):
            vectors[child.child_id] = dense
            ids = (child.child_id, one.parent_id, one.doc_id)
            store.upsert([VectorRow(*ids, one.subject, "", dense, sparse)])
    store.flush()
    return Corpus(parents, encoder, store, PairIndex(parents), DictParents(parents, vectors))


_index: LexicalIndex = PairIndex(())
_source: ParentSource = DictParents((), {})
