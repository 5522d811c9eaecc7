"""A question in Traditional or Simplified Chinese, whichever the passages found are written in.

Words are compared in one script in any case; vectors and the reranker see characters, and a question in the other
script lies farther from its answer (bench/script.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli.simplified import simplified, traditional
from edu_cli.text import cjk_share

_LOOKED_AT = 300  # characters of a text
# Of a text's Chinese characters: a Traditional text has a third of its own, a Simplified one next to none.
_TRADITIONAL_SHARE = 0.05


def in_script_of(texts: Sequence[str], question: str) -> str:
    """`question` in the script that most of `texts` are in; as it is where they are in none or in its own."""
    written = [share for share in map(_traditional_share, texts) if share is not None]
    asked = _traditional_share(question)
    if not written or asked is None:
        return question
    theirs = sum(share >= _TRADITIONAL_SHARE for share in written) * 2 > len(written)
    if theirs:
        return traditional(question) if not asked else question
    return simplified(question) if asked else question


def _traditional_share(text: str) -> float | None:
    """The share of the Chinese characters of `text` that only Traditional has; None without Chinese."""
    text = "".join(text[:_LOOKED_AT].split())
    chinese = round(cjk_share(text) * len(text))
    if not chinese:
        return None
    plain = simplified(text)
    if plain == text or len(plain) != len(text):
        return float(plain != text)
    return sum(a != b for a, b in zip(text, plain, strict=True)) / chinese
