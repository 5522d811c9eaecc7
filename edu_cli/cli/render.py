"""The only place that prints: results to stdout, everything else to stderr; nothing raw reaches a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from edu_cli.cli.visible import safe

if TYPE_CHECKING:
    from rich.console import Console

    from edu_cli.protocols import Progress

Style = Literal["bold", "dim", "place"]
_CODES: dict[str | None, str] = {"bold": "1", "dim": "2", "place": "1;36"}
_COLUMN_CELLS = 9  # on average, below which a table's words are cut into pieces


_ACTING = "[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def to_json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """One line of JSON with Chinese as it is; NaN is refused.

    Lone surrogates (from file names) are escaped, and what would act on a terminal that JSON is printed to.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    return re.sub(_ACTING, lambda m: f"\\u{ord(m[0]):04x}", text)


def show_error(code: str, message: str, hint: str, *, as_json: bool) -> None:
    """An error on stderr; with --json also as the one JSON value on stdout."""
    if as_json:
        _write(sys.stdout, to_json({"schema": 1, "error": {"code": code, "message": message, "hint": hint}}) + "\n")
    _write(sys.stderr, f"error: {safe(message)}\n" + (f"hint: {safe(hint)}\n" if hint else ""))


def _write(stream: Any, text: str) -> None:
    """Writes UTF-8 whatever the locale says, since the content is Chinese."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
    else:
        stream.flush()
        buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.flush()


def _shows_colour() -> bool:
    """As Rich decides it, which is too large to be loaded for this alone."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown")


@dataclass(frozen=True, slots=True)
class Output:
    """Where a verb's result and notices go."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False
    progress_wanted: bool = True

    def value(self, value: Mapping[str, Any]) -> None:
        """The JSON value of this run (call it once, with --json only)."""
        _write(sys.stdout, to_json(value) + "\n")

    def text(self, text: str, end: str = "\n") -> None:
        """Part of the result as text."""
        _write(sys.stdout, safe(text) + end)

    def styled(self, *pieces: tuple[str, Style | None]) -> None:
        """A line of the result whose pieces have styles, where a terminal shows them."""
        codes = _CODES if _shows_colour() else {}
        shown = (f"\x1b[{codes[style]}m{safe(text)}\x1b[0m" if style in codes else safe(text) for text, style in pieces)
        _write(sys.stdout, "".join(shown) + "\n")

    def note(self, message: str) -> None:
        """A notice on stderr, unless --quiet."""
        if not self.quiet:
            _write(sys.stderr, safe(message) + "\n")

    def detail(self, message: str) -> None:
        """A notice on stderr with --verbose."""
        if self.verbose:
            _write(sys.stderr, safe(message) + "\n")

    def warn(self, message: str) -> None:
        """A warning on stderr, also with --quiet: nothing goes wrong in silence."""
        _write(sys.stderr, f"warning: {safe(message)}\n")

    def console(self) -> Console:
        """A Rich console on stdout for tables; plain in a pipe, 100 columns wide there."""
        from rich.console import Console

        width = None if sys.stdout.isatty() else 100
        return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
        """A table as part of the result; the columns in `right` are aligned right.

        Where the terminal is too narrow for it, a block of lines a row.
        """
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        console = self.console()
        if console.width < _COLUMN_CELLS * len(headers):
            for row in rows:
                first, *rest = zip(headers, row, strict=True)
                self.text(first[1] + "".join(f"\n  {header}: {cell}" for header, cell in rest if cell))
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for i, header in enumerate(headers):
            table.add_column(header, justify="right" if i in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(safe(cell) for cell in row))
        console.print(table)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A progress bar on a terminal, silence elsewhere; notices always reach stderr."""
        if self.progress_wanted and not self.quiet and not self.json and sys.stderr.isatty():
            from edu_cli.cli.progress import bar_progress

            with bar_progress() as bars:
                yield bars
        else:
            yield SilentProgress(self)


@dataclass(frozen=True, slots=True)
class SilentProgress:
    """Progress for pipes: only the notices are shown."""

    out: Output

    def start(self, stage: str, total: int | None) -> None:
        """Nothing: there is no terminal."""

    def advance(self, stage: str, n: int = 1) -> None:
        """Nothing: there is no terminal."""

    def note(self, message: str) -> None:
        """A notice on stderr."""
        self.out.note(message)
