"""Rows that a check reads, shown as they are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from edu_cli.protocols import Progress

_STEP = 500  # rows between two moves of the bar
T = TypeVar("T")


def watched(rows: Iterable[T], name: str, progress: Progress) -> Iterator[T]:
    """The rows, each shown as done under the name that `progress` was started with."""
    for number, row in enumerate(rows, start=1):
        yield row
        if number % _STEP == 0:
            progress.advance(name, _STEP)
