"""Brings the derived indexes (BM25 words, vector copy) to what the catalog holds; fresh ones cost a look only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from edu_cli.index.generations import facts_of
from edu_cli.index.lexical_place import lexical_fingerprint
from edu_cli.text import content_id
from edu_cli.types import Child, ChildRow, Parent

if TYPE_CHECKING:
    from edu_cli.index.catalog import Catalog
    from edu_cli.index.lexical_place import LexicalPlace
    from edu_cli.protocols import Progress
    from edu_cli.types import CachedVectors, EncoderPin, IndexRow

TextOf = Callable[[ChildRow], str]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of the BM25 index; `reason` says why it is stale or was rebuilt."""

    status: Literal["fresh", "rebuilt", "stale"]
    reason: str
    corpus_hash: str
    children: int
    terms: int
    seconds: float


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Vectors by text key: those that were encoded before, and those of children that must be encoded now."""

    cached: Callable[[Sequence[str]], Mapping[str, CachedVectors]]
    encoded: Callable[[Mapping[str, ChildRow]], Mapping[str, CachedVectors]]


def check_lexical(catalog: Catalog, place: LexicalPlace) -> IndexReport:
    """Compares the stored fingerprint with what the catalog and the settings ask for; reads no text."""
    start = time.perf_counter()
    corpus_hash = catalog.corpus_hash()
    facts = facts_of(place.path)
    stored, wanted = facts.get("fingerprint"), lexical_fingerprint(corpus_hash, place)
    status, reason = ("fresh", "") if stored == wanted else ("stale", _why(stored))
    n_children, n_terms = catalog.n_children() if facts else 0, facts.get("terms", 0)
    return IndexReport(status, reason, corpus_hash, n_children, n_terms, time.perf_counter() - start)


def refresh_lexical(
    catalog: Catalog, place: LexicalPlace, text_of: TextOf, *, force: bool = False, progress: Progress | None = None
) -> IndexReport:
    """Rebuilds the BM25 index when, and only when, it is stale or `force`; unchanged texts are not cut again.

    Its rows are whole parents, since a question's words often stand in several children of one: bench/retrieval.py
    measured nDCG@10 .01 to .06 higher than with children on the six sets tried.
    """
    start = time.perf_counter()
    found = check_lexical(catalog, place)
    if found.status == "fresh" and not force:
        return found
    from edu_cli.index.lexical import build_lexical
    from edu_cli.index.rebuild import RowSource
    from edu_cli.index.tokens import open_tokenizer

    n_children = catalog.n_children()
    counts = build_lexical(
        RowSource(catalog.digests(), catalog.index_parents),
        lambda rows: _parent_texts(catalog, rows, text_of),
        place.path,
        tokenizer=open_tokenizer(place.user_dict, place.cache),
        settings=place.settings,
        fingerprint=lexical_fingerprint(found.corpus_hash, place),
        about={"children": n_children},
        progress=progress,
    )
    reason = found.reason or "asked for by --force"
    seconds = time.perf_counter() - start
    return IndexReport("rebuilt", reason, found.corpus_hash, n_children, counts.terms, seconds)


def is_copy_fresh(catalog: Catalog, path: Path, pin: EncoderPin, *, dense: bool) -> bool:
    """Whether the copy of the vectors is of this corpus and encoder; reads no vector."""
    return facts_of(path).get("fingerprint") == _copy_fingerprint(catalog, pin, dense)


def refresh_copy(
    catalog: Catalog,
    path: Path,
    source: VectorSource,
    pin: EncoderPin,
    *,
    dense: bool,
    afresh: bool = False,
    progress: Progress | None = None,
) -> None:
    """Brings the copy of the vectors up to date, whether or not it is; `dense` False keeps sparse vectors only.

    `afresh` reads every vector again. Raises StoreError.
    """
    from edu_cli.index.copy_build import build_copy
    from edu_cli.index.rebuild import RowSource

    def vectors(rows: Sequence[IndexRow]) -> list[CachedVectors]:
        found = dict(source.cached([row.key for row in rows]))
        lacking = [row for row in rows if row.key not in found]
        if lacking:
            found |= source.encoded({row.text_key: row for row in catalog.child_rows([r.child_id for r in lacking])})
        return [found[row.key] for row in rows]

    rows = RowSource(catalog.digests(), catalog.index_children)
    fingerprint = _copy_fingerprint(catalog, pin, dense)
    dim = pin.dim if dense else 0
    build_copy(rows, vectors, path, dim=dim, fingerprint=fingerprint, afresh=afresh, progress=progress)


def _parent_texts(catalog: Catalog, rows: Sequence[IndexRow], text_of: TextOf) -> list[str]:
    """The encoding text of a child that were the whole parent."""
    found = catalog.parents([row.parent_id for row in rows])
    texts = []
    for row in rows:
        stored = found[row.parent_id]
        parent = Parent(stored.section, stored.text, stored.page, stored.page_end, ())
        whole = Child(0, len(stored.text), stored.page, stored.page_end)
        ids = (row.child_id, row.parent_id, row.doc_id)
        texts.append(text_of(ChildRow(*ids, stored.doc, stored.title, row.subject, row.tenant, parent, whole, "")))
    return texts


def _copy_fingerprint(catalog: Catalog, pin: EncoderPin, dense: bool) -> str:
    return content_id(pin.fingerprint, catalog.corpus_hash(), "dense and sparse" if dense else "sparse")


def _why(stored: str | None) -> str:
    return "there is none yet" if stored is None else "texts, tokeniser, dictionary or parameters have changed"
