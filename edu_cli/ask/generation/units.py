"""Passage -> the pieces that may be quoted as an answer: sentences, list items, table rows with their head, code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edu_cli.ask.generation.pieces import pieces
from edu_cli.ask.verification.injection import evidence
from edu_cli.ask.verification.terms import plain

_ITEM = re.compile(
    r"\s*(?:[-*+•·●○■◆※]\s|\d{1,3}[.、)）]|[(（][\d一二三四五六七八九十]{1,3}[)）]|[①-⑳]|[一二三四五六七八九十]{1,3}、)"
)
_NUMBERED = re.compile(r"\s*(?:\d{1,3}[.、．]|[一二三四五六七八九十]{1,3}、)")
_ASKS = re.compile(r"[?？]\W*$|[（(][\s　_]*[)）]")  # a question, or an exam item with its blank
_POINTS_BACK = re.compile(r"(?:这|此|该|它|其|上述|前者|后者|因此|所以|也就是说|即)")
_ANNOUNCES = re.compile(  # "…有三种异常。": says how many there are, and the next sentences say which
    r"^[^：:，,；;]{2,30}(?:[有分包含列括为成]|如下)[^：:，,；;]{0,4}([两二三四五六2-6])(?:种|个|类|点|步|条|项|方面|部分|阶段)[^：:，,；;]{0,8}[。.]$"
)
# a line that names what follows it, asked for what it holds
_HEADING = re.compile(r"[^。！？!?.；;，,|]{2,28}(?<![：:])$")
_POINTS_AT_SOMEONE = re.compile(r"(?:^|[，,；;：:])\s*[他她](?![人国乡日])")
_DANGLES = re.compile(r"[\u4e00-\u9fff](?:为|是|如下|即为|得到?)$")  # the formula or line that it leads to comes next
_MOST_QUOTED = 3  # sentences that an open quotation mark is followed for
_SHOWS = re.compile(r"(?:(?:如下|下面|以下|下列)[^。；;]{0,12}|[：:])[。]?$")  # what follows is part of it
_COUNTS = "两二三四五六"
_LEAST_CHARS = 4
_LEAD_CHARS = 80
_MOST_ITEMS = 12
_MOST_FOLLOWING = 6
_MOST_CHARS = 600
_MOST_CODE = 1500  # with a block of code


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of passage `n` (from 1), verbatim: `context[start:end]`. `header` is the head row of its table.

    `is_item` marks list items, `is_lead` what announces a list ("步骤如下：") and `is_code` a block of code.
    """

    n: int
    start: int
    end: int
    text: str
    header: str = ""
    is_item: bool = False
    is_lead: bool = False
    is_code: bool = False
    is_question: bool = False

    @property
    def shown(self) -> str:
        """The text with what it cannot be read without."""
        return f"{self.header}\n{self.text}" if self.header else self.text


def units(context: str, n: int, *, headings: Sequence[str] = (), is_entry: bool = False) -> list[Unit]:
    """The pieces of one passage in order, without headings, rules, and instructions to an assistant.

    An `is_entry` passage is one of an FAQ: its first line is the question.
    """
    plain_context, titles = evidence(context), {plain(heading) for heading in headings}
    found: list[Unit] = []
    header = ""
    for piece in pieces(context):
        start, end, text = piece.start, piece.end, context[piece.start : piece.end].strip()
        is_hostile = plain_context[start:end] != context[start:end]
        if is_hostile or _cut_heading(text) or len(re.findall(r"\w", text)) < _LEAST_CHARS or plain(text) in titles:
            continue
        is_row, is_code = piece.kind == "row", piece.kind == "code"
        if is_row and not header:
            header = text
            continue
        header = header if is_row else ""
        is_lead = text.endswith(("：", ":")) and len(text) < _LEAD_CHARS
        is_item = not is_code and bool(_ITEM.match(text))
        is_question = is_entry and not found and not is_row
        found.append(Unit(n, start, end, text, header, is_item, is_lead, is_code, is_question))
    return found


def _cut_heading(text: str) -> bool:
    """Whether the text is the end of a bold line that serves as a heading, its number cut off: 锁的实现**."""
    return text.endswith("**") and text.count("**") % 2 == 1 and not re.search(r"[。！？；，]", text)


