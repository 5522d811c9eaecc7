"""Question for a list + the headings of its passages' documents -> the headings that are the list.

Under "六、线程状态" stand 新建, 可运行, 阻塞, …: no sentence names them together, and they answer 线程有哪几种状态.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from edu_cli.ask.generation.counting import KINDS, NUMERAL, count_of
from edu_cli.ask.generation.extract import Extract
from edu_cli.ask.generation.question_type import focus
from edu_cli.ask.generation.units import ITEM, Unit, is_left_out, units
from edu_cli.ask.verification.terms import coverage, grams, plain
from edu_cli.types import Passage

SectionsOf = Callable[[str], Sequence[tuple[str, ...]]]
_ASKS = re.compile(
    rf"(?:主要|一共|总共|分别|可以|常见的?|常用的?|又|都)?(?:有|包括|包含|分为|分成|是)?"
    rf"(?:哪些|哪几{KINDS}?|几{KINDS}|({NUMERAL}){KINDS}(?=.*(?:是什么|哪)))"
)
_REST = re.compile(r"[的呢吗啊?？。，,]|请问|是什么|组成")
_FIRST = 3  # passages whose headings are looked at
_LEAST, _MOST = 2, 12  # headings that make a list
_LONGEST = 40  # characters of one
_PATH_COVERED, _LAST_COVERED, _ALL_COVERED = 0.8, 0.5, 0.8  # of what is asked for, by all headings above and the last
_COUNTED = 0.6  # by all headings above, where the number of things says the same
_SIBLINGS, _SIBLINGS_COVERED = 3, 0.4  # passages under one heading, which says so much of what is asked for
_NOUN = 2  # characters at the end, which name the kind of thing
_MOST_CHARS = 800
_ASIDE = re.compile(
    r"^[\d.、\s]*(?:总结|小结|本章小结|参考.*|练习.*|习题.*|思考题|面试题.*|面试官.*|题目描述|解题思路|概述|引言|前言|简介|附录.*|更多|推荐阅读)$"
)


def outlined(question: str, passages: Sequence[Passage], sections_of: SectionsOf) -> Extract | None:
    """What stands under the heading that a list is asked of: its list, or the headings below it as items.

    `sections_of` takes a document's id. None where no list is asked for, or no heading has it. The heading must say
    nearly all that the question asks for, with those above it, and name the kind of thing asked for (状态 in
    哪几种状态) or say nearly all by itself; where the question says how many there are, so many there must be.
    """
    asked = plain(question)
    asks = _ASKS.search(asked)
    if not asks:
        return None
    about = _REST.sub(" ", _ASKS.sub(" ", asked)).strip()
    kind, wanted, count = focus(asked) or about[-_NOUN:], grams(about), count_of(asks[1]) if asks[1] else None
    for n, passage in enumerate(passages[:_FIRST], 1):
        for depth in range(len(passage.section), 0, -1):
            path = passage.section[:depth]
            if not _is_asked_of(wanted, kind, passage.title, path, is_counted=count is not None):
                continue
            if count and depth == len(passage.section) and (found := _list_in(passage, n, count)):
                return found
            below = _below(path, sections_of(passage.doc_id))
            if below and count in (None, len(below)):
                return _named(n, path, below)
    return _siblings(about, count, passages, sections_of)


def _named(n: int, path: Sequence[str], below: Sequence[str]) -> Extract:
    return Extract(n, 0, "\n".join([f"{path[-1]}：", *(f"- {name}" for name in below)]), 1.0)


def _siblings(about: str, count: int | None, passages: Sequence[Passage], sections_of: SectionsOf) -> Extract | None:
    """The headings beside each other that most of the passages were found under: 垃圾收集算法, asked for 垃圾回收算法.

    The heading above them says the same in other words: it ends as what is asked for does, and shares some of it.
    """
    places = [(passage.doc_id, passage.section[:-1]) for passage in passages]
    above = Counter(place for place in places if place[1]).most_common(1)
    if not above or above[0][1] < _SIBLINGS:
        return None
    doc_id, path = above[0][0]
    if not plain(path[-1]).endswith(about[-_NOUN:]):
        return None
    below = _below(path, sections_of(doc_id))
    is_same = coverage(grams(about), grams(path[-1])) >= _SIBLINGS_COVERED
    return (
        _named(places.index((doc_id, path)) + 1, path, below)
        if is_same and below and count in (None, len(below))
        else None
    )


def _list_in(passage: Passage, n: int, count: int) -> Extract | None:
    """The longest list of a passage, where it has as many items as are asked for.

    Without a number any list of a section may be meant: of 5 that were found so, 4 were others (67 heading questions).
    """
    found = units(passage.context, n, headings=(passage.title, *passage.section))
    runs = [list(run) for is_of_list, run in itertools.groupby(found, key=lambda unit: unit.is_of_list) if is_of_list]
    longest = max(runs, key=_items, default=[])
    between = itertools.pairwise(longest)
    if _items(longest) != count or any(is_left_out(passage.context, a.end, b.start) for a, b in between):
        return None
    start, end = longest[0].start, longest[-1].end
    return Extract(n, start, passage.context[start:end].strip(), 1.0) if end - start <= _MOST_CHARS else None


def _items(run: Sequence[Unit]) -> int:
    return sum(unit.is_item for unit in run)


def is_list(text: str) -> bool:
    """Whether a piece is a list already: two items at the least."""
    return sum(bool(ITEM.match(line)) for line in text.splitlines()) > 1


def _is_asked_of(wanted: frozenset[str], kind: str, title: str, path: Sequence[str], *, is_counted: bool) -> bool:
    said, least = coverage(wanted, grams(path[-1])), _COUNTED if is_counted else _PATH_COVERED
    if not wanted or said < _LAST_COVERED or coverage(wanted, grams(" ".join((title, *path)))) < least:
        return False
    return is_counted or said >= _ALL_COVERED or bool(kind and kind in plain(path[-1]))


def _below(path: Sequence[str], sections: Sequence[tuple[str, ...]]) -> list[str]:
    """The headings one level below a path, in order, without asides; [] where they are no list of names."""
    depth = len(path)
    found = dict.fromkeys(s[depth] for s in sections if len(s) > depth and tuple(s[:depth]) == tuple(path))
    names = [name for name in found if not _ASIDE.match(name)]
    fits = _LEAST <= len(names) <= _MOST and all(len(name) <= _LONGEST for name in names)
    return names if fits else []
