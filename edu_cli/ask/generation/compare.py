"""Things compared + passages -> the pieces that set them side by side, verbatim.

Scores of single sentences say little of a comparison: what tells two things apart stands where a heading names both,
in a table whose head does, or in a sentence that does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
_FIRST = 3  # passages that are looked at for a sentence that names all, where no heading compares them


def comparing(things: Sequence[str], passages: Sequence[Passage]) -> list[Unit]:
    """At most four pieces in reading order; [] where no passage sets the things side by side.

    A table whose head names all goes first; then what stands under a heading that compares them, pieces that name more
    of them first; where there is neither, sentences of the first passages that name all.
    """
    names = [plain(thing).strip() for thing in things]
    pieces = {n: list(_pieces(passage, n)) for n, passage in enumerate(passages, 1)}
    found = [
        piece for of in pieces.values() for piece in of if piece.header and _named(piece.header, names) == len(names)
    ][:1]
    headed = [n for n, passage in enumerate(passages, 1) if _is_about_all(passage, names)]
    places = headed or ([] if found else range(1, min(_FIRST, len(passages)) + 1))
    for n in places:
        least = 1 if headed else len(names)
        fit = [piece for piece in pieces[n] if _named(piece.shown, names) >= least and _tells(piece)]
        fit.sort(key=lambda piece: -_named(piece.shown, names))  # stable: in reading order among equals
        for piece in fit[:_MOST_OF_ONE]:
            used = sum(len(other.shown) for other in found)
            if (
                piece not in found
                and len(found) < _MOST_PIECES
                and (not found or used + len(piece.shown) <= _MOST_CHARS)
            ):
                found.append(piece)
    return sorted(found, key=lambda piece: (piece.n, piece.start))


def _is_about_all(passage: Passage, names: Sequence[str]) -> bool:
    """Whether a heading above the passage compares all of the things."""
    return any(_named(heading, names) == len(names) and _COMPARES.search(plain(heading)) for heading in passage.section)


def names_one(text: str, things: Sequence[str]) -> bool:
    """Whether a text names one of the things, a Latin one as a whole word: LinkedHashMap is no HashMap."""
    return _named(text, [plain(thing).strip() for thing in things]) > 0


def _named(text: str, names: Sequence[str]) -> int:
    said = plain(text)
    return sum(holds(said, name) for name in names)


def _tells(piece: Unit) -> bool:
    """Whether it can stand alone: neither a question, nor what only announces, nor what points at another place."""
    return not (piece.is_lead or _ASKS.search(piece.text) or (not piece.header and _SHOWS.search(piece.text)))


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
