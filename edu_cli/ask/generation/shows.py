"""Sentences that announce what stands below them ("…使用如下所示的代码。"): quoted with it, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from edu_cli.ask.generation.units import Unit

_BELOW = r"(?:如下|下面|以下|下列)(?:所示)?"
_CODE = r"(?:代码|程序|命令|脚本|语句)"
_SHOWS_CODE = re.compile(
    rf"(?:{_BELOW}的?[^。；;，,：:]{{0,6}}{_CODE}[^。；;，,：:]{{0,30}}|{_CODE}{_BELOW})[。：:]?\W*$"
)
_ENDS_BELOW = re.compile(r"(?:如下[图表]?(?:所示)?|[如见]下[图表文面方]?(?:所示)?)[。：:]?\W*$")
CLAUSE = re.compile(r"[，,。；;：:！!]")
_LEADS_IN = re.compile(r"\s*(?:如果|若|假如|例如|比如|要|想|当|为了|按照|根据)")  # a clause that says for what it is
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)")
_TOLD = re.compile(r"[㐀-鿿]|[A-Za-z0-9]+")
_LEAST_TOLD = 8  # characters and words beside what points or announces: with fewer it is all that is said
MOST_WITH_CODE = 1500  # characters of a sentence with the block that it announces


def tells(clauses: Iterable[str]) -> bool:
    """Whether clauses, those left out that point elsewhere or announce, say enough to be quoted."""
    return sum(len(_TOLD.findall(clause)) for clause in clauses) >= _LEAST_TOLD


def shows_below(text: str) -> bool:
    """Whether a sentence ends by announcing the code, list or table below it."""
    return bool(_SHOWS_CODE.search(text) or _ENDS_BELOW.search(text))


def says_nothing_alone(unit: Unit, after: Unit | None) -> bool:
    """Whether a piece only announces what cannot be quoted with it: cut off, or a block that is too long.

    `after` is the piece that follows it in its passage, None where none does.
    """
    if unit.is_code or unit.header or not shows_below(unit.text) or _is_quoted_with(unit, after):
        return False
    clauses = CLAUSE.split(_LINK.sub("", unit.text))
    return not tells(clause for clause in clauses if not shows_below(clause) and not _LEADS_IN.match(clause))


def _is_quoted_with(unit: Unit, after: Unit | None) -> bool:
    if after is None or after.n != unit.n:
        return False
    if not _SHOWS_CODE.search(unit.text):
        return True
    return after.is_item or bool(after.header) or (after.is_code and after.end - unit.start <= MOST_WITH_CODE)
