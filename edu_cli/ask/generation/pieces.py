"""Text of a passage -> what may be quoted, each whole: sentences, rows of a table, blocks of code, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from edu_cli.ask.generation.enclosed import enclosed
from edu_cli.text import cjk_share, sentences

Kind = Literal["sentence", "row", "code", "formula"]
_FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_ADMONITION = re.compile(r"^[ \t]*!!![^\n]*", re.MULTILINE)  # whose marks end no sentence
_FORMULA_ENDS = {"$$": "$$", "\\[": "\\]"}  # lines that open and close a formula


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` with the white space after it."""

    start: int
    end: int
    kind: Kind


def pieces(text: str) -> list[Piece]:
    """The pieces that tile `text`, in order; a block without one of its fences reaches to that end of the text."""
    found: list[Piece] = []
    for start, end, kind in _parts(text):
        if kind == "sentence":
            found += [Piece(start + a, start + b, kind) for a, b in _sentences(text[start:end])]
        else:
            found.append(Piece(start, end, kind))
    return found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of prose; one that would end inside brackets goes on to what follows them."""
    kept_whole = [*enclosed(text), *((line.start(), line.end()) for line in _ADMONITION.finditer(text))]
    begun = 0
    for start, end in sentences(text):
        stop = start + len(text[start:end].rstrip())
        if not any(first < stop < last for first, last in kept_whole):
            yield begun, end
            begun = end


def _parts(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Neighbouring lines of prose as one part; each row, each block and each formula by itself."""
    lines = text.splitlines(keepends=True)
    code = _code_lines(lines)
    formulas = _formula_lines(lines, code)
    at = begun = 0
    for n, line in enumerate(lines):
        block = (code[n], formulas[n])
        kind: Kind = "code" if code[n] else "formula" if formulas[n] else "row" if _ROW.match(line) else "sentence"
        at += len(line)
        is_last = n + 1 == len(lines)
        if is_last or block != (code[n + 1], formulas[n + 1]) or (not any(block) and _parted(kind, lines[n + 1])):
            yield begun, at, kind
            begun = at


def _parted(kind: Kind, following: str) -> bool:
    return kind == "row" or bool(_ROW.match(following))


def _formula_lines(lines: Sequence[str], code: Sequence[int]) -> list[int]:
    """For each line the number of its displayed formula, from 1; 0 outside. One that is not closed is none."""
    numbers, n, found = [0] * len(lines), 0, 0
    while n < len(lines):
        closing = None if code[n] else _FORMULA_ENDS.get(lines[n].strip())
        end = next((m for m in range(n + 1, len(lines)) if lines[m].strip() == closing), None) if closing else None
        if end is not None and not any(code[n:end]):
            found += 1
            numbers[n : end + 1] = [found] * (end + 1 - n)
            n = end
        n += 1
    return numbers


def _code_lines(lines: Sequence[str]) -> list[int]:
    """For each line the number of its block of code, from 1; 0 outside.

    Whether the first line is inside of one whose beginning was cut off: by what the fences say, else by which reading
    finds less Chinese in the code.
    """
    readings = [_read(lines, inside=inside) for inside in (False, True)]
    return min(readings, key=lambda reading: (reading[1], _chinese_in_code(lines, reading[0])))[0]


def _chinese_in_code(lines: Sequence[str], numbers: Sequence[int]) -> float:
    return cjk_share("".join(line for line, number in zip(lines, numbers, strict=True) if number))


def _read(lines: Sequence[str], *, inside: bool) -> tuple[list[int], int]:
    """Block numbers for lines that begin inside a block or not, and how much speaks against that."""
    block, mark, odd = int(inside), "", int(inside)
    numbers: list[int] = []
    is_open = inside
    for line in lines:
        fence = _FENCE.match(line.rstrip("\n"))
        if not fence:
            numbers.append(block if is_open else 0)
        elif not is_open:
            is_open, block, mark = True, block + 1, fence["mark"]
            numbers.append(block)
        else:
            numbers.append(block)
            odd += bool(fence["info"].strip())  # the beginning of a block, inside of one
            is_open = bool(fence["info"].strip()) or (mark != "" and not fence["mark"].startswith(mark))
    return numbers, odd + is_open
