"""Things compared + passages -> the pieces that set them side by side, verbatim.

Scores of single sentences say little of a comparison: what tells two things apart stands in a table whose head names
both, in a sentence that sets one against the other, or under a heading that compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from edu_cli.ask.generation.choose import says_what
from edu_cli.ask.generation.units import Unit, units
from edu_cli.ask.retrieval.asked import holds
from edu_cli.ask.verification.terms import plain
from edu_cli.types import Passage

_MOST_PIECES = 4
_MOST_OF_ONE = 3  # pieces of one passage
_MOST_CHARS = 700
_SHOWS = re.compile(r"下图|如图|见图|图所示|下面|下文|上面|前面|后面|\]\(https?:")  # says what another place shows
_ASKS = re.compile(r"[?？]\W*$")
_COMPARES = re.compile(
    r"区别|异同|不同|差异|对比|比较|优缺点|关系|共同点|相同点|联系|选型|怎么选|\bvs\b|difference|compar"
)
_FIRST = 3  # passages that are looked at for a sentence that names all, where nothing tells them apart
_TELLS_APART = re.compile(r"(?:不同|区别|差别|差异)(?:之处|点)?(?:主要)?(?:在于?|是|就是|体现)|相比(?:之下|较)?|相较")
_CLAUSE = re.compile(r"[，,；;。]")
_BETTER = re.compile(r"不如|优于|快于|慢于|高于|低于|大于|小于|比")  # between two things
_APART_FIRST = 2  # pieces before those that say what each is
_CODE_COMMENT = re.compile(r"\s*(?:#|//|/\*)")
_LEAST_MORE = 2  # characters beside the names: "甲和乙。" says nothing


def comparing(things: Sequence[str], passages: Sequence[Passage]) -> list[Unit]:
    """At most four pieces in reading order; [] where no passage sets the things side by side.

    A table whose head names all goes first, then sentences that set one against another, then what stands under a
    heading that compares them, pieces that name more first; where there is none, sentences of the first passages that
    name all.
    """
    names = [plain(thing).strip() for thing in things]
    pieces = {n: [p for p in _pieces(passage, n) if _tells(p, names)] for n, passage in enumerate(passages, 1)}
    everything = [piece for of in pieces.values() for piece in of]
    table = [piece for piece in everything if piece.header and _named(piece.header, names) == len(names)][:1]
    apart = [piece for piece in everything if _sets_apart(piece.shown, names)]
    headed = [piece for n, p in enumerate(passages, 1) if _is_about_all(p, names) for piece in pieces[n]]
    if apart or table:
        under = [piece for piece in headed if _named(piece.shown, names) == 1]
    else:
        under = headed or [p for n in range(1, min(_FIRST, len(passages)) + 1) for p in pieces[n]]
        under = [piece for piece in under if _named(piece.shown, names) >= (1 if headed else len(names))]
        under.sort(key=lambda piece: -_named(piece.shown, names))  # stable: in reading order among equals
    first = [*apart[:_APART_FIRST], *_each_defined(names, pieces), *apart[_APART_FIRST:]]
    return sorted(_short((*table, *(first if apart else ()), *under)), key=lambda piece: (piece.n, piece.start))


def _each_defined(names: Sequence[str], pieces: Mapping[int, Sequence[Unit]]) -> list[Unit]:
    """A piece of the first passages that says what it is, for each of the names; [] where one has none."""
    near = [piece for n in sorted(pieces)[:_FIRST] for piece in pieces[n] if not piece.header]
    found = [next((piece for piece in near if says_what(name).match(plain(piece.text))), None) for name in names]
    return [piece for piece in found if piece] if all(found) else []


def _short(pieces: Sequence[Unit]) -> list[Unit]:
    """The first of the pieces that make a short answer."""
    found: list[Unit] = []
    for piece in pieces:
        used, of_one = sum(len(other.shown) for other in found), sum(other.n == piece.n for other in found)
        if piece in found or len(found) == _MOST_PIECES or of_one == _MOST_OF_ONE:
            continue
        if not found or used + len(piece.shown) <= _MOST_CHARS:
            found.append(piece)
    return found


def passages_of(thing: str, others: Sequence[str], passages: Sequence[Passage]) -> list[int]:
    """The numbers (from 1) of the passages whose last heading names a thing and none of the others."""
    mine, theirs = [plain(thing).strip()], [plain(other).strip() for other in others]
    lasts = [(passage.section or (passage.title,))[-1] for passage in passages]
    return [n for n, last in enumerate(lasts, 1) if _named(last, mine) and not _named(last, theirs)]


def _sets_apart(text: str, names: Sequence[str]) -> bool:
    """Whether a text names all and says in what they differ, or has a clause on each of two."""
    said = plain(text)
    if _named(said, names) < len(names):
        return False
    if _TELLS_APART.search(said):
        return True
    of_one = [name for part in _CLAUSE.split(said) if len(name := _names_in(part, names)) == 1]
    sides = (
        (_names_in(said[: at.start()], names), _names_in(said[at.end() :], names)) for at in _BETTER.finditer(said)
    )
    return len(frozenset().union(*of_one)) > 1 or any(before and after - before for before, after in sides)


def _names_in(said: str, names: Sequence[str]) -> frozenset[str]:
    return frozenset(name for name in names if holds(said, name))


def _is_about_all(passage: Passage, names: Sequence[str]) -> bool:
    """Whether a heading above the passage compares all of the things, or its last one names all."""
    named = [heading for heading in passage.section if _named(heading, names) == len(names)]
    return bool(named) and (named[-1] == passage.section[-1] or any(_COMPARES.search(plain(h)) for h in named))


def names_one(text: str, things: Sequence[str]) -> bool:
    """Whether a text names one of the things, a Latin one as a whole word: LinkedHashMap is no HashMap."""
    return _named(text, [plain(thing).strip() for thing in things]) > 0


def _named(text: str, names: Sequence[str]) -> int:
    said = plain(text)
    return sum(holds(said, name) for name in names)


def _tells(piece: Unit, names: Sequence[str]) -> bool:
    """Whether it can stand alone.

    A question, code or a comment in it, what only announces, what points at another place and what says nothing beside
    the names cannot.
    """
    if piece.is_code or piece.is_lead or _ASKS.search(piece.text) or _CODE_COMMENT.match(piece.text):
        return False
    said = plain(piece.text)
    for name in names:
        said = said.replace(name, "")
    return bool(piece.header) or (len(re.findall(r"\w", said)) >= _LEAST_MORE and not _SHOWS.search(piece.text))


def _pieces(passage: Passage, n: int) -> Iterator[Unit]:
    """The units of a passage, the rows of a table as one."""
    table: Unit | None = None
    for unit in units(passage.context, n, headings=(passage.title, *passage.section)):
        if table and unit.header == table.header and unit.end - table.start <= _MOST_CHARS:
            table = replace(table, end=unit.end, text=passage.context[table.start : unit.end].strip())
            continue
        if table:
            yield table
        table = unit if unit.header else None
        if not unit.header:
            yield unit
    if table:
        yield table
