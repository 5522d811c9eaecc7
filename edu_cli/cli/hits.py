"""Hits for people: where each one is, and the piece of it that holds the question's words."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from edu_cli.ask.generation.context import heading
from edu_cli.ask.retrieval.asked import pairs_of, plain
from edu_cli.cli.render import Output, Style
from edu_cli.cli.visible import safe

if TYPE_CHECKING:
    from edu_cli.types import Passage, SearchResult

_SNIPPET = 120  # characters: two lines of Chinese on a terminal of ordinary width
_BEFORE = 30  # of them before the first word found, so that it is read in its sentence


def show_hits(out: Output, result: SearchResult, *, explain: bool) -> None:
    """One hit after the other: rank, score, place, and a snippet with the question's words in bold."""
    words = sorted(set(pairs_of(plain(result.question))), key=len, reverse=True)
    for passage in result.passages:
        out.styled((f"{passage.rank:>2}  {passage.score:.3f}  ", None), (heading(passage), "place"))
        out.styled(("    ", None), *_marked(snippet(passage.text, words), words))
        if passage.also:
            out.styled((f"    同文：{'、'.join(passage.also)}", "dim"))
        if explain:
            out.styled((f"    {_legs(passage)}", "dim"))
    if explain:
        spent = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in result.seconds.items())
        out.styled((spent, "dim"))


def snippet(text: str, words: list[str]) -> str:
    """The piece of `text`, on one line, that holds most of the words; an ellipsis where it was cut."""
    line = " ".join(safe(text).split())
    if len(line) <= _SNIPPET:
        return line
    lower = line.lower()
    starts = sorted({max(0, lower.find(word) - _BEFORE) for word in words if word in lower} | {0})
    start = max(starts, key=lambda at: (sum(word in lower[at : at + _SNIPPET] for word in words), -at))
    start = min(start, len(line) - _SNIPPET)
    end = start + _SNIPPET
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _marked(line: str, words: list[str]) -> list[tuple[str, Style | None]]:
    """The line in pieces, those that are among the words in bold."""
    lower = line.lower()
    if len(lower) != len(line):  # "İ" becomes two characters: places would not agree
        return [(line, None)]
    bold = bytearray(len(line))
    for word in words:
        at = lower.find(word)
        while at >= 0:
            bold[at : at + len(word)] = b"\1" * len(word)
            at = lower.find(word, at + 1)
    pieces = groupby(zip(line, bold, strict=True), key=itemgetter(1))
    return [("".join(c for c, _ in run), "bold" if is_bold else None) for is_bold, run in pieces]


def _legs(passage: Passage) -> str:
    legs = (
        f"{leg} 第{source.rank}名 {source.score:.3f}" + (f"（占 {source.share:.2f}）" if source.share else "")
        for leg, source in passage.sources.items()
    )
    return " · ".join(legs)
