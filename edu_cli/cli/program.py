"""The whole command line by Typer: whatever plain.py cannot read by itself, and every message about what is wrong.

A verb's module is imported when it runs; `edu --help` and completion see names and one line of help only.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from edu_cli import __version__
from edu_cli.cli import flags
from edu_cli.cli.commands import Command, VerbApp
from edu_cli.cli.verbs import VERBS
from edu_cli.errors import UsageError

HELP_FLAGS = ("--help", "-h")
_SETTINGS = {"help_option_names": [*HELP_FLAGS]}


class LazyGroup(TyperGroup):
    """Lists verbs without importing them."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, about in VERBS.items():
            self.add_command(TyperCommand(name, help=about, callback=lambda: None, rich_markup_mode=None), name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The real command of a verb: its module is imported here."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, typer_command(name) if name in VERBS else command, rest


app = typer.Typer(
    name="edu",
    cls=LazyGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings=_SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"edu {__version__}")
        raise typer.Exit


@app.callback()
def _edu(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Build a knowledge base from course material and ask it questions.

    edu ingest ./corpus, then edu ask "…". Every verb takes --json, --project DIR, -q and -v.
    """


def run_program(args: list[str]) -> int:
    """Runs `edu ARGS` as Typer reads it and returns the exit code. Raises UsageError."""
    try:
        return int(app(args=args, prog_name="edu", standalone_mode=False, obj=args) or 0)
    except TyperException as error:
        usage = getattr(getattr(error, "ctx", None), "command_path", "edu")
        message = _in_words(error.format_message()) or "nothing to do"
        raise UsageError(message, hint=f"`{usage} --help` lists what it takes") from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error


def _in_words(message: str) -> str:
    """Typer's names of number types as people call them."""
    for theirs, ours in (("int range", "whole number"), ("integer", "whole number"), ("float range", "number")):
        message = message.replace(f"is not a valid {theirs}.", f"is not a {ours}.")
    return message


def typer_command(verb: str) -> Any:
    """The verb as Typer runs it; its module is imported."""
    declared: VerbApp = importlib.import_module(f"edu_cli.cli.{verb}").app
    group = _group(declared.default)
    made = typer.Typer(cls=group, rich_markup_mode=None, add_completion=False, context_settings=_SETTINGS)
    if opening := declared.opening:
        made.callback(invoke_without_command=declared.is_verb)(_typed(opening))
    for name, command in declared.commands.items():
        made.command(name)(_typed(command))
    return typer.main.get_command(made)


def _group(default: str) -> type[TyperGroup]:
    """A group whose command `default` runs, and whose flags are offered, where none is named."""

    class Group(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            is_bare = (not args and not ctx.resilient_parsing) or (bool(args) and _is_flag(args[0]))
            return super().parse_args(ctx, [default, *args] if default and is_bare else args)

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            if not default or not incomplete.startswith("-"):
                return super().shell_complete(ctx, incomplete)
            command = self.commands[default]
            return command.shell_complete(command.make_context(default, [], ctx, resilient_parsing=True), incomplete)

    return Group


def _is_flag(word: str) -> bool:
    return word.startswith("-") and word not in HELP_FLAGS


def signature_of(command: Command) -> inspect.Signature:
    """The flags of a command as Typer wants them: keywords, their annotations evaluated."""
    names = {**vars(flags), "typer": typer}
    found: list[inspect.Parameter] = []
    for place, function in enumerate(command.declared):
        own = inspect.signature(function, locals=names, eval_str=True).parameters.values()
        found += list(own)[0 if place else command.leading :]
    return inspect.Signature([one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found])


def _typed(command: Command) -> Callable[..., Any]:
    """The command as a function that says its flags in its signature."""

    def run(**given: Any) -> Any:
        return command.run(**given)

    run.__signature__ = signature_of(command)  # type: ignore[attr-defined]
    run.__name__, run.__doc__ = command.declared[0].__name__, command.declared[0].__doc__
    return run
