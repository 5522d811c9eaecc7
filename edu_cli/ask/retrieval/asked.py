"""The question's words with their weights, and how much of them a text holds."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.protocols import LexicalIndex
from edu_cli.simplified import simplified
from edu_cli.text import fold

if TYPE_CHECKING:  # showing hits needs their words only, and numpy is most of what such a command would load
    import numpy as np
    import numpy.typing as npt

# Rows assumed beside the corpus, none of which holds the word: in a corpus of three chunks IDF says nothing, and
# without them a word's absence would weigh five times its presence.
_PRIOR_ROWS = 200.0
_NO_WORD = "\0"
_SEAM = "\ue0ff"  # for private use: no folding touches it

# What stands where the answer will (哪一年, 第几章, 多长时间): a passage that answers has something else there, so that
# neither the phrase nor a word that stands in it alone (一年) is content. 几何, 几率 and 多线程 are no such phrases.
_KIND = "年月日天号种类个位名项条款座所场部本家支届首片章节步次点岁处里儿边层级张颗件份门队站国省州市县城镇区人国"
_PLACEHOLDER = re.compile(
    rf"哪一?几?[{_KIND}]?|(?:第|有)?几[{_KIND}]|什么(?:时候|时间|地方|样子?|意思)?|怎么(?:办(?!理)|回事|样|做)?|怎样"
    rf"|何[{_KIND}时地]|多(?:少|久|长时间|[长大高远深宽快重](?![\u3400-\u9fff]))[{_KIND}]?|干嘛|咋办?|谁"
)

_WORDS = re.compile(r"[㐀-鿿豈-﫿]+|[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")


@dataclass(frozen=True, slots=True)
class Asked:
    """The question folded, its distinct content words, and the weight of each (IDF with a prior; they sum to 1).

    `missing` says which words nothing in the corpus holds.
    """

    folded: str
    words: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]

    @property
    def unknown(self) -> float:
        """The weight of the words that nothing in the corpus holds."""
        return float(self.weights[self.missing].sum())

    def held(self, text: str) -> npt.NDArray[np.bool_]:
        """Which of the words stand in `text`, which is plain."""
        import numpy as np

        return np.fromiter((holds(text, word) for word in self.words), np.bool_, len(self.words))


def asked(question: str, lexical: LexicalIndex | None) -> Asked:
    """What is asked for. A question of asking words only keeps them all."""
    import numpy as np

    folded = plain(question)
    found = list(dict.fromkeys(lexical.tokens(question) if lexical else pairs_of(folded)))
    told = _PLACEHOLDER.sub(_SEAM, folded)
    words = [word for word in found if word not in _asking_words() and holds(told, word)] or found
    if not words or lexical is None:
        even = np.full(len(words), 1 / max(len(words), 1))
        return Asked(folded, tuple(words), even, np.zeros(len(words), np.bool_))
    idf = lexical.idf([*words, _NO_WORD]).astype(np.float64)
    halved = 0.5 * np.exp(idf[-1] - idf[:-1])  # rows that hold the word, plus .5
    n_rows = 0.5 * np.exp(idf[-1])
    weights = np.log((n_rows + _PRIOR_ROWS) / halved)
    weights /= weights.sum()
    return Asked(folded, tuple(words), weights, idf[:-1] >= idf[-1] - 1e-6)


def plain(text: str) -> str:
    """`text` for looking words up: width, case and white space folded, Simplified."""
    return simplified(fold(text))


def plain_all(texts: Sequence[str]) -> list[str]:
    """`plain` of many texts in one go, since most of its cost is in the calls."""
    return plain(_SEAM.join(text.replace(_SEAM, "") for text in texts)).split(_SEAM) if texts else []


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


def pairs_of(folded: str) -> Sequence[str]:
    """Pairs of neighbouring Han characters and Latin words of a plain text, in order."""
    found: list[str] = []
    for match in _WORDS.finditer(folded):
        run = match[0]
        is_han = not run.isascii() and len(run) > 1
        found.extend(run[i : i + 2] for i in range(len(run) - 1)) if is_han else found.append(run)
    return found


@functools.cache
def _asking_words() -> frozenset[str]:
    """What asks, and what only joins words: it says nothing of the matter. Written for this project."""
    return frozenset(Path(__file__).with_name("asking_words.txt").read_text(encoding="utf-8").split())


def _joins(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")
