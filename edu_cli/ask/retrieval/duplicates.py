"""A list of passages without copies: the same text in many files takes one place, and the other files stay known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

_SHINGLE = 5  # characters
_ALIKE = 0.9  # share of common shingles that copies with a word changed still have
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@dataclass
class _Kept:
    place: int
    text: str
    doc: str
    also: list[str] = field(default_factory=list)

    @cached_property
    def numbers(self) -> list[str]:
        return _DIGITS.findall(self.text)

    @cached_property
    def shingles(self) -> frozenset[str]:
        return frozenset(self.text[i : i + _SHINGLE] for i in range(max(1, len(self.text) - _SHINGLE + 1)))

    @cached_property
    def characters(self) -> frozenset[str]:
        return frozenset(self.text)

    def is_nearly(self, other: _Kept) -> bool:
        if not _ALIKE < len(self.text) / max(len(other.text), 1) < 1 / _ALIKE or self.numbers != other.numbers:
            return False
        if self._lacks_too_much(other) or other._lacks_too_much(self):
            return False
        return len(self.shingles & other.shingles) >= _ALIKE * len(self.shingles | other.shingles)

    def _lacks_too_much(self, other: _Kept) -> bool:
        """Whether so many of this text's characters are not in the other that the shingles need not be made.

        Of shingles that are alike, at most (1 / _ALIKE - 1) of this text's are not in the other. Those that begin with
        a character that the other lacks are among them, and differ; only the last characters begin none.
        """
        lacking = len(self.characters - other.characters) - (_SHINGLE - 1)
        return lacking > (1 / _ALIKE - 1) * len(self.text)


def distinct(docs: Sequence[str], texts: Sequence[str], k: int) -> list[tuple[int, tuple[str, ...]]]:
    """The places of the first k texts that repeat no earlier one, each with the other documents that hold it.

    `docs[i]` is the document of `texts[i]`, which is plain. Texts are the same when they differ in next to nothing and
    in no number: what holds for 2023 is no copy of what holds for 2024.
    """
    kept: list[_Kept] = []
    by_text: dict[str, _Kept] = {}
    for place, (doc, text) in enumerate(zip(docs, texts, strict=True)):
        new = _Kept(place, "".join(text.split()), doc)
        same = by_text.get(new.text) or next((one for one in kept if one.is_nearly(new)), None)
        if same is None:
            if len(kept) < k:
                kept.append(new)
                by_text[new.text] = new
        elif doc != same.doc and doc not in same.also:
            same.also.append(doc)
    return [(one.place, tuple(one.also)) for one in kept]
