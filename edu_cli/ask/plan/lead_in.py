"""A question -> the same without what only leads to it, which would be searched for like the rest."""

from __future__ import annotations

import re

_LEADS = re.compile(
    r"^(?:(?:我们)?换[个一]个?(?:话题|问题)吧?|我?(?:再|另外|顺便)?想?问(?:一下|下|个问题)|对了|顺便|不好意思|麻烦问一?下|打扰了?|"
    r"(?:各位)?老师(?:[您你]好)?|[您你]好)[啊呀哈]?[，,。！!：:\s]+"
)
_LEAST_CHARS = 4


def without_lead_in(question: str) -> str:
    """Without 换个话题，老师您好，顺便问一下，…; as it is where next to nothing is left."""
    rest = question
    while match := _LEADS.match(rest):
        rest = rest[match.end() :]
    return rest if len(rest) >= _LEAST_CHARS else question
