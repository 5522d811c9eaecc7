"""How long parents and children are and where units begin, by the kind of text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edu_cli.config import SplitSettings
from edu_cli.text import cjk_share
from edu_cli.types import Document, Profile


@dataclass(frozen=True, slots=True)
class Sizes:
    """Characters: the longest parent and child, and up to where one sentence, row, item or formula is kept whole."""

    parent: int
    child: int
    whole: int


_SIZES: dict[Profile, Sizes] = {
    "general": Sizes(1000, 250, 500),
    "technical": Sizes(1600, 400, 800),
    "legal": Sizes(1000, 300, 600),
    "code": Sizes(1600, 600, 800),
    "exam": Sizes(1600, 400, 800),
}

_NUMERAL = "[0-9０-９一二三四五六七八九十百千零〇两]"
_UNIT_STARTS: dict[Profile, re.Pattern[str]] = {
    "legal": re.compile(rf"^[ \t　]*(?:\*\*)?第{_NUMERAL}{{1,6}}条(?!款|件)", re.MULTILINE),
    "exam": re.compile(
        rf"^[ \t　]*(?:\*\*)?(?:第{_NUMERAL}{{1,4}}[题問问]|[0-9０-９]{{1,3}}[.．、](?![0-9０-９])|"
        rf"[(（][0-9０-９]{{1,3}}[)）](?=[ \t　]*\S{{4}}))",
        re.MULTILINE,
    ),
}
_OPTION = re.compile(r"(?:^|[ \t　])[A-DＡ-Ｄ][.．、)）][ \t　]*\S", re.MULTILINE)
_EXAM_WORDS = re.compile(
    r"选择题|填空题|判断题|简答题|计算题|解答题|参考答案|本题\d*分|每小?题\d+分|试卷|答案[：:]|【答案】|【解析】"
)


def sizes_of(profile: Profile, settings: SplitSettings) -> Sizes:
    """The profile's sizes, with what the settings override."""
    own = _SIZES[profile]
    child = settings.child_chars or own.child
    parent = max(settings.parent_chars or own.parent, child)
    return Sizes(parent, child, min(parent, 2 * child) if settings.child_chars else own.whole)


def unit_starts(profile: Profile, text: str) -> list[int]:
    """Where an article of a legal text or an item of an exam begins in `text`; [] with the other profiles."""
    pattern = _UNIT_STARTS.get(profile)
    return [match.start() for match in pattern.finditer(text)] if pattern else []


def choose_profile(document: Document) -> Profile:
    """The profile that the text itself speaks for."""
    if document.faq:
        return "general"
    sizes = {"code": 0, "table": 0, "formula": 0}
    total = 0
    for block in document.blocks:
        total += len(block.text)
        if block.kind in sizes:
            sizes[block.kind] += len(block.text)
    if sizes["code"] > 0.8 * total:
        return "code"
    prose = "\n".join(block.text for block in document.blocks if block.kind not in sizes)
    articles = len(unit_starts("legal", prose))
    if articles >= 3 and articles * 400 >= len(prose):
        return "legal"
    if _is_exam(prose):
        return "exam"
    # English needs about twice the characters of Chinese for the same content.
    is_technical = sizes["code"] + sizes["formula"] > 0.15 * total or cjk_share(prose[:20_000]) < 0.2
    return "technical" if is_technical else "general"


def _is_exam(prose: str) -> bool:
    items = len(unit_starts("exam", prose))
    if items < 3:
        return False
    options = len(_OPTION.findall(prose))
    words = len(_EXAM_WORDS.findall(prose))
    return options >= 2 * items or (words >= 3 and items * 600 >= len(prose)) or (options >= items and words >= 1)
