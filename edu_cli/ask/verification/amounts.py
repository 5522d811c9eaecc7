"""Numbers of a claim that the passage lacks, or puts to something else.

The rules and constants were chosen by bench/verify.py on the halves of tests/data/claims.json that are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from edu_cli.ask.verification.clauses import clauses_of
from edu_cli.ask.verification.numerals import Number, agrees, numbers, same_kind
from edu_cli.ask.verification.terms import grams

_RIVAL_MARGIN = 2  # with so many more shared grams a clause with another number is what the claim speaks of
_ALIGNED = 0.5  # a clause with another number must share this part of the claim's
_NEAR = 6  # characters before a number that may say what it measures
_SUMMING = ("种", "类", "个", "名", "项", "条", "")  # 两种气候 sums up what the passage names
_VERB = re.compile(r"(?:长|宽|高|重|厚|深|[约达共有为是占到得收至要])*$")
_BOUND = ("至少", "至多", "超过", "大约", "每次", "每天", "每年", "每月", "一共", "总共", "不足", "以上", "以下")


def numbers_against(said: str, clauses: Sequence[str]) -> str:
    """A number that the passage lacks, or has only by something else than the claim puts it to."""
    source = [(clause, numbers(clause)) for clause in clauses]
    for clause in clauses_of(said):
        for claimed in numbers(clause):
            shown = clause[claimed.start : claimed.end]
            if shown[0] == "一" or (claimed.value in (0, 1) and not claimed.unit):
                continue
            holding = [(c, ns) for c, ns in source if any(agrees(claimed, n) for n in ns)]
            rivals = [
                (c, ns)
                for c, ns in source
                if not any(agrees(claimed, n) for n in ns) and any(same_kind(claimed, n) for n in ns)
            ]
            if not holding:
                if shown[0] == "两" and claimed.unit in _SUMMING and not _counted(clause, claimed, rivals):
                    continue
                return f"the passage has no {shown}"
            rest = grams(clause) - grams(shown)
            mine = max(len(rest & grams(c)) for c, _ in holding)
            other = max((len(rest & grams(c)) for c, _ in rivals), default=0)
            if other >= mine + _RIVAL_MARGIN and other >= _ALIGNED * len(rest):
                return f"the passage has another number than {shown} there"
            if (
                _swapped(clause, claimed, source)
                or _of_another(clause, holding, rivals)
                or _ends_otherwise(clause, claimed, holding, rivals)
            ):
                return f"the passage puts {shown} to something else"
    return ""


def _of_another(clause: str, holding: Sequence[tuple[str, Any]], rivals: Sequence[tuple[str, Any]]) -> bool:
    """What the clause begins with stands by a rival number and by none that agrees."""
    first = grams(re.sub(r"^[^㐀-鿿a-z]+", "", clause)[:3])
    with_rival = any(first <= grams(text) for text, _ in rivals)
    return bool(first) and with_rival and not any(first & grams(text) for text, _ in holding)


def _counted(clause: str, claimed: Number, rivals: Sequence[tuple[str, Sequence[Number]]]) -> bool:
    """Whether the passage counts the same thing: the claim's word behind the number stands behind another one there."""
    tail = clause[claimed.end :].lstrip()[:2]
    return any(text[n.end :].lstrip().startswith(tail) for text, ns in rivals for n in ns if same_kind(claimed, n))


def _swapped(clause: str, claimed: Number, source: Sequence[tuple[str, Sequence[Number]]]) -> bool:
    """What stands before the number ("理论32学时") stands before a rival in the passage, before none that agrees."""
    lead = re.sub(r"[^㐀-鿿a-z]", "", _VERB.sub("", clause[: claimed.start]))[-2:]
    if len(lead) < 2 or lead in _BOUND:
        return False
    for text, found in source:
        mine = [n for n in found if agrees(claimed, n)]
        if any(lead in text[max(0, n.start - _NEAR) : n.start] for n in mine):
            return False
        if mine and lead in text and len(found) == len(mine):
            return False
    rivals = [(text, n) for text, found in source for n in found if n.unit == claimed.unit and not agrees(claimed, n)]
    return any(_VERB.sub("", text[: n.start]).endswith(lead) for text, n in rivals)


def _ends_otherwise(clause: str, claimed: Number, holding: Sequence[Any], rivals: Sequence[Any]) -> bool:
    """What follows the number follows only a rival number in the passage: "23:00开始" where 21:00 begins."""
    tail = clause[claimed.end :].lstrip()[:2]
    if len(tail) < 2 or not grams(tail):
        return False
    after_mine = any(text[n.end :].lstrip().startswith(tail) for text, ns in holding for n in ns if agrees(claimed, n))
    after_rival = any(
        text[n.end :].lstrip().startswith(tail) for text, ns in rivals for n in ns if same_kind(claimed, n)
    )
    return after_rival and not after_mine and not any(tail in text for text, _ in holding)
