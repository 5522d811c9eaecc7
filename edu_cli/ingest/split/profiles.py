"""How long parents and children are and where units begin, by the kind of text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edu_cli.config import SplitSettings
from edu_cli.ingest.split.units import articles, items
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

_EXAM_SIGNS = re.compile(
    r"^.{0,8}(?:选择|填空|判断|简答|计算|解答|应用|编程|综合|问答|论述)题.{0,24}$|^.{0,4}名词解释.{0,24}$|"
    r"本题\s*\d+\s*分|每小?题\s*\d+\s*分",
    re.MULTILINE,
)
_ANSWERS = re.compile(r"(?:答案|解析)[：:]|[【\[](?:答案|解析|详解)[】\]]")
_OPTION = re.compile(r"(?:^|[ \t　])[A-DＡ-Ｄ][.．、)）][ \t　]*\S", re.MULTILINE)
_LEAST_ITEMS = 4


def sizes_of(profile: Profile, settings: SplitSettings) -> Sizes:
    """The profile's sizes, with what the settings override."""
    own = _SIZES[profile]
    child = settings.child_chars or own.child
    parent = max(settings.parent_chars or own.parent, child)
    return Sizes(parent, child, min(parent, 2 * child if settings.child_chars else own.whole))


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
    if _is_legal(prose):
        return "legal"
    if _is_exam(document, prose):
        return "exam"
    # English needs about twice the characters of Chinese for the same content.
    is_technical = sizes["code"] + sizes["formula"] > 0.15 * total or cjk_share(prose[:20_000]) < 0.2
    return "technical" if is_technical else "general"


def _is_legal(prose: str) -> bool:
    n_articles = len(articles(prose)) if prose.count("条") + prose.count("條") >= 3 else 0
    return n_articles >= 3 and n_articles * 400 >= len(prose)


def _is_exam(document: Document, prose: str) -> bool:
    n_signs = len(_EXAM_SIGNS.findall(prose)) if prose.count("题") + prose.count("題") else 0
    n_answers = len(_ANSWERS.findall(prose)) if "答案" in prose or "解析" in prose else 0
    n_options = len(_OPTION.findall(prose)) if "B" in prose or "Ｂ" in prose else 0
    if n_signs < 2 and n_answers < 3 and n_options < 2 * _LEAST_ITEMS:
        return False
    n_items = sum(map(len, items([block.text for block in document.blocks])))
    if n_items < _LEAST_ITEMS:
        return False
    return n_signs >= 2 or n_answers >= max(3, 0.5 * n_items) or n_options >= 2 * n_items
