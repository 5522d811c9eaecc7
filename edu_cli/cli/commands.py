"""How a verb's module says which commands it has. Nothing of it needs Typer.

The parameters of a command are its flags. Their annotations stay text, in the names of the module and of flags.py,
until program.py reads them for Typer; a command line that plain.py can read runs the command without either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Command:
    """One command: `run` takes its flags by name, and `declared` are the functions whose signatures name them.

    `leading` parameters of the first of these are no flags.
    """

    def __init__(self, run: Callable[..., Any], declared: tuple[Callable[..., Any], ...], leading: int = 0) -> None:
        self.run = run
        self.declared = declared
        self.leading = leading


class VerbApp:
    """The commands of a verb by name: one that is the verb itself, or those of a group.

    `default` is the command of a group that runs where none is named; `opening` is what a group has to say of itself,
    and runs alone (`is_verb`) where that is more than its help.
    """

    def __init__(self, default: str = "") -> None:
        self.default = default
        self.commands: dict[str, Command] = {}
        self.opening: Command | None = None
        self.is_verb = False

    @property
    def is_group(self) -> bool:
        """Whether a command has to be named."""
        return self.opening is not None or len(self.commands) > 1

    def command(self, name: str | None = None) -> Callable[[Function], Function]:
        """Makes a function a command."""

        def register(function: Function) -> Function:
            self.add(name or function.__name__, Command(function, (function,)))
            return function

        return register

    def add(self, name: str, command: Command) -> None:
        """Adds a command."""
        self.commands[name] = command

    def callback(self, *, invoke_without_command: bool = False) -> Callable[[Function], Function]:
        """Makes a function the opening of a group."""

        def register(function: Function) -> Function:
            self.opening, self.is_verb = Command(function, (function,)), invoke_without_command
            return function

        return register
