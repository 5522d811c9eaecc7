"""Two questions -> whether something exact tells them apart: a number, a name, a denial, what they want to know."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from edu_cli.ask.verification import alignment, facts, numerals, polarity
from edu_cli.ask.verification.terms import letters, plain

_SLOTS = Path(__file__).with_name("slots.toml")
_WORDS = ("一下", "一个", "一些", "一种")
_MEANING = re.compile(
    r"(?:请问|请)?(?:什么是|什么叫做?|何谓|(?:解释|介绍)(?:一下|下)?)([^?？，,。的]{2,16})[?？。]*$|"
    r"([^?？，,。的]{2,16}?)(?:是什么(?:意思)?|是啥|指的?是什么|的(?:含义|定义|概念)(?:是什么)?)[呀啊呢?？。]*$"
)
_AS_MEANING = re.compile(r"意思|作用|情况|回事|东西|有用")  # asked for as the meaning is
_MORE = 2  # characters of the question that neither the entry nor its answer has
_SAME_REST = 0.7  # of two questions' characters, for names that differ to be all that differs
# asks for yes or no, which is no answer to how two things differ
_WHETHER = re.compile(r"[吗吧么嘛]\W*$|是不是|是否|能不能|可不可以|对不对")
_ASKING = re.compile(
    r"请问|怎么[办样]?|如何|怎样|咋|什么|为[什何]么?|哪[里些]|可以|一下|[吗呢呀啊吧的了是有在要会能我你您这那个]|[^㐀-鿿a-z0-9+#]"
)


def agrees(question: str, other: str, answer: str = "") -> bool:
    """Whether nothing exact tells a question from an entry's, which has `answer`: "第3章" is never "第4章"."""
    mine, theirs = plain(question), plain(other)
    return not (
        _counts_differ(mine, theirs)
        or polarity.opposed(mine, theirs)
        or alignment.has_opposites(mine, theirs)
        or _wants_differ(mine, theirs)
        or _denial_differs(mine, theirs)
        or _name_differs(question, other, answer)
        or _asks_more_than_meaning(mine, theirs, plain(answer))
    )


def same_words(question: str, other: str) -> bool:
    """Whether two questions of the same words name the same numbers and Latin terms and deny the same."""
    mine, theirs = plain(question), plain(other)
    return (
        _values(mine) == _values(theirs)
        and facts.names(question) == facts.names(other)
        and polarity.same_parity(mine, theirs)
        and not polarity.opposed(mine, theirs)
    )


def _counts_differ(mine: str, theirs: str) -> bool:
    """Both have numbers, and not the same ones."""
    first, second = _values(mine), _values(theirs)
    return bool(first and second) and first != second


def _values(text: str) -> list[float]:
    return sorted(n.value for n in numerals.numbers(text) if text[n.start : n.end] not in _WORDS)


def _name_differs(question: str, other: str, answer: str) -> bool:
    """Each names something that the other does not, and otherwise they say the same: Vue…传值, React…传值."""
    known, asked = plain(f"{other} {answer}"), plain(question)
    lacks = [name for name in facts.names(question) if name not in known]
    lacked = [name for name in facts.names(other) if name not in asked]
    return bool(lacks and lacked) and _alike(_without(asked, lacks), _without(plain(other), lacked)) >= _SAME_REST


def _asks_more_than_meaning(mine: str, theirs: str, answer: str) -> bool:
    """The entry says what a term is; the question names the term and asks for something else of it: 死锁的必要条件."""
    match = _MEANING.match(theirs)
    term = (match[1] or match[2]).strip() if match else ""
    if not term or term not in mine or _MEANING.match(mine):
        return False
    more = letters(_AS_MEANING.sub("", _ASKING.sub("", mine.replace(term, "")))) - letters(theirs) - letters(answer)
    return len(more) >= _MORE


def _denial_differs(mine: str, theirs: str) -> bool:
    """One denies, the other does not, and otherwise they say the same."""
    return not polarity.same_parity(mine, theirs) and _alike(mine, theirs) >= _SAME_REST


def _without(text: str, names: Sequence[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return text


def _alike(one: str, other: str) -> float:
    return alignment.alike(_ASKING.sub("", one), _ASKING.sub("", other))


def _wants_differ(mine: str, theirs: str) -> bool:
    """They want different things, at least one of them an exact one; where and how are often asked for each other."""
    first, second = _wanted(mine), _wanted(theirs)
    one_compares, other = ("difference" in first) != ("difference" in second), theirs if "difference" in first else mine
    if one_compares and _WHETHER.search(other):
        return True
    if not first or not second or first & second or first | second <= {"place", "how"}:
        return False
    return bool((first | second) & _exact())


@functools.lru_cache(maxsize=4096)
def _wanted(question: str) -> frozenset[str]:
    return frozenset(slot for slot, pattern in _patterns().items() if pattern.search(question))


@functools.cache
def _exact() -> frozenset[str]:
    return frozenset(_table()["exact"])


@functools.cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {slot: re.compile("|".join(alternatives)) for slot, alternatives in _table()["slots"].items()}


@functools.cache
def _table() -> dict:
    return tomllib.loads(_SLOTS.read_text(encoding="utf-8"))
