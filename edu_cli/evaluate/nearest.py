"""The nearest known name to a mistaken one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`; "" where none is known."""
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return found[0] if found else ""


def nearest_path(path: str, known: Sequence[str]) -> str:
    """The known path most like `path`; the same file name in another folder comes first."""
    return nearest(path, [other for other in known if other.rsplit("/", 1)[-1] == path.rsplit("/", 1)[-1]] or known)
