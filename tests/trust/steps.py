"""Which steps of a run are disturbed: each kind of step once, in parts that run side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from worlds import JOBS

_PARTS = 3
_LONG = [name for name in JOBS if JOBS[name].is_long]
PARTS: list[Any] = [(name, part) for name in JOBS for part in range(_PARTS if name in _LONG else 1)]


def numbers(events: Sequence[str]) -> list[int]:
    """The number, from 1, of the first step of each kind and of the last step of all.

    Steps are alike that differ in a random name, or in which of the files of an index that was replaced they remove.
    """
    first: dict[str, int] = {}
    for number, event in enumerate(events, start=1):
        alike = re.sub(r"[gs]-[^/.]+|runs-[^/]+|_pk_\d+|edu_\w+|wal_\w+|\d+\.db", "#", event)
        first.setdefault("os.remove" if re.fullmatch(r"os\.remove [^/]+", alike) else alike, number)
    return sorted({*first.values(), *([len(events)] if events else [])})


def wants_room(event: str) -> bool:
    """Whether a full disk refuses the step; what is removed or done already needs none."""
    return not event.startswith(("after", "os.remove", "os.rmdir", "shutil.rmtree"))


def part_of(steps: Sequence[int], name: str, part: int) -> Sequence[int]:
    """The steps of one of the parts that `PARTS` names."""
    return steps[part::_PARTS] if name in _LONG else steps
