"""`python -m edu_cli.cli.tabulate` makes command_line.tsv, by which plain.py reads command lines, of what Typer knows.

A test compares the file with what this makes, and both ways of reading with each other.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup, TyperOption
from typer.rich_utils import rich_render_text

from edu_cli.cli.commands import Command, VerbApp
from edu_cli.cli.plain import PAGE_COLUMNS
from edu_cli.cli.program import app, signature_of, typer_command
from edu_cli.cli.verbs import VERBS

if TYPE_CHECKING:
    from edu_cli.cli.plain import Row

PLACE = Path(__file__).with_name("command_line.tsv")
_MARGIN = 2  # which Typer leaves at the right of a page
_KINDS = {
    "StringParamType": "text",
    "IntParamType": "int",
    "IntRange": "int",
    "FloatParamType": "float",
    "FloatRange": "float",
    "TyperChoice": "choice",
    "TyperPath": "path",
}


def tabulated() -> dict[str, Row]:
    """A row for `edu` itself (its name is ""), every verb and every command of a verb."""
    root = typer.main.get_command(app)
    top = root.make_context("edu", [], resilient_parsing=True)
    rows = {"": _row(root, top, is_plain=False, default="")}
    for verb in VERBS:
        declared: VerbApp = importlib.import_module(f"edu_cli.cli.{verb}").app
        found = typer_command(verb)
        context = found.make_context(verb, [], parent=top, resilient_parsing=True)
        if not isinstance(found, TyperGroup):
            (only,) = declared.commands.values()
            rows[verb] = _row(found, context, is_plain=_is_plain(only), default="")
            continue
        rows[verb] = _row(found, context, is_plain=False, default=declared.default)
        for name, command in found.commands.items():
            inner = command.make_context(name, [], parent=context, resilient_parsing=True)
            is_plain = _is_plain(declared.commands[name]) and not declared.is_verb
            rows[f"{verb} {name}"] = _row(command, inner, is_plain=is_plain, default="")
    return rows


def written(rows: dict[str, Row]) -> str:
    """The table as its file holds it: a line a verb, since a command reads that of its own verb only."""
    lines = []
    for verb in ("", *VERBS):
        mine = {name: row for name, row in rows.items() if name.partition(" ")[0] == verb}
        lines.append(f"{verb}\t{json.dumps(mine, ensure_ascii=False)}\n")
    return "".join(lines)


def _is_plain(command: Command) -> bool:
    """Whether it runs without Typer: those that ask Typer for the context of the call do not."""
    return all(one.annotation is not typer.Context for one in signature_of(command).parameters.values())


def _row(command: Any, context: Any, *, is_plain: bool, default: str) -> Row:
    context.terminal_width = PAGE_COLUMNS - _MARGIN
    commands = command.commands if isinstance(command, TyperGroup) else {}
    return {
        "page": command.get_help(context) + "\n",
        "plain": is_plain,
        "default": default,
        "commands": {name: rich_render_text(one.get_short_help_str()) for name, one in commands.items()},
        "params": [_param(one) for one in command.get_params(context)],
    }


def _param(param: Any) -> Row:
    is_option = isinstance(param, TyperOption)
    return {
        "name": param.name,
        "kind": _kind(param),
        "on": _names(param) if is_option else [],
        "off": list(param.secondary_opts) if is_option else [],
        "many": param.nargs == -1 or bool(is_option and param.multiple),
        "required": param.required and param.default is None,
        "low": getattr(param.type, "min", None),
        "high": getattr(param.type, "max", None),
        "choices": list(getattr(param.type, "choices", ())),
        "about": rich_render_text(getattr(param, "help", "") or ""),
    }


def _names(option: Any) -> list[str]:
    """As declared; those of --help come in any order."""
    return sorted(option.opts) if option.name == "help" else list(option.opts)


def _kind(param: Any) -> str:
    """One of those that plain.py reads, "other" where Typer does something of its own with the value."""
    if param.name == "help":
        return "help"
    if param.callback is not None or not param.expose_value or param.envvar or param.nargs not in (1, -1):
        return "other"
    if isinstance(param, TyperOption) and param.is_flag:
        return "flag"
    return _KINDS.get(type(param.type).__name__, "other")


if __name__ == "__main__":
    PLACE.write_text(written(tabulated()), encoding="utf-8")
