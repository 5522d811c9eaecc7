"""Entry point of `edu`."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys

from edu_cli import __version__

TYPE_CHECKING = False  # without loading `typing`
if TYPE_CHECKING:
    from typing import Any

# What `dataclasses` and `pathlib` load and hardly use: with what these load in turn, a quarter of `edu status`
_RARELY_USED = ("inspect", "copy", "ipaddress")


def main() -> None:
    """Runs `edu` with the arguments of this process and ends it with the exit code."""
    for stream in (sys.stdout, sys.stderr):  # Rich's tables too: the content is Chinese whatever the locale says
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # Few of our objects refer to each other in circles, and looking for such every 700 allocations was 9% of an ingest
    # and 5% of a search.
    gc.set_threshold(500_000, 50, 100)
    for name in _RARELY_USED:
        sys.modules.setdefault(name, _Later(name))
    ended = [1]
    atexit.register(_leave, ended)  # the first to register is the last to be called
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the verb's own boundary stands, while modules are loaded
        code = _interrupted(as_json="--json" in sys.argv)
    if signal := sys.modules.get("signal"):  # whoever interrupts the rest wants no traceback of it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    ended[0] = code
    raise SystemExit(code)


class _Later(type(sys)):
    """Stands in for a module until something of it is used."""

    def __getattr__(self, name: str) -> object:
        module = self.__name__
        if (module, name) == ("inspect", "get_annotations"):
            return _annotations  # all that Python 3.13's `dataclasses` wants of it
        if sys.modules.get(module) is self:
            del sys.modules[module]
        return getattr(__import__(module), name)


def _annotations(obj: Any, **options: Any) -> dict[str, Any]:
    """As `inspect.get_annotations`, which is loaded for what is not a plain class."""
    if isinstance(obj, type) and not options:
        return dict(obj.__dict__.get("__annotations__", {}))  # noqa: RUF063 - that is what is to be spared
    import inspect

    return inspect.get_annotations(obj, **options)


def _leave(ended: list[int]) -> None:
    """Ends the process when all that asked to be called at its end has been.

    Python would free every object one by one first, which was a fifth of a search and a tenth of an ingest.
    """
    code = ended[0]
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # as Python ends where what was printed could not be written
            code = 120
    os._exit(code)


def _interrupted(*, as_json: bool) -> int:
    """As the boundary tells it, with nothing loaded."""
    if as_json:
        sys.stdout.write('{"schema": 1, "error": {"code": "interrupted", "message": "Interrupted.", "hint": ""}}\n')
    sys.stderr.write("error: Interrupted.\n")
    return 130


def _known(args: list[str]) -> str | None:
    """What `edu ARGS` prints, where that can be told without running it."""
    if args == ["--version"]:
        return f"edu {__version__}\n"
    if "_EDU_COMPLETE" in os.environ:
        from edu_cli.cli.completing import completed

        return completed(os.environ)
    if "--help" in args or "-h" in args:
        from edu_cli.cli.plain import page

        return page(args)
    from edu_cli.cli.unchanged import replay

    return replay(args)


def run(args: list[str]) -> int:
    """Runs `edu ARGS` in this process and returns its exit code; every failure is a sentence and a code."""
    args = args or ["--help"]
    answer = _known(args)
    if answer is None:
        from edu_cli.cli.boundary import run_verb

        return run_verb(args)
    try:
        sys.stdout.write(answer)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, which is no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:  # told as any verb tells it
        from edu_cli.cli.boundary import run_verb

        return run_verb(args)
    return 0
