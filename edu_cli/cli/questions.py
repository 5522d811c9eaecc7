"""Where questions come from: the argument, stdin (`-`), or a file with one a line, plain or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.types import Message


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """One line of a batch. `subject` None leaves that of the flags; `error` is why the line cannot be asked."""

    question: str
    id: str | None = None
    subject: str | None = None
    history: tuple[Message, ...] = ()
    error: UsageError | None = None


def one_question(argument: str | None, verb: str = "ask") -> str:
    """The question of the command line; `-` reads all of stdin. Raises UsageError where there is none."""
    if argument is None:
        raise UsageError("No question was given.", hint=f'edu {verb} "…", - to read it from stdin, or --batch FILE')
    text = _decoded(sys.stdin.buffer.read(), "stdin") if argument == "-" else argument
    if not text.strip():
        raise UsageError("The question is empty.", hint=f'edu {verb} "…", or - to read it from stdin')
    return text.strip()


def read_batch(source: str) -> Iterator[BatchQuestion]:
    """The questions of FILE or `-`, in order; empty lines are passed over, bad ones hold their error.

    Raises UsageError where the whole cannot be read.
    """
    if source == "-":
        text = _decoded(sys.stdin.buffer.read(), "stdin")
    else:
        try:
            text = _decoded(Path(source).read_bytes(), source)
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror}.", hint="--batch takes a file or -") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _line(line.rstrip(), f"line {number} of {'stdin' if source == '-' else source}")


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start}).", hint="convert it, as with iconv") from error


def _line(line: str, where: str) -> BatchQuestion:
    if not line.lstrip().startswith("{"):
        return BatchQuestion(line.strip())
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = "one question a line, plain or JSON"
        return BatchQuestion("", error=UsageError(f"{where} is no JSON{_what_is_wrong(error)}.", hint=hint))
    question, identifier = value.get("question"), _text(value.get("id"))
    asked = question.strip() if isinstance(question, str) else ""
    if not asked:
        error = UsageError(f"{where} has no question.", hint='{"id": "q1", "question": "…"}')
        return BatchQuestion("", identifier, error=error)
    try:
        history = _history(value.get("history") or (), where)
    except UsageError as error:
        return BatchQuestion(asked, identifier, error=error)
    return BatchQuestion(asked, identifier, _text(value.get("subject")), history)


def _what_is_wrong(error: Exception) -> str:
    """What the parser says and where in the line, without its own number of the line."""
    if isinstance(error, json.JSONDecodeError):
        return f": {error.msg.removesuffix(' at')}, column {error.colno}"
    return ": nested too deeply" if isinstance(error, RecursionError) else f": {error}"


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _history(value: Any, where: str) -> tuple[Message, ...]:
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"{where} has a history that is no list.", hint='[{"role": "user", "content": "…"}]')
    return tuple(_message(item, where) for item in value)


def _message(item: Any, where: str) -> Message:
    roles = ("system", "user", "assistant")
    if not isinstance(item, dict) or item.get("role") not in roles or not isinstance(item.get("content"), str):
        raise UsageError(
            f"{where} has a history item without role and content.", hint='{"role": "user", "content": "…"}'
        )
    return Message(item["role"], item["content"])
