"""SIGKILL at every kind of step that changes a file, and at random times: nothing is lost, the next run converges."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from steps import PARTS, numbers, part_of
from warm_edu import WarmEdu
from worlds import JOBS, World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long
Record = Callable[[str, object], None]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_converges(
    name: str, part: int, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path, record_property: Record
) -> None:
    world = World(edu, JOBS[name], built, tmp_path)
    truth, n_killed = world.found(), 0
    steps = part_of(numbers(world.done.events), name, part)
    for step in steps:
        world.fresh()
        ran = world.attempt(die_at=step)
        if not ran.was_killed:  # a step of the whole run that this one had no need of
            continue
        n_killed += 1
        world.check(f"killed at step {step}, {ran.events[-1]}")
        assert world.found() == truth, f"killed at step {step}, {ran.events[-1]}"
    record_property("kills", n_killed)
    assert n_killed >= 0.9 * len(steps)


@pytest.mark.parametrize("seed", range(10))
def test_kills_at_random_times_lose_nothing_and_the_next_run_converges(
    seed: int, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path, record_property: Record
) -> None:
    rng = random.Random(seed)
    world = World(edu, JOBS[("first ingest", "ingest of edits", "rebuild")[seed % 3]], built, tmp_path)
    truth, n_killed = world.found(), 0
    for _ in range(10):
        after_s = rng.uniform(0.02, world.done.seconds)
        world.fresh()
        n_killed += world.attempt(die_after_s=after_s).was_killed
        world.check(f"killed after {after_s:.3f} s")
        assert world.found() == truth
    record_property("kills", n_killed)
    assert n_killed >= 4, "most of the runs must have been cut off for this to prove anything"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
@pytest.mark.parametrize("name", JOBS)
def test_a_run_that_is_told_to_stop_at_any_step_loses_nothing(
    name: str, number: signal.Signals, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path, record_property: Record
) -> None:
    world = World(edu, JOBS[name], built, tmp_path)
    truth, n_stopped = world.found(), 0
    steps = numbers(world.done.events)
    for step in sorted(random.Random(name).sample(steps, k=min(len(steps), 6))):
        world.fresh()
        ran = world.attempt(die_at=step, die_by=number)
        said = f"{number.name} at step {step}, {ran.events[-1]}: {ran.code}: {ran.err}"
        assert ran.code in (130 if number == signal.SIGINT else -number, 0, 4), said
        assert "Traceback" not in ran.err, said
        assert "went wrong inside" not in ran.err + ran.out, said
        assert ran.code != 130 or "Interrupted." in ran.err, said
        n_stopped += ran.code not in (0, 4)
        world.check(said)
        assert world.found() == truth, said
    record_property("kills", n_stopped)
    assert n_stopped, "a run must have been stopped for this to prove anything"
