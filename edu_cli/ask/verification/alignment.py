"""Two clauses laid side by side: where all but one word agrees, and that word belongs to a parallel clause."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from edu_cli.ask.verification.polarity import opposite

_MOST = 3  # characters of the word that differs
_AGREEING = 5  # characters that must agree around it …
_SHARE = 0.5  # … and the share of the claim's clause that they make
_BEFORE, _AFTER = 5, 3  # so much must agree before it or after it, for the two to be in the same place
_BY_OPPOSITES = 3  # so much is enough where the two words are opposites
_NUMERAL = re.compile(r"[零〇一二三四五六七八九十百千万两每]")
_SOLID = re.compile(r"[㐀-鿿a-z0-9]+")
# words that do not name one of several parallel things
_OTHER_WORDS = re.compile(
    r"[^㐀-鿿]|[不没无未非是有能可会要应须得将已仍再还也都就才只很最更较用于对和与或的了在为把被让由从向到至]"
)


def misplaced(clause: str, clauses: Sequence[str]) -> str:
    """The word that the passage has where `clause` has one of a parallel clause; "" for none. Both are `plain`.

    "前期…染色体出现，末期核膜重新出现" has all words of "前期核膜重新出现", but puts them together otherwise: 末期.
    """
    text = _solid(clause)
    others = [_solid(other) for other in clauses]
    if text in "".join(others):  # a line break of the material may stand within it
        return ""
    for at, other in enumerate(others):
        elsewhere = "\n".join(others[:at] + others[at + 1 :])
        for mine, theirs, before, after in _differences(text, other):
            if opposite(mine, theirs) and max(len(before), len(after)) >= _BY_OPPOSITES:
                return theirs
            apart = _stands(mine, before, after, elsewhere) and not _stands(theirs, before, after, text)
            near = before if len(after) < _AFTER else before[-_BEFORE:]
            if apart and not any(near + mine + after[:_BEFORE] in known for known in others):
                return before[-1:] + theirs + after[:1]
    return ""


def has_opposites(one: str, other: str) -> bool:
    """Whether two nearly equal `plain` texts have opposites in the same place: 几点开门, 几点关门."""
    return any(opposite(mine, theirs) for mine, theirs, *_ in _differences(_solid(one), _solid(other)))


def alike(one: str, other: str) -> float:
    """Twice the characters that two texts have in the same order over all of them."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def _differences(text: str, other: str) -> list[tuple[str, str, str, str]]:
    """Short words that stand for each other in two nearly equal texts: (mine, theirs, what agrees before, after)."""
    matcher = difflib.SequenceMatcher(None, text, other, autojunk=False)
    blocks = [b for b in matcher.get_matching_blocks() if b.size]
    agreeing = sum(b.size for b in blocks)
    if agreeing < max(_BY_OPPOSITES, _SHARE * len(text)):
        return []
    found = []
    ends = [(0, 0)] + [(b.a + b.size, b.b + b.size) for b in blocks]
    starts = [(b.a, b.b) for b in blocks] + [(len(text), len(other))]
    for (a, b), (next_a, next_b) in zip(ends, starts, strict=True):
        mine, theirs = text[a:next_a], other[b:next_b]
        size = min(len(mine), len(theirs))
        if not a:  # where one begins earlier, only the words next to what agrees stand for each other
            mine, theirs = mine[len(mine) - size :], theirs[len(theirs) - size :]
        if next_a == len(text):
            mine, theirs = mine[:size], theirs[:size]
        before = text[a - _common(text[:a][::-1], other[:b][::-1]) : a]
        after = text[next_a : next_a + _common(text[next_a:], other[next_b:])]
        alike = 0 < len(mine) == len(theirs) <= _MOST and not _OTHER_WORDS.search(mine + theirs)
        counted = _NUMERAL.search(mine + theirs) and not before.endswith("第")
        in_place = agreeing >= _AGREEING and (len(before) >= _BEFORE or len(after) >= _AFTER)
        if alike and not counted and (in_place or opposite(mine, theirs)):
            found.append((mine, theirs, before, after))
    return found


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _stands(word: str, before: str, after: str, text: str) -> bool:
    """Whether the word stands in the text beside a neighbour of its own, or by itself where both sides agree."""
    if len(word) > 1 and before and after and word in text:
        return True
    return bool(before and before[-1] + word in text) or bool(after and word + after[0] in text)


def _solid(clause: str) -> str:
    return "".join(_SOLID.findall(clause))
