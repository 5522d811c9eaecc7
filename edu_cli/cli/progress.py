"""Progress bars on a terminal (Rich), on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from edu_cli.cli.visible import safe


class BarProgress:
    """One bar a stage, with counts, the rate and the remaining time."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def start(self, stage: str, total: int | None) -> None:
        """Shows the bar of `stage`, or gives it another total."""
        if stage in self._tasks:
            self._bars.update(self._tasks[stage], total=total)
        else:
            self._tasks[stage] = self._bars.add_task(stage, total=total)

    def advance(self, stage: str, n: int = 1) -> None:
        """Moves the bar of `stage` on."""
        if stage in self._tasks:
            self._bars.advance(self._tasks[stage], n)

    def note(self, message: str) -> None:
        """A line above the bars."""
        self._bars.console.print(safe(message), markup=False, highlight=False)


class RateColumn(ProgressColumn):
    """How many a second, of late."""

    def render(self, task: Task) -> Text:
        """Nothing before anything is done."""
        rate = task.finished_speed or task.speed
        return Text(f"{rate:,.{0 if rate >= 10 else 1}f}/s" if rate else "", style="progress.data.speed")


@contextmanager
def bar_progress() -> Iterator[BarProgress]:
    """Bars on stderr that go away when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), RateColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield BarProgress(bars)
