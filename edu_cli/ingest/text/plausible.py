"""Whether text can be language at all: how many of its neighbouring characters are ones that words are made of."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

_HAN_RUNS = re.compile("[\u4e00-\u9fff]{2,}")
_LATIN_RUNS = re.compile("[a-z]{3,}")
_SCRIPTS_EXPECTED = re.compile(
    "[\\W\\d_a-zA-Z\u00aa-\u024f\u0370-\u052f\u1e00-\u1fff\u2c60-\u2c7f\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a"
    "\u2e80-\u2fdf\u3005-\u30ff\u31f0-\u31ff\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"
)
_LEAST_HAN, _HAN_NONSENSE = 14, 0.2
_LEAST_LATIN, _LATIN_NONSENSE = 150, 0.7
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@functools.cache
def _pairs() -> frozenset[str]:
    """The pairs of plausible_pairs.txt (made by train/plausible_pairs.py); 15 ms, once."""
    text = (Path(__file__).parent / "plausible_pairs.txt").read_text(encoding="utf-8")
    latin, *han = text.splitlines()
    return frozenset((*latin.split(" "), *(line[0] + follower for line in han for follower in line[1:])))


def is_word_pair(left: str, right: str) -> bool:
    """Whether two Chinese characters stand side by side within common words."""
    return left + right in _pairs()


def han_share(text: str) -> tuple[float, int]:
    """The share of neighbouring Chinese characters that words are made of, and how many such pairs there were."""
    return _share(_HAN_RUNS.findall(text))


def latin_share(text: str) -> tuple[float, int]:
    """As `han_share`, for letters within words of three and more."""
    return _share(_LATIN_RUNS.findall(text.lower()))


def is_nonsense(text: str) -> bool:
    """Whether a page's worth of text is no language that is known here; False where there is too little to tell.

    Of Chinese text 99% of pieces of 600 characters have a share above .25 (median .45 to .57 over seven corpora in
    both scripts), of exchanged characters 99% have less than .18; English has .90 and more against .55.
    """
    share, pairs = han_share(text)
    if pairs >= _LEAST_HAN:
        return share < _HAN_NONSENSE
    share, pairs = latin_share(text)
    return pairs >= _LEAST_LATIN and share < _LATIN_NONSENSE


def _share(runs: Sequence[str]) -> tuple[float, int]:
    pairs = _pairs()
    known = sum(run[at : at + 2] in pairs for run in runs for at in range(len(run) - 1))
    total = sum(len(run) - 1 for run in runs)
    return (known / total if total else 0.0), total


def strange_share(text: str) -> float:
    """The share of letters of scripts that hardly occur here, and of characters outside every common character set."""
    letters = [char for char in text if char.isalpha()]
    return sum(_is_strange(char) for char in letters) / len(letters) if letters else 0.0


def is_ocr_script(text: str) -> bool:
    """Whether the text is in a script that the OCR models know (Latin, Chinese, some Japanese)."""
    letters = [char for char in text if char.isalpha()]
    known = sum(char < "\u0250" or "\u2e80" <= char < "\ua4d0" or "\uf900" <= char <= "\uffef" for char in letters)
    return known >= 0.8 * len(letters)


@functools.lru_cache(maxsize=20_000)
def _is_strange(char: str) -> bool:
    if _HAN.match(char):
        return not any(_encodes(char, codec) for codec in ("gb2312", "big5", "shift_jis"))
    return not _SCRIPTS_EXPECTED.match(char)


def _encodes(char: str, codec: str) -> bool:
    try:
        char.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
