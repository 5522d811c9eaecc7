"""The program: lazy verbs and the error boundary.

A verb's module is imported when it runs; `edu --help` and completion see names and one line of help only.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from edu_cli import __version__
from edu_cli.cli.verbs import VERBS
from edu_cli.errors import EduError, ExitCode


class LazyGroup(TyperGroup):
    """Lists verbs without importing them."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, about in VERBS.items():
            self.add_command(TyperCommand(name, help=about, callback=lambda: None, rich_markup_mode=None), name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The real command of a verb: its module is imported here."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in VERBS:
            module = importlib.import_module(f"edu_cli.cli.{name}")
            command = typer.main.get_command(module.app)
        return name, command, rest


app = typer.Typer(
    name="edu",
    cls=LazyGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
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


def run_verb(args: list[str]) -> int:
    """Runs `edu ARGS` in this process and returns its exit code."""
    try:
        code = app(args=args, prog_name="edu", standalone_mode=False, obj=args)
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:  # Typer makes an exit code of Ctrl-C, without a word
            raise KeyboardInterrupt
        return int(code or 0)
    except TyperException as error:
        usage = getattr(getattr(error, "ctx", None), "command_path", "edu")
        return _fail(
            args,
            "usage",
            error.format_message() or "nothing to do",
            f"`{usage} --help` lists what it takes",
            error.exit_code,
        )
    except EduError as error:
        if "--debug" in args:
            raise
        return _fail(args, error.code, error.message, error.hint, int(error.exit_code))
    except (KeyboardInterrupt, typer.Abort):
        return _fail(args, "interrupted", "Interrupted.", "", int(ExitCode.INTERRUPTED))
    except BrokenPipeError:  # `edu docs export | head`: the reader has gone, which is no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if "--debug" in args:
            raise
        return _unforeseen(args, error)


def _unforeseen(args: list[str], error: Exception) -> int:
    """A refusal of the system's names the file; all else is a fault of ours."""
    if isinstance(error, OSError) and error.errno:
        what = f"{os.fsdecode(error.filename)}: " if error.filename else "The system refused a file operation: "
        hint = "check that it exists, that you may use it, and that the disk has room"
        return _fail(args, "os", f"{what}{error.strerror}.", hint, int(ExitCode.FAILED))
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        message = "An argument or a setting holds bytes that are no UTF-8 text."
        return _fail(args, "usage", message, "type it anew in a UTF-8 terminal", int(ExitCode.USAGE))
    return _fail(
        args,
        "internal",
        f"Something went wrong inside edu: {type(error).__name__}: {' '.join(str(error).split())[:300]}",
        "run it again with --debug and report what it prints",
        int(ExitCode.FAILED),
    )


def _fail(args: list[str], code: str, message: str, hint: str, exit_code: int) -> int:
    from edu_cli.cli.render import show_error

    show_error(code, message, hint, as_json="--json" in args)
    return exit_code
