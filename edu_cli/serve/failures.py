"""Errors across the wire: the same class, sentence, hint and code at the other end, so that exit codes agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edu_cli.ask.turn import UnansweredError
from edu_cli.errors import ChatError, EduError
from edu_cli.serve.values import from_plain, to_plain
from edu_cli.types import Passage


def failure_json(error: EduError) -> dict[str, Any]:
    """An error as a plain value."""
    told: dict[str, Any] = {
        "kind": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
    }
    if isinstance(error, UnansweredError):
        told["passages"] = to_plain(error.passages)
    return told


def failure_of(told: Any) -> EduError:
    """The error that `failure_json` told of. Raises ValueError where it tells of none."""
    try:
        kind, message, hint, code = (str(told[key]) for key in ("kind", "message", "hint", "code"))
        if kind == UnansweredError.__name__:
            passages = from_plain(tuple[Passage, ...], told["passages"])
            return UnansweredError(ChatError(message, hint=hint, code=code), passages)
    except (KeyError, TypeError) as error:
        raise ValueError("an error was expected") from error
    known = {one.__name__: one for one in _kinds(EduError)}
    return known.get(kind, EduError)(message, hint=hint, code=code)


def _kinds(kind: type[EduError]) -> Iterator[type[EduError]]:
    yield kind
    for under in kind.__subclasses__():
        yield from _kinds(under)
