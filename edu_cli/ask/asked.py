"""The question's words with their weights, and how much of them a text holds."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.protocols import LexicalIndex
from edu_cli.simplified import simplified
from edu_cli.text import fold

# Rows assumed beside the corpus, none of which holds the word: in a corpus of three chunks IDF says nothing, and
# without them a word's absence would weigh five times its presence.
_PRIOR_ROWS = 200.0
_NO_WORD = "\0"

_DEFINITION = re.compile(
    r"^(?:请问|请|介绍一下|解释一下|说说|简述)?\s*(?:"
    r"(?:什么|啥)(?:是|叫做?)\s*(?P<after>[^?？，,。]{1,30}?)"
    r"|(?P<before>[^?？，,。]{1,30}?)\s*(?:是什么(?:意思)?|是啥|指的?是?什么|的(?:定义|概念|含义)是?(?:什么)?)"
    r"|what (?:is|are) (?:an? |the )?(?P<latin>[^?]{1,40}?))\s*[?？。!！]*$"
)
_SAYS_WHAT = re.compile(
    r"[*_`”\"']*\s*(?:[（(][^）)]{1,60}[）)])?\s*[，,]?\s*"
    r"(?:就?是(?!否|不是)|指|即|表示|又称|也叫|叫做|is |are |:|：)"
)
_FOR_NUMBER = re.compile(
    r"多少|几[个年月日种次天人岁名层]|哪一?年|何年|什么时[候间]|何时|哪一?天|日期|多[长大高久远深快重]"
    r"|how (?:many|much|long)|when "
)
_NUMBER = re.compile(r"[0-9]|[一二三四五六七八九十百千万亿两][个年月日种次天人岁名层百千万亿元]")
_WORDS = re.compile(r"[㐀-鿿豈-﫿]+|[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")


@dataclass(frozen=True, slots=True)
class Asked:
    """The question folded, its distinct content words, and the weight of each (IDF with a prior; they sum to 1).

    `defined` is what a definition is asked of ("" where none is), `for_number` whether a number or date is asked for.
    """

    folded: str
    words: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    unknown: float
    defined: str = ""
    for_number: bool = False

    def coverage(self, text: str) -> float:
        """The share (0..1) of the question's weight whose words stand in `text`, which is plain."""
        return float(self.weights[[holds(text, word) for word in self.words]].sum()) if self.words else 0.0

    def suits(self, text: str) -> float:
        """Whether a plain text has the shape of what is asked: a definition of the term, a number; 0 or 1."""
        if self.defined:
            at = text.find(self.defined)
            while at >= 0:
                if _SAYS_WHAT.match(text, at + len(self.defined)):
                    return 1.0
                at = text.find(self.defined, at + 1)
            return 0.0
        return float(self.for_number and _NUMBER.search(text) is not None)


def asked(question: str, lexical: LexicalIndex | None) -> Asked:
    """What is asked for. A question of asking words only keeps them all. `unknown` is the weight no row holds."""
    folded = plain(question)
    found = list(dict.fromkeys(lexical.tokens(question) if lexical else pairs_of(folded)))
    words = [word for word in found if word not in _asking_words()] or found
    defined, for_number = _defined(folded), _FOR_NUMBER.search(folded) is not None
    if not words or lexical is None:
        return Asked(folded, tuple(words), np.full(len(words), 1 / max(len(words), 1)), 0.0, defined, for_number)
    idf = lexical.idf([*words, _NO_WORD]).astype(np.float64)
    halved = 0.5 * np.exp(idf[-1] - idf[:-1])  # rows that hold the word, plus .5
    n_rows = 0.5 * np.exp(idf[-1])
    weights = np.log((n_rows + _PRIOR_ROWS) / halved)
    weights /= weights.sum()
    unknown = float(weights[idf[:-1] >= idf[-1] - 1e-6].sum())
    return Asked(folded, tuple(words), weights, unknown, defined, for_number)


def plain(text: str) -> str:
    """`text` for looking words up: width, case and white space folded, Simplified."""
    return simplified(fold(text))


def holds(text: str, word: str) -> bool:
    """Whether a plain text holds a word: Latin words as whole words (no "c" in "cache"), Chinese ones anywhere."""
    if not word.isascii():
        return word in text
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
        if not _joins(before) and not _joins(after):
            return True
        at = text.find(word, at + 1)
    return False


def longest_run(question: str, text: str) -> int:
    """Characters of the longest piece of the question that stands in `text` as it is."""
    longest = 0
    for start in range(len(question)):
        while start + longest < len(question) and question[start : start + longest + 1] in text:
            longest += 1
    return longest


def pairs_of(folded: str) -> Sequence[str]:
    """Pairs of neighbouring Han characters and Latin words of a plain text, in order."""
    found: list[str] = []
    for match in _WORDS.finditer(folded):
        run = match[0]
        is_han = not run.isascii() and len(run) > 1
        found.extend(run[i : i + 2] for i in range(len(run) - 1)) if is_han else found.append(run)
    return found


def _defined(folded: str) -> str:
    match = _DEFINITION.match(folded)
    return next((found.strip() for found in match.groups() if found), "") if match else ""


@functools.cache
def _asking_words() -> frozenset[str]:
    """What asks, and what only joins words: it says nothing of the matter. Written for this project."""
    return frozenset(Path(__file__).with_name("asking_words.txt").read_text(encoding="utf-8").split())


def _joins(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")
