"""Chosen pieces -> what is quoted: each with what it cannot be understood without, a list whole or in brief."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from edu_cli.ask.generation.counting import KINDS, NUMERAL, count_of
from edu_cli.ask.generation.enclosed import enclosed, link_at, read_length
from edu_cli.ask.generation.shows import MOST_WITH_CODE, shows_below
from edu_cli.ask.generation.units import ITEM, Unit, is_left_out

_NUMBERED = re.compile(r"\s*(?:\d{1,3}[.、．]|[一二三四五六七八九十]{1,3}、)")
_ASKS = re.compile(r"[?？]\W*$|[（(][\s　_]*[)）]")  # a question, or an exam item with its blank
_POINTS_BACK = re.compile(r"(?:这|此|该|它|其|上述|前者|后者|因此|所以|也就是说|即)")
_ANNOUNCES = re.compile(  # "…有三种异常。": says how many there are, and the next sentences say which
    rf"^[^：:，,；;]{{2,30}}(?:[有分包含列括为成]|如下)[^：:，,；;]{{0,4}}({NUMERAL}){KINDS}[^：:，,；;]{{0,8}}[。.]$"
)
# a line that names what follows it, asked for what it holds
_HEADING = re.compile(r"[^。！？!?.；;，,|]{2,28}(?<![：:])$")
_POINTS_AT_SOMEONE = re.compile(r"(?:^|[，,；;：:])\s*[他她](?![人国乡日])")
_DANGLES = re.compile(
    r"[\u4e00-\u9fff](?:为|是|如下|即为?|得到?|则|有)$"
)  # the formula or line that it leads to comes next
_MOST_QUOTED = 3  # sentences that an open quotation mark is followed for
_SHOWS = re.compile(r"(?:(?:如下|下面|以下|下列)[^。；;]{0,12}|[：:])[。]?$")  # what follows is part of it
_MOST_FOLLOWING = 6
_MOST_CHARS = 600
_MOST_STEPS = 300
_NAME_CHARS = 30
_BOLD = re.compile(rf"\s*\*\*[^*]{{1,{_NAME_CHARS}}}\*\*")
_NAME_ENDS = re.compile(r"[。；;]|：|(?<![:\d]):(?!:|//)|(?<=\d):(?!\d)")  # not in 10:30, a::b, https://


def in_full(
    chosen: Unit,
    all_units: Sequence[Unit],
    context: str,
    *,
    wants_list: bool,
    wants_steps: bool = False,
    wants_name: bool = False,
) -> Unit:
    """`chosen` with what it cannot be understood without.

    An item brings its list where a list was asked for, or steps and the list is numbered or announced, a lead what it
    announces, a question (of an exam or an FAQ) what follows it, and a sentence that points back ("这叫…", or "他"
    where a name was asked for) the one before it; one that only says how many there are is followed by what they are,
    and an open quotation goes on to its end. A list that is too long is quoted in brief.
    """
    mine = [unit for unit in all_units if unit.n == chosen.n]
    at = mine.index(chosen)
    first, last = _reach(mine, at, context, wants_list=wants_list or (wants_steps and _has_steps(mine, at)))
    said = context[mine[first].start : mine[last].end]
    if mine[last].is_of_list and first < last and read_length(said) > _MOST_CHARS:
        return in_brief(mine[first : last + 1]) or chosen
    points_back = _POINTS_BACK.match(chosen.text) or (wants_name and _POINTS_AT_SOMEONE.search(chosen.text))
    if first and points_back and not mine[first - 1].is_code:
        first -= 1
    if last == at and last + 1 < len(mine) and not chosen.is_code and _DANGLES.search(chosen.text):
        last += 1
    last = _quotation_end(mine, first, last, context)
    if last + 1 < len(mine) and _is_shown(mine[last + 1]) and _shows(mine[last].text):
        last += 1
    first, last = _unbroken(mine, first, at, last, context)
    start, end = mine[first].start, mine[last].end
    if first == last:
        return mine[first]
    if read_length(context[start:end]) > (MOST_WITH_CODE if mine[last].is_code else _MOST_CHARS):
        return chosen
    return replace(chosen, start=start, end=end, text=context[start:end].strip())


def _unbroken(mine: Sequence[Unit], first: int, at: int, last: int, context: str) -> tuple[int, int]:
    """The pieces around the one at `at`, as far as nothing stands between them that may not be quoted."""
    breaks = [n for n in range(first, last) if is_left_out(context, mine[n].end, mine[n + 1].start)]
    return max((n + 1 for n in breaks if n < at), default=first), min((n for n in breaks if n >= at), default=last)


def _shows(text: str) -> bool:
    return bool(_SHOWS.search(text)) or shows_below(text)


def _is_shown(unit: Unit) -> bool:
    """Whether it is what a sentence shows rather than says: code, a formula."""
    return unit.is_code or unit.text.startswith(("$$", "\\["))


def _reach(mine: Sequence[Unit], at: int, context: str, *, wants_list: bool) -> tuple[int, int]:
    """The first and last of the pieces that belong to the one at `at` by what it is."""
    chosen = mine[at]
    is_below = shows_below(chosen.text)
    leads = chosen.is_lead or ((wants_list or is_below) and at + 1 < len(mine) and mine[at + 1].is_item)
    first, last = list_around(mine, at) if leads or (chosen.is_of_list and wants_list) else (at, at)
    announced = _ANNOUNCES.match(chosen.text)
    if announced:
        last = _announced(mine, at, announced[1], context)
    elif (chosen.is_lead or is_below) and last == at:
        last = _rows_after(mine, at) or _paragraph_after(mine, at, context)
    elif chosen.is_question or _ASKS.search(chosen.text) or (wants_list and last == at and _HEADING.match(chosen.text)):
        last = _what_follows(mine, at)
        # the question of an FAQ entry is what was asked: its answer is what is quoted
        first += _is_title_question(mine, at) and last > at
    return first, last


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


def _rows_after(mine: Sequence[Unit], at: int) -> int:
    """The last row of the table that comes next; 0 where none does."""
    header = mine[at + 1].header if at + 1 < len(mine) else ""
    rows = itertools.takewhile(lambda n: mine[n].header == header, range(at + 1, len(mine)))
    return max(rows, default=0) if header else 0


def _paragraph_after(mine: Sequence[Unit], at: int, context: str) -> int:
    """The end of the paragraph that a lead is followed by."""
    last = min(at + 1, len(mine) - 1)
    while last + 1 < len(mine) and last - at < _MOST_FOLLOWING and not _parted(context, mine[last], mine[last + 1]):
        last += 1
    return last


def _parted(context: str, unit: Unit, following: Unit) -> bool:
    """Whether a blank line stands between two neighbours."""
    between = context[unit.start : context.index(following.text, following.start)]
    return bool(re.search(r"\n\s*\n", between))


def list_around(mine: Sequence[Unit], at: int) -> tuple[int, int]:
    """The first and last of the pieces of the list that the piece at `at` is of or leads to, with what announces it."""
    first = last = at
    while first and mine[first].is_of_list and mine[first - 1].is_of_list:
        first -= 1
    if mine[first].is_of_list and first and mine[first - 1].is_lead:
        first -= 1
    while last + 1 < len(mine) and mine[last + 1].is_of_list:
        last += 1
    return first, last


def in_brief(pieces: Sequence[Unit]) -> Unit | None:
    """A list that is too long, with the first sentence of each item; where that is too long, with their names only."""
    firsts = [piece for piece in pieces if not piece.goes_on]
    for lines in ([p.text for p in firsts], [p.text if p.is_lead else _name(p.text) for p in firsts]):
        text = "\n".join(filter(None, lines))
        if all(lines) and read_length(text) <= _MOST_CHARS:
            return replace(pieces[0], end=pieces[-1].end, text=text)
    return None


def _name(item: str) -> str:
    """What an item is about, with its mark: a link, what is set in bold or stands before a colon; "" without one.

    A colon in brackets, quotes or code is none, so that no link is cut.
    """
    mark = ITEM.match(item)
    if not mark:
        return ""
    begun = mark.end() + len(item[mark.end() :]) - len(item[mark.end() :].lstrip())
    if (end := link_at(item, begun)) > begun:
        return item[:end]
    if bold := _BOLD.match(item, begun):
        return item[: bold.end()]
    inner = enclosed(item, quotes=True)
    ends = (m for m in _NAME_ENDS.finditer(item, begun) if not any(a < m.start() < b for a, b in inner))
    end = next(ends, None)
    is_name = end is not None and end[0] in "：:" and 0 < read_length(item[begun : end.start()]) <= _NAME_CHARS
    return item[: end.start()].rstrip() if end and is_name else ""


def _has_steps(mine: Sequence[Unit], at: int) -> bool:
    """Whether the list that a piece is of, or that follows it, is announced, or short and numbered or what follows it.

    A long one is more likely to be of many things, one of which was asked for.
    """
    first, last = list_around(mine, at)
    is_numbered = any(_NUMBERED.match(mine[i].text) for i in (first, min(first + 1, last)))
    is_short = mine[last].end - mine[first].start <= _MOST_STEPS
    return mine[first].is_lead or (is_short and (is_numbered or not mine[at].is_of_list))


def _announced(mine: Sequence[Unit], at: int, count: str, context: str) -> int:
    """The end of the `count` sentences of the same paragraph that say what was announced."""
    wanted, last = count_of(count), at
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
