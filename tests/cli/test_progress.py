"""What a progress bar tells beside its length."""

from __future__ import annotations

from rich.progress import Progress

from edu_cli.cli.progress import BarProgress, RateColumn


def test_the_rate_is_what_was_done_a_second() -> None:
    now = [0.0]
    bars = Progress(get_time=lambda: now[0], disable=True)
    shown = BarProgress(bars)
    shown.start("encode", 100)
    (task,) = bars.tasks
    assert RateColumn().render(task).plain == ""
    for _ in range(5):
        now[0] += 2.0
        shown.advance("encode", 15)
    assert RateColumn().render(task).plain == "7.5/s"
    assert task.time_remaining is not None


def test_a_stage_of_which_nothing_is_known_yet_has_no_rate() -> None:
    bars = Progress(disable=True)
    shown = BarProgress(bars)
    shown.advance("encode", 3)
    assert not bars.tasks
    shown.start("load", None)
    assert RateColumn().render(bars.tasks[0]).plain == ""
