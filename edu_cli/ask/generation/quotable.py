"""The pieces of passages -> those that may answer a question, by what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.ask.generation.question_type import asked_kind
from edu_cli.ask.generation.units import Unit
from edu_cli.ask.retrieval.asked import holds
from edu_cli.ask.verification.terms import plain
from edu_cli.text import cjk_share
from edu_cli.types import Passage

_ASKS_FOR_CODE = re.compile(
    r"代码|示例|例子|举例|写法|怎么写|如何写|语法|命令|用法|怎么用|如何使用|实现|函数|\b(?:code|example|syntax|command|function)s?\b"
)
_LATIN = re.compile(r"[a-z][a-z0-9_+#.-]*[a-z0-9_+#]")
_PROSE = 0.15  # of a piece's characters are Chinese
_ASKS_FOR_SIGNS = re.compile(r"公式|表达式|式子|等式|方程|全称|缩写|英文|符号|写法|语法|命令|函数是什么")
_NUMBERING = re.compile(
    r"^(?:第[\d一二三四五六七八九十]+[章节讲课部分篇]*|[\d.]+|[一二三四五六七八九十]+、|[（(][\d一二三四五六七八九十]+[)）])\s*"
)
_NAME_CHARS = 4
_CHINESE = 0.3  # of a question's characters


def quotable(question: str, passages: Sequence[Passage], found: Sequence[Unit]) -> list[Unit]:
    """Those of passages that hold the name asked for, without code and signs where a question asks for neither.

    A rule that would leave nothing is not kept.
    """
    asks_for_code = bool(_ASKS_FOR_CODE.search(plain(question)))
    naming = _under_its_heading(question, passages) or _naming(question, passages)
    left = [u for u in found if (asks_for_code or not u.is_code) and u.n in naming] or list(found)
    return [u for u in left if cjk_share(u.text) > _PROSE] or left if _wants_prose(question) else left


def _under_its_heading(question: str, passages: Sequence[Passage]) -> set[int]:
    """The numbers of the passages whose last heading stands in the question: RDB 持久化, asked for its drawbacks."""
    asked = plain(question)
    lasts = {
        n: _NUMBERING.sub("", plain(passage.section[-1])) for n, passage in enumerate(passages, 1) if passage.section
    }
    return {n for n, last in lasts.items() if len(last) >= _NAME_CHARS and holds(asked, last)}


def _wants_prose(question: str) -> bool:
    """Whether a formula or a line of signs is no answer: to a Chinese question why, or what something is."""
    asked = plain(question)
    kinds = ("why", "define", "other")
    return cjk_share(question) > _CHINESE and asked_kind(asked) in kinds and not _ASKS_FOR_SIGNS.search(asked)


def _naming(question: str, passages: Sequence[Passage]) -> set[int]:
    """The numbers of the passages that hold a Latin name of a Chinese question; of all where none or each does.

    What says nothing of PCA does not tell what PCA is for. Of 59 questions of eight sets with such a name in a part of
    their passages only, as many are answered with it as without.
    """
    everything = set(range(1, len(passages) + 1))
    names = set(_LATIN.findall(plain(question))) if cjk_share(question) > _CHINESE else set()
    texts = {n: plain(" ".join((p.title, *p.section, p.context))) for n, p in enumerate(passages, 1)}
    return {n for n, text in texts.items() if any(holds(text, name) for name in names)} or everything
