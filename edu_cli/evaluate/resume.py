"""What was computed for each question, kept so that an interrupted run can go on where it was.

Every data set has a file of its own for every state of corpus, settings and program, so that evaluations of one project
do not disturb each other. A line's key holds everything that could change its value, so a stale one is never asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from edu_cli.errors import StoreError
from edu_cli.text import content_id

_FILES_KEPT = 4  # the evaluations begun last; a file holds some kilobytes a question


class ResultCache:
    """Results by key in a file of JSON lines; without a folder nothing is kept. A torn last line is left out."""

    def __init__(self, folder: Path | None, dataset: str, state: str, *, resume: bool) -> None:
        """`state` names corpus, settings and program; without `resume` what was kept before of both is forgotten.

        Of other evaluations the oldest are forgotten. Raises StoreError where nothing can be written.
        """
        self._path = folder / f"{content_id(dataset, state)}.jsonl" if folder else None
        self._state = state
        self._known: dict[str, Any] = {}
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if resume and self._path.exists():
                self._known = _read(self._path)
            else:
                self._path.write_bytes(b"")
            _forget_oldest(self._path.parent)
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be written: {error.strerror or error}.", hint="mend its folder"
            ) from error

    def get(
        self,
        parts: tuple[str, ...],
        compute: Callable[[], Mapping[str, Any]],
        *,
        keep: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    ) -> Mapping[str, Any]:
        """The result for these parts: the one kept, else what `compute` gives, which is then kept if `keep` says so."""
        key = content_id(self._state, *parts)
        if key in self._known:
            return self._known[key]
        value = compute()
        if self._path is not None and keep(value):
            with self._path.open("ab") as file:
                file.write(json.dumps({"key": key, "value": value}, ensure_ascii=True).encode() + b"\n")
        return value


def _forget_oldest(folder: Path) -> None:
    newest_first = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in newest_first[_FILES_KEPT:]:
        path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = {}
    raw = path.read_bytes()
    for line in raw.split(b"\n"):
        try:
            entry = json.loads(line)
            known[entry["key"]] = entry["value"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    if raw and not raw.endswith(b"\n"):  # the line that a kill cut short must not swallow the next one
        with path.open("ab") as file:
            file.write(b"\n")
    return known
