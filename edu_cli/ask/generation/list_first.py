"""Pieces with probabilities -> those of the list that is asked for before the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from edu_cli.ask.generation.counting import KINDS, NUMERAL, count_of
from edu_cli.ask.generation.extract_model import Floats
from edu_cli.ask.generation.question_type import asked_kind, matter
from edu_cli.ask.generation.units import Unit
from edu_cli.ask.verification.terms import plain

# 四个必要条件: so many things are asked for
COUNTED = re.compile(rf"({NUMERAL}){KINDS}(?!小时|半|月|年|人|多)")
_NOUN = 2  # characters at the end of what is asked for, which name the kind of thing


def with_list_first(
    question: str,
    chosen: Sequence[int],
    quoted: Sequence[Unit],
    probabilities: Floats,
    places: Sequence[str],
    headed: Collection[int],
    share: float,
) -> list[int]:
    """The chosen pieces after the list that a question for one means.

    That is a list of as many things as are asked for; or, asked why or how, what is announced first under a heading
    that is the question (the passages `headed`); else, asked for a list, the likeliest piece that is of one or
    announces one, if it has `share` of the best one's probability. `places` are the passages' headings.
    """
    kind = asked_kind(plain(question))
    best = _list_of_so_many(question, quoted, probabilities, places)
    if best is None and kind in ("why", "how"):
        best = next((i for i, unit in enumerate(quoted) if unit.n in headed and unit.is_lead), None)
    if best is None and kind == "list":
        lists = [i for i, unit in enumerate(quoted) if unit.is_of_list or unit.is_lead]
        likeliest = max(lists, key=lambda i: float(probabilities[i]), default=chosen[0])
        best = likeliest if probabilities[likeliest] >= share * probabilities.max() else None
    return list(chosen) if best is None else [best, *(i for i in chosen if i != best)]


def _list_of_so_many(question: str, quoted: Sequence[Unit], probabilities: Floats, places: Sequence[str]) -> int | None:
    """The likeliest piece of a list of as many things as are asked for, announced or headed as such; None if none is.

    特性, asked for 事务的四个特性, names the kind of thing.
    """
    about = matter(plain(question))
    said = COUNTED.search(about)
    if not said:
        return None
    count = count_of(said[1])
    noun = re.sub(r"\W", "", about)[-_NOUN:]
    lists: list[list[int]] = []
    for i, unit in enumerate(quoted):
        if unit.is_of_list and i and quoted[i - 1].n == unit.n and quoted[i - 1].is_of_list:
            lists[-1].append(i)
        elif unit.is_of_list:
            lists.append([i])
    fitting = [
        i
        for run in lists
        if sum(quoted[i].is_item for i in run) == count
        and noun in plain(f"{quoted[max(run[0] - 1, 0)].text} {places[quoted[run[0]].n - 1]}")
        for i in run
    ]
    return max(fitting, key=lambda i: float(probabilities[i]), default=None)
