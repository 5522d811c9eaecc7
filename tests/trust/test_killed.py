"""SIGKILL at every step that changes a file, and at random times: nothing is lost, the next run converges."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from warm_edu import WarmEdu
from worlds import JOBS, World

pytestmark = pytest.mark.slow


@pytest.fixture
def backup(edu: WarmEdu, built: Path, tmp_path: Path) -> Path:
    assert edu.run(built, "backup", str(tmp_path / "backup.zip"), "--force").code == 0
    return tmp_path / "backup.zip"


@pytest.mark.parametrize("name", JOBS)
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_converges(
    name: str, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path
) -> None:
    world = World(edu, JOBS[name], built, tmp_path)
    truth, n_killed = world.found(), 0
    for step in range(1, len(world.done.events) + 1):
        world.fresh()
        ran = world.attempt(die_at=step)
        if not ran.was_killed:  # a step of the whole run that this one had no need of
            continue
        n_killed += 1
        world.check(f"killed at step {step}, {ran.events[-1]}")
        assert world.found() == truth, f"killed at step {step}, {ran.events[-1]}"
    assert n_killed >= 0.9 * len(world.done.events)


@pytest.mark.parametrize("seed", range(10))
def test_kills_at_random_times_lose_nothing_and_the_next_run_converges(
    seed: int, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path
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
    assert n_killed >= 4, "most of the runs must have been cut off for this to prove anything"
