"""Damage to files, and whether what `edu` said afterwards is the truth."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from warm_edu import Ran

Damage = Callable[[Path, random.Random], None]


def truncate(path: Path, rng: random.Random) -> None:
    """Cuts the file off somewhere."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))] if content else b"x")


def zero(path: Path, rng: random.Random) -> None:
    """As long as before, and all zero bytes, as a file system leaves it after a power cut."""
    path.write_bytes(bytes(path.stat().st_size or 1))


def flip(path: Path, rng: random.Random) -> None:
    """One bit is another."""
    content = bytearray(path.read_bytes() or b"\0")
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def delete(path: Path, rng: random.Random) -> None:
    """The file is gone."""
    path.unlink()


def folder(path: Path, rng: random.Random) -> None:
    """A folder with something in it stands in the file's place."""
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")


DAMAGES: Mapping[str, Damage] = {f.__name__: f for f in (truncate, zero, flip, delete, folder)}


def files_of(project: Path) -> list[str]:
    """Every file below `.edu`, folders' random names replaced by `*`, so that tests may be named by it."""
    state = project / ".edu"
    return sorted({_stable(path.relative_to(state)) for path in state.rglob("*") if path.is_file()})


def _stable(path: Path) -> str:
    return "/".join("*" if part.startswith(("g-", "edu_")) else part for part in path.parts)


def found(project: Path, pattern: str) -> Path:
    """The file that `files_of` named."""
    return next(path for path in sorted((project / ".edu").glob(pattern)) if path.is_file())


def answer_of(ran: Ran) -> Any:
    """What a verb said, without what differs from run to run."""
    try:
        return _without_times(json.loads(ran.out))
    except ValueError:
        return ran.out


_VARIES = frozenset(
    {"seconds", "bytes", "session", "steps", "warnings", "lock", "project", "pending_id", "answers", "updated_at"}
)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key not in _VARIES}
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    return value


def fault(ran: Ran, truth: Any) -> str:
    """What is wrong with a run over damaged files, "" where nothing is.

    It may say the same as over whole ones; or anything, if it warns; or fail with one sentence and a hint.
    """
    text = ran.out + ran.err
    if ran.code in (99, 70) or ran.code < 0:
        return f"it crashed ({ran.code}): {text[-800:]}"
    if "Traceback" in text or "went wrong inside" in text:
        return f"it did not see the damage coming: {text[-800:]}"
    if ran.code not in (0, 3, 4):
        said = ran.err
        return (
            ""
            if ("error: " in said and "hint: " in said) or _is_told(ran)
            else f"it failed without a hint: {text[-400:]}"
        )
    if answer_of(ran) != truth and not ran.err.strip() and not _is_told(ran):
        return f"it said something else without a word: {ran.out[:600]}"
    return ""


def _is_told(ran: Ran) -> bool:
    try:
        value = json.loads(ran.out)
    except ValueError:
        return False
    return bool(value.get("error") or value.get("warnings") or value.get("failed"))


def copied(base: Path, target: Path) -> Path:
    """A copy of a project in which nothing but its place differs."""
    shutil.copytree(base, target, symlinks=True)
    return target
