"""Command lines that can be read by a table: flags by their full names, and nothing wrong with any of them.

The table is command_line.tsv, which tabulate.py makes of what Typer knows. Typer takes longer to load than most
answers take, so it is left to what is not read here: abbreviated and joined flags, and whatever is wrong.
"""

# pathlib takes longer to load than all the rest here:
# ruff: noqa: PTH100, PTH118, PTH120, PTH123
from __future__ import annotations

import importlib
import os

TYPE_CHECKING = False  # as typing's own, which takes longer to load than a help page needs
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = dict[str, Any]  # as tabulate.py makes it

HELP_FLAGS = ("--help", "-h")
PAGE_COLUMNS = 80  # of the widest help page; a narrower terminal gets its own from Typer


class NotPlainError(Exception):
    """A command line that is not for this reader."""


def rows_of(verb: str) -> dict[str, Row]:
    """The commands of a verb by name (`docs`, `docs list`; "" is `edu` itself). Raises NotPlainError where none is."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "command_line.tsv")
    with open(place, encoding="utf-8") as file:
        for line in file:
            name, _, rows = line.partition("\t")
            if name == verb:
                import json

                return json.loads(rows)
    raise NotPlainError


def read(args: list[str]) -> Callable[[], Any] | None:
    """What runs the command that `args` name, None where Typer has to read them."""
    if not args:
        return None
    try:
        name, row, values = parsed(args)
        _check_given(row, values)
    except NotPlainError:
        return None
    if values.pop("help", False):
        return None
    verb, _, command = name.partition(" ")
    app = importlib.import_module(f"edu_cli.cli.{verb}").app
    run = app.commands[command or next(iter(app.commands))].run
    return lambda: run(**values)


def page(args: list[str]) -> str | None:
    """The help page that `args` ask for, None where they ask for something else or Typer has to make it."""
    if not any(flag in args for flag in HELP_FLAGS) or _columns() < PAGE_COLUMNS:
        return None
    try:
        _, row, values = parsed(args)
    except NotPlainError:
        return None
    return row["page"] if "help" in values else None


def parsed(args: list[str]) -> tuple[str, Row, dict[str, Any]]:
    """The command's name, its row, and the values given, by parameter. Raises NotPlainError."""
    name, row, rest = _named(args)
    flags = {flag: one for one in row["params"] for flag in (*one["on"], *one["off"])}
    open_places = [one for one in row["params"] if one["kind"] != "help" and not one["on"]]
    values: dict[str, Any] = {}
    words = iter(rest)
    for word in words:
        if word[:1] == "-" and len(word) > 1:
            flag, equals, joined = word.partition("=") if word[:2] == "--" else (word, "", "")
            _take_flag(flags, flag, joined if equals else None, words, values)
        elif not open_places:
            raise NotPlainError
        else:
            one = open_places[0] if open_places[0]["many"] else open_places.pop(0)
            _keep(one, word, values)
    return name, row, values


def _named(args: list[str]) -> tuple[str, Row, list[str]]:
    """The command's name and row, and what follows its name."""
    if args[:1] in ([flag] for flag in HELP_FLAGS):
        return "", rows_of("")[""], args
    verb, *rest = args
    rows = rows_of(verb)
    row = rows[verb]
    if not row["commands"]:
        return verb, row, rest
    if rest[:1] in ([flag] for flag in HELP_FLAGS):
        return verb, row, rest
    command = row["default"]
    if rest and not rest[0].startswith("-"):
        command, *rest = rest
    if (name := f"{verb} {command}") not in rows:
        raise NotPlainError
    return name, rows[name], rest


def _take_flag(flags: dict[str, Row], flag: str, joined: str | None, words: Any, values: dict[str, Any]) -> None:
    one = flags.get(flag)
    if one is None or one["kind"] == "other":
        raise NotPlainError
    if one["kind"] in ("flag", "help"):
        if joined is not None:
            raise NotPlainError
        values[one["name"]] = flag in one["on"]
        return
    value = next(words, None) if joined is None else joined
    if value is None or (joined is None and value[:1] == "-" and value != "-"):
        raise NotPlainError
    _keep(one, value, values)


def _keep(one: Row, word: str, values: dict[str, Any]) -> None:
    value = _valued(one, word)
    if one["many"]:
        values.setdefault(one["name"], []).append(value)
    else:
        values[one["name"]] = value


def _valued(one: Row, word: str) -> Any:
    """A word as the value that the command takes."""
    kind = one["kind"]
    if kind == "text":
        return word
    if kind == "path" and word:
        from pathlib import Path

        return Path(word)
    if kind == "choice" and word in one["choices"]:
        return word
    try:
        value = {"int": int, "float": float}[kind](word)
    except (KeyError, ValueError):
        raise NotPlainError from None
    if (one["low"] is not None and not value >= one["low"]) or (one["high"] is not None and not value <= one["high"]):
        raise NotPlainError
    return value


def _check_given(row: Row, values: dict[str, Any]) -> None:
    if not row["plain"] or any(one["required"] and one["name"] not in values for one in row["params"]):
        raise NotPlainError


def _columns() -> int:
    """Of the terminal, as shutil.get_terminal_size finds them."""
    try:
        return int(os.environ.get("COLUMNS", "")) or _terminal_columns()
    except ValueError:
        return _terminal_columns()


def _terminal_columns() -> int:
    import sys

    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or PAGE_COLUMNS
    except (OSError, ValueError):
        return PAGE_COLUMNS
