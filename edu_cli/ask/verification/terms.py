"""Text -> what is compared between a claim, a question and a passage: grams, numbers with units, negation."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from edu_cli.simplified import simplified
from edu_cli.text import fold

_RUN = re.compile(r"[㐀-鿿豈-﫿]+|[a-z0-9_+#.]*[a-z_+#][a-z0-9_+#]*|\d+(?:\.\d+)?")
# Characters that carry grammar rather than matter; a bigram made of them alone says nothing.
_GRAMMAR = frozenset(
    "的了是在和与及而等这那其也都就还又或之以于为到对把被让使着过地得所有个们它他她我你您吗呢吧啊呀么并且则即将会可能要可由从向往自当如若因但"
)
_STOP_WORDS = """
a an the is are was were be been being am of in on at to by for with from as and or but if it its this that
these those there then than so such which who whom whose what when where how do does did have has had will
would can could may might must should shall you your we our they their he she his her i my me us them not no
"""
_STOP = frozenset(_STOP_WORDS.split())
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")


@functools.lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """`text` folded (width, case, space) and in Simplified characters."""
    return simplified(fold(text))


@functools.lru_cache(maxsize=4096)
def grams(text: str) -> frozenset[str]:
    """Chinese bigrams, Latin words and numbers of `text`; a lone Chinese character is its own gram."""
    found: set[str] = set()
    for match in _RUN.finditer(plain(text)):
        run = match[0]
        if run[0] >= "㐀":
            pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
            found.update(pair for pair in pairs if not _GRAMMAR.issuperset(pair))
        else:
            found.add(run.strip(".") or run)
    return frozenset(found)


@functools.lru_cache(maxsize=4096)
def letters(text: str) -> frozenset[str]:
    """Chinese characters that carry matter, Latin words (without endings: "reviewers" is "reviewer") and numbers."""
    found: set[str] = set()
    for match in _RUN.finditer(plain(text)):
        run = match[0]
        if run[0] >= "㐀":
            found.update(char for char in run if char not in _GRAMMAR)
        elif run not in _STOP:
            found.add(_ENDING.sub("", run.strip(".")) or run)
    return frozenset(found)


def coverage(claim: frozenset[str], evidence: frozenset[str]) -> float:
    """The share of the claim's grams that stand in the evidence; 1 for a claim without any."""
    return len(claim & evidence) / len(claim) if claim else 1.0


def union(texts: Iterable[str]) -> frozenset[str]:
    """The grams of several texts together."""
    return frozenset().union(*(grams(text) for text in texts))
