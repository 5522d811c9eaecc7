"""The nearest known name to a mistaken one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`; the same file name in another folder comes first."""
    same_file = [other for other in known if other.rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1]]
    found = difflib.get_close_matches(name, same_file or known, n=1, cutoff=0.0)
    return found[0] if found else ""