def in_full(
    chosen: Unit, all_units: Sequence[Unit], context: str, *, wants_list: bool, wants_name: bool = False
) -> Unit:
    """`chosen` with what it cannot be understood without.

    An item brings its list where a list was asked for, a lead what it announces, a question (of an exam or an FAQ) what
    follows it, and a sentence that points back ("这叫…", or "他" where a name was asked for) the one before it; one
    that only says how many there are is followed by what they are, and an open quotation goes on to its end.
    """
    mine = [unit for unit in all_units if unit.n == chosen.n]
    at = mine.index(chosen)
    first, last = at, at
    leads = chosen.is_lead or (wants_list and at + 1 < len(mine) and mine[at + 1].is_item)
    if leads or (chosen.is_item and wants_list):
        first, last = _list_around(mine, at)
    announced = _ANNOUNCES.match(chosen.text)
    if announced:
        last = _announced(mine, at, announced[1], context)
    elif (
        chosen.is_question
        or _ASKS.search(chosen.text)
        or (chosen.is_lead and last == at)
        or (wants_list and last == at and _HEADING.match(chosen.text))
    ):
        last = _what_follows(mine, at)
        # the question of an FAQ entry is what was asked: its answer is what is quoted
        first += _is_title_question(mine, at) and last > at
    points_back = _POINTS_BACK.match(chosen.text) or (wants_name and _POINTS_AT_SOMEONE.search(chosen.text))
    if first and points_back and not mine[first - 1].is_code:
        first -= 1
    if last == at and last + 1 < len(mine) and not chosen.is_code and _DANGLES.search(chosen.text):
        last += 1
    last = _quotation_end(mine, first, last, context)
    if last + 1 < len(mine) and mine[last + 1].is_code and _SHOWS.search(mine[last].text):
        last += 1
    start, end = mine[first].start, mine[last].end
    if first == last:
        return mine[first]
    if end - start > (_MOST_CODE if mine[last].is_code else _MOST_CHARS):
        return chosen
    return replace(chosen, start=start, end=end, text=context[start:end].strip())


def is_beside(unit: Unit, other: Unit) -> bool:
    """Whether two pieces share some of their text, or are rows of one table: together they are one piece."""
    overlap = unit.start < other.end and other.start < unit.end
    return unit.n == other.n and (overlap or (bool(unit.header) and unit.header == other.header))


def joined(unit: Unit, other: Unit, context: str) -> Unit:
    """Two pieces that `is_beside` holds for as one; rows between two rows of a table are left out."""
    start, end = min(unit.start, other.start), max(unit.end, other.end)
    if unit.header and not (unit.start < other.end and other.start < unit.end):
        first, second = sorted((unit, other), key=lambda one: one.start)
        return replace(first, end=end, text=f"{first.text}\n{second.text}")
    return replace(unit, start=start, end=end, text=context[start:end].strip())


def _quotation_end(mine: Sequence[Unit], first: int, last: int, context: str) -> int:
    """The piece in which a quotation that is open after `last` closes; `last` where none does soon."""
    for end in range(last, min(last + _MOST_QUOTED + 1, len(mine))):
        said = context[mine[first].start : mine[end].end]
        if said.count("“") <= said.count("”"):
            return end
    return last


def _is_title_question(mine: Sequence[Unit], at: int) -> bool:
    """Whether the piece opens its passage as the question that the rest answers; an exam item has its number."""
    text = mine[at].text
    return at == 0 and (mine[at].is_question or text.endswith(("?", "？"))) and not mine[at].is_item


def _list_around(mine: Sequence[Unit], at: int) -> tuple[int, int]:
    first = last = at
    while first and mine[first].is_item and mine[first - 1].is_item:
        first -= 1
    if mine[first].is_item and first and mine[first - 1].is_lead:
        first -= 1
    while last + 1 < len(mine) and mine[last + 1].is_item and last - first < _MOST_ITEMS:
        last += 1
    return first, last


def _announced(mine: Sequence[Unit], at: int, count: str, context: str) -> int:
    """The end of the `count` sentences of the same paragraph that say what was announced."""
    wanted = int(count) if count.isdigit() else max(2, _COUNTS.index(count) + 1)
    last = at
    while last - at < wanted and last + 1 < len(mine) and "\n" not in context[mine[last].start : mine[last + 1].start]:
        last += 1
    return last


def _what_follows(mine: Sequence[Unit], at: int) -> int:
    """The end of what a question or lead is followed by: up to the next numbered item, or some sentences."""
    last = at
    while last + 1 < len(mine) and last - at < _MOST_FOLLOWING:
        following = mine[last + 1]
        if _NUMBERED.match(following.text) or _ASKS.search(following.text):
            break
        last += 1
    return last
