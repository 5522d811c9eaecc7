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
    """One line of a batch. `subject` None leaves that of the flags."""

    question: str
    id: str | None = None
    subject: str | None = None
    history: tuple[Message, ...] = ()


def one_question(argument: str | None, verb: str = "ask") -> str:
    """The question of the command line; `-` reads all of stdin. Raises UsageError where there is none."""
    if argument is None:
        raise UsageError("No question was given.", hint=f'edu {verb} "…", - to read it from stdin, or --batch FILE')
    text = _decoded(sys.stdin.buffer.read(), "stdin") if argument == "-" else argument
    if not text.strip():
        raise UsageError("The question is empty.", hint=f'edu {verb} "…", or - to read it from stdin')
    return text.strip()


def read_batch(source: str) -> Iterator[BatchQuestion]:
    """The questions of FILE or `-`, in order; empty lines are passed over. Raises UsageError naming the line."""
    if source == "-":
        text = _decoded(sys.stdin.buffer.read(), "stdin")
    else:
        try:
            text = _decoded(Path(source).read_bytes(), source)
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror}.", hint="--batch takes a file or -") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _question(line.strip(), f"line {number} of {source}")


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start}).", hint="convert it, as with iconv") from error


def _question(line: str, where: str) -> BatchQuestion:
    if not line.startswith("{"):
        return BatchQuestion(line)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is no JSON: {error}.", hint="one question a line, plain or JSON") from error
    question = value.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"{where} has no question.", hint='{"id": "q1", "question": "…"}')
    identifier, subject = value.get("id"), value.get("subject")
    return BatchQuestion(
        question.strip(),
        None if identifier is None else str(identifier),
        None if subject is None else str(subject),
        tuple(_message(item, where) for item in value.get("history") or ()),
    )


def _message(item: Any, where: str) -> Message:
    roles = ("system", "user", "assistant")
    if not isinstance(item, dict) or item.get("role") not in roles or not isinstance(item.get("content"), str):
        raise UsageError(
            f"{where} has a history item without role and content.", hint='{"role": "user", "content": "…"}'
        )
    return Message(item["role"], item["content"])
