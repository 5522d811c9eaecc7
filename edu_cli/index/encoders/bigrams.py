"""Text -> sparse vector of terms: pairs of neighbouring Han characters, and words of all other scripts.

A second opinion beside BM25 over jieba's words: pairs know no dictionary, so a course's own terms are not cut wrongly.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from edu_cli.index.tokens import fold_for_words
from edu_cli.types import SparseVector

# The usual values. `train/bigram_weights.py` tried 64 others on nine sets: the best, chosen on eight and tried on the
# ninth, gave a mean nDCG@10 of .7263, these .7267.
K1, B = 1.2, 0.75
# Terms in a passage of ordinary length. BM25 wants the corpus's mean, which changes with every added file and would
# change all vectors with it; children are cut to about the same length everywhere, so a constant does.
AVERAGE_TERMS = 160.0

_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_HANGUL = r"\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7af"
_RUN = f"[{_HAN}{_KANA_HANGUL}]"
_WORD = rf"(?:(?!{_RUN})[^\W_])+"
# A word may go on over one of _ . - / ' : (node_id, k-means, 2031-09-01, gb/t), and end in a sign (c++, c#).
_SIGN = r"(?<=[a-z])(?:\+\+|[+#](?![a-z0-9]))"
_TERMS = re.compile(rf"(?P<run>{_RUN}+)|{_WORD}(?:[_.\-/':]{_WORD})*(?:{_SIGN})?")
_PARTS = re.compile(_WORD)
_NO_ID = 0xFFFFFFFF  # Milvus takes ids below 2^32 - 1


def terms(text: str) -> Iterator[str]:
    """The terms of a text, repeats included. A compound word gives itself and its parts (k-means, k, means)."""
    for match in _TERMS.finditer(fold_for_words(text)):
        found = match.group()
        if not match.group("run"):
            yield found
            parts = _PARTS.findall(found)
            if len(parts) > 1:
                yield from parts
        elif len(found) == 1:
            yield found
        else:
            yield from (found[i : i + 2] for i in range(len(found) - 1))


def term_id(term: str) -> int:
    """A stable id below 2^32 - 1 (CRC-32; a million terms share about a hundred ids)."""
    code = zlib.crc32(term.encode("utf-8", "surrogatepass"))
    return code if code != _NO_ID else 0


def passage_vectors(texts: Sequence[str]) -> list[SparseVector]:
    """BM25's term weights without IDF, which a search applies from the corpus's counts."""
    return [_vector(_passage_weights(Counter(map(term_id, terms(text))))) for text in texts]


def question_vectors(texts: Sequence[str]) -> list[SparseVector]:
    """Each term weighs as often as it is asked."""
    return [_vector(Counter(map(term_id, terms(text)))) for text in texts]


def _passage_weights(counts: Counter[int]) -> dict[int, float]:
    held_back = K1 * (1 - B + B * counts.total() / AVERAGE_TERMS)
    return {term: n * (K1 + 1) / (n + held_back) for term, n in counts.items()}


def _vector(weights: dict[int, float] | Counter[int]) -> SparseVector:
    items = sorted(weights.items())
    return SparseVector(
        np.array([term for term, _ in items], np.uint32), np.array([weight for _, weight in items], np.float32)
    )
