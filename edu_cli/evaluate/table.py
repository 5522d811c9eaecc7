"""A table of text, and how figures look in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from edu_cli.text import counted


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. The first column and those of `words` (by place) are words, the others numbers.

    `detail` marks what a short report folds away.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    detail: bool = False

    @property
    def numbers(self) -> list[int]:
        """The columns of numbers, by place."""
        return [i for i in range(1, len(self.headers)) if i not in self.words]


def number(value: float | None) -> str:
    """Three digits; whole numbers as they are; `-` for what was not computed."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def interval(mean: Mapping[str, float]) -> str:
    """From the lower to the upper bound."""
    return f"{mean['low']:.3f}-{mean['high']:.3f}"


def questions(n: int, kind: str = "") -> str:
    """So many questions of a kind."""
    return counted(n, f"{kind}question")
