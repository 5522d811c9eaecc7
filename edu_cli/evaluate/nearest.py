"""The nearest label to a mistaken one, however far: what there is instead is told in any case."""

from __future__ import annotations

from collections.abc import Sequence

from edu_cli import text


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`; "" where none is known."""
    return text.nearest(name, known, cutoff=0.0)


def nearest_path(path: str, known: Sequence[str]) -> str:
    """The known path most like `path`; the same file name in another folder comes first."""
    return nearest(path, [other for other in known if other.rsplit("/", 1)[-1] == path.rsplit("/", 1)[-1]] or known)
