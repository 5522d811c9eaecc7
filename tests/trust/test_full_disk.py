"""No room, at every size from none to enough: a sentence, nothing lost, and with room again the next run converges."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from steps import numbers
from warm_edu import Ran, WarmEdu
from worlds import JOBS, World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long

_PLENTY = 64 * 2**20
_POINTS = 16


class Disk:
    """A small file system of its own on `place`; `room` leaves so many bytes free."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def used(self) -> int:
        stat = os.statvfs(self._place)
        return (stat.f_blocks - stat.f_bfree) * stat.f_frsize

    def room(self, n_bytes: int) -> None:
        size = f"remount,size={max(self.used() + n_bytes, 4096)}"
        subprocess.run(["mount", "-o", size, self._place], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "p"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_PLENTY}", "none", place]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    yield Disk(place)
    subprocess.run(["umount", place], check=True)


def _is_told(ran: Ran) -> bool:
    """It failed with a sentence, or did its work and told what it could not keep."""
    if ran.code in (0, 4):
        return True
    return ran.code == 1 and ran.err.strip().splitlines()[-2].startswith("error: ") and "hint: " in ran.err


@pytest.mark.parametrize("name", [name for name in JOBS if name != "restore"])
def test_a_full_disk_loses_nothing_and_with_room_the_next_run_converges(
    name: str, edu: WarmEdu, built: Path, disk: Disk, tmp_path: Path
) -> None:
    before = disk.used()
    world = World(edu, JOBS[name], built, tmp_path)
    truth = world.found()
    most = (
        max(2 * (disk.used() - before), 256 * 1024) if JOBS[name].args[0] in ("ingest", "index", "docs") else 64 * 1024
    )
    n_failed = 0
    for point in range(_POINTS):
        disk.room(_PLENTY)
        world.fresh()
        disk.room(most * point // _POINTS // 4096 * 4096)
        ran = world.attempt()
        said = f"with {most * point // _POINTS} bytes left: {ran.code}: {ran.err}"
        assert "Traceback" not in ran.err, said
        assert "went wrong inside" not in ran.err, said
        assert _is_told(ran), said
        n_failed += ran.code == 1 or "kept" in ran.err + ran.out  # an answer is given all the same
        still = edu.run(world.project, "search", "怎样减少死锁", "--json", "-k", "1")
        assert still.code in (0, 4) or not world.before["documents"], f"{said}: reading: {still.err}"
        disk.room(_PLENTY)
        world.check(said)
        assert world.found() == truth, said
    assert n_failed, "the disk must have been full at least once for this to prove anything"


@pytest.mark.parametrize("name", [name for name in JOBS if name != "restore"])
def test_a_disk_that_is_full_from_any_step_on_loses_nothing(
    name: str, edu: WarmEdu, built: Path, tmp_path: Path
) -> None:
    world = World(edu, JOBS[name], built, tmp_path)
    truth, n_failed = world.found(), 0
    steps = numbers(world.done.events)
    for step in sorted(random.Random(name).sample(steps, k=min(len(steps), _POINTS))):
        world.fresh()
        ran = world.attempt(fails_at=step)
        said = f"full from step {step}, {world.done.events[step - 1]}: {ran.code}: {ran.err}"
        assert "Traceback" not in ran.err, said
        assert "went wrong inside" not in ran.err, said
        assert _is_told(ran), said
        n_failed += ran.code == 1 or "kept" in ran.err + ran.out
        world.check(said)
        assert world.found() == truth, said
    assert n_failed, "the disk must have been full at least once for this to prove anything"


@pytest.mark.parametrize("name", ["first ingest", "ingest of edits"])
def test_files_that_may_not_grow_lose_nothing(name: str, edu: WarmEdu, built: Path, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    world = World(edu, JOBS[name], built, tmp_path)
    truth = world.found()
    for most_kb in (4, 16, 40, 64, 100, 160, 230):
        world.fresh()
        ran = world.attempt(most_bytes=most_kb * 1024)
        assert _is_told(ran), f"{most_kb} KB: {ran.code}: {ran.err}"
        world.check(f"at most {most_kb} KB a file")
        assert world.found() == truth
