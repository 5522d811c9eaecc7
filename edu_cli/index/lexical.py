"""The BM25 index: built from the corpus's words as bm25s lays it out, and memory-mapped at search.

What is kept beside bm25s's arrays (the raw counts of each term in each row) makes the next build cheap: only rows whose
text changed are cut into words again. A search adds up a few of their columns, to the floats that bm25s would give: its
import takes a tenth of a cold search (a quarter where scipy is installed).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import StoreError
from edu_cli.index.arrays import write_array
from edu_cli.index.bm25_peer import scores_by_bm25s
from edu_cli.index.bm25_scores import lucene_idf, write_scores
from edu_cli.index.generations import UNREADABLE, Generation, current, damaged_among, open_current, publish, reading
from edu_cli.index.merging import Kept, NewRow, write_merged
from edu_cli.index.postings import Postings, read_postings
from edu_cli.index.rebuild import BuildCounts, RowSource, batches, find_changes
from edu_cli.index.rows import RowTable, read_array, read_table, top_rows, write_table
from edu_cli.index.tokens import Tokenizer
from edu_cli.protocols import Progress
from edu_cli.settings import LexicalSettings
from edu_cli.types import Hit, IndexRow, Scope

Texts = Callable[[Sequence[IndexRow]], Sequence[str]]
_MOST_NUMBERS = 50_000  # some 8 MB


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """BM25 (Lucene's variant) over the rows' words; `postings` holds what each word adds to a row's score."""

    table: RowTable
    postings: Postings
    tokenizer: Tokenizer

    def search(self, question: str, k: int, scope: Scope) -> list[Hit]:
        """At most k hits with a score above 0, best first, equal scores by child id."""
        with reading("BM25 index"):
            scores = self._scores(question)
            rows = top_rows(scores, k, self.table.mask(scope))
            return self.table.hits(rows, scores[rows])

    def tokens(self, text: str) -> list[str]:
        """The words of a text as this index cuts them."""
        return self.tokenizer(text)

    def idf(self, tokens: Sequence[str]) -> npt.NDArray[np.float32]:
        """IDF of each word in this corpus; one that no row holds weighs most."""
        return lucene_idf(self.postings.counts_of(hashes(tokens)), len(self.table))

    def is_as_bm25s_has_it(self, n_terms: int) -> bool:
        """Whether bm25s, over the same files, gives every row the score that a search does: for some of the terms."""
        n = len(self.postings.terms)
        at = np.unique(np.linspace(0, n - 1, min(n, n_terms)).astype(np.int64)) if n else np.empty(0, np.int64)
        return np.array_equal(self._sums(at), scores_by_bm25s(self.postings, at, len(self.table)))

    def _scores(self, question: str) -> npt.NDArray[np.float32]:
        at = self.postings.find(hashes(self.tokenizer(question)))
        return self._sums(at[at >= 0])

    def _sums(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Every row's score for the terms at these positions."""
        return self.postings.scores(at, np.ones(len(at), np.float32), len(self.table))


def build_lexical(
    source: RowSource,
    texts: Texts,
    path: Path,
    *,
    tokenizer: Tokenizer,
    settings: LexicalSettings,
    fingerprint: str,
    about: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> BuildCounts:
    """Brings the index at `path` to hold exactly the rows of `source`, in one atomic step; it may be empty.

    Rows that it holds already (equal child id and key, same tokeniser) are not cut again; `texts` gives the others'
    texts, in the order asked. `about` is kept among the index's facts. Raises StoreError.
    """
    old = _reusable(path, tokenizer.fingerprint)
    found = find_changes(old.table if old else None, source)
    table, moved_to, missing = found.table, found.moved_to, found.missing
    lengths = np.zeros(len(table), dtype=np.int32)
    if old:
        lengths[moved_to[moved_to >= 0]] = old.lengths[moved_to >= 0]
    counts = BuildCounts(0, 0, 0)

    def write(folder: Path) -> dict[str, object]:
        nonlocal counts
        write_table(table, folder)
        fresh = _cut(table, batches(missing, "words", progress), texts, tokenizer, lengths)
        terms, ends = write_merged(folder, [Kept(old.counts, moved_to)] if old else [], fresh)
        write_array(folder / "lengths.npy", lengths)
        write_scores(folder, ends, lengths, settings)
        counts = BuildCounts(len(table), len(missing), len(terms))
        return {
            **(about or {}),
            "fingerprint": fingerprint,
            "tokenizer": tokenizer.fingerprint,
            "rows": counts.rows,
            "terms": counts.terms,
        }

    publish(path, write)
    return counts


def open_lexical(path: Path, tokenizer: Tokenizer) -> Bm25Index:
    """The index, memory-mapped. Raises StoreError where there is none or it is damaged."""

    def read(found: Generation) -> Bm25Index:
        if found.facts.get("tokenizer") != tokenizer.fingerprint:
            raise StoreError("The BM25 index was built with another tokeniser.", hint="run `edu index`")
        return Bm25Index(read_table(found.path), read_postings(found.path), tokenizer)

    index = open_current(path, read, "BM25 index")
    if index is None:
        raise StoreError("There is no BM25 index yet.", hint="run `edu index`")
    return index


def hashes(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """The numbers that stand for words in the index: 64 bits of BLAKE2b, so that no vocabulary need be loaded."""
    return np.array([_number(word) for word in words], dtype=np.uint64)


class _Numbers(dict[str, int]):
    """Words' numbers, as a rule computed once; a course's vocabulary grows with it, so that not all are kept."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_NUMBERS:
            self.clear()
        self[word] = number = _number(word)
        return number


def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _cut(
    table: RowTable, pieces: Iterable[list[int]], texts: Texts, tokenizer: Tokenizer, lengths: npt.NDArray[np.int32]
) -> Iterator[NewRow]:
    """The rows' words and how often they stand there; notes each row's length."""
    numbers = _Numbers()
    for batch in pieces:
        for row, text in zip(batch, texts(table.rows(batch)), strict=True):
            words = tokenizer(text)
            lengths[row] = len(words)
            counts = Counter(words)
            terms = np.array([numbers[word] for word in counts], dtype=np.uint64)
            yield NewRow(row, terms, np.fromiter(counts.values(), np.float32, len(counts)))


@dataclass(frozen=True, slots=True)
class _Old:
    """The index in force: its rows, how often each word stands in them, and their lengths."""

    table: RowTable
    counts: Postings
    lengths: npt.NDArray[np.int32]


def _reusable(path: Path, tokenizer: str) -> _Old | None:
    """The index in force; None where it is damaged or was cut by another tokeniser."""
    try:
        found = current(path)
        if found is None or found.facts.get("tokenizer") != tokenizer or damaged_among(found.path, found.files):
            return None
        lengths = read_array(found.path / "lengths.npy")
        return _Old(read_table(found.path), read_postings(found.path, values="counts"), lengths)
    except (StoreError, *UNREADABLE):
        return None
