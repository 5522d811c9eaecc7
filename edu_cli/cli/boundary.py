"""The error boundary: whatever happens in a verb ends as a sentence and an exit code."""

from __future__ import annotations

import os
import sys

from edu_cli.errors import EduError, ExitCode, UsageError

_called: list[str] = []


def called() -> list[str]:
    """The command line that is being run, as it was typed."""
    return list(_called)


def run_verb(args: list[str]) -> int:
    """Runs `edu ARGS` in this process and returns its exit code."""
    _called[:] = args
    try:
        code = _run(args)
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:  # Typer makes an exit code of Ctrl-C, without a word
            raise KeyboardInterrupt
        return code
    except EduError as error:
        if "--debug" in args and not isinstance(error, UsageError):
            raise
        return _fail(args, error.code, error.message, error.hint, int(error.exit_code))
    except KeyboardInterrupt:
        hint = "run it again: what is in already stays, and the rest follows" if args[:1] == ["ingest"] else ""
        return _fail(args, "interrupted", "Interrupted.", hint, int(ExitCode.INTERRUPTED))
    except BrokenPipeError:  # `edu docs export | head`: the reader has gone, which is no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if "--debug" in args:
            raise
        return _unforeseen(args, error)


def _run(args: list[str]) -> int:
    from edu_cli.cli.plain import read

    try:
        if (call := read(args)) is None:
            from edu_cli.cli.program import run_program

            return run_program(args)
        call()
    except SystemExit as end:  # by which a verb ends with a code other than 0
        return int(end.code or 0)
    return 0


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
