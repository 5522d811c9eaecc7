"""No room, at every size from none to enough: a sentence, nothing lost, and with room again the next run converges."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from steps import PARTS, numbers, part_of, wants_room
from warm_edu import Ran, WarmEdu
from worlds import JOBS, World

from edu_cli.index.arrays import write_array

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long

_PLENTY = 64 * 2**20
_POINTS = 16
REFUSALS = (errno.ENOSPC, errno.EDQUOT)  # no room on the disk, none left of the user's share of it


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


@pytest.fixture(scope="module")
def edu_without_room(edu: WarmEdu, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmEdu]:
    """Runs whose calls of the system that want room can be refused, from any of them on."""
    library = tmp_path_factory.mktemp("full") / "full_disk.so"
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler to make the full disk with")
    source = Path(__file__).with_name("full_disk.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    with WarmEdu(library.parent, cache=edu.cache, full_disk=library) as warm:
        yield warm


@pytest.mark.parametrize("name", [name for name in JOBS if not JOBS[name].is_long])
def test_a_disk_that_is_full_from_any_call_on_loses_nothing(
    name: str, edu_without_room: WarmEdu, built: Path, tmp_path: Path
) -> None:
    """Every write, fsync, growth and new name of a short job, those of SQLite among them, by the C library's calls."""
    world = World(edu_without_room, JOBS[name], built, tmp_path)
    truth = world.found()
    world.fresh()
    n_calls, n_failed = world.attempt(room_ends_at=0).n_wanting, 0
    assert n_calls > 3
    for nth in range(1, n_calls + 1):
        world.fresh()
        ran = world.attempt(room_ends_at=nth, refusal=REFUSALS[nth % 2])
        n_failed += _survived(world, ran, truth, f"full from call {nth} of {n_calls} on")
    assert n_failed, "the disk must have been full at least once for this to prove anything"


@pytest.mark.parametrize("name", [name for name in JOBS if JOBS[name].is_long])
def test_a_disk_that_gets_full_in_the_middle_of_a_long_job_loses_nothing(
    name: str,
    edu_without_room: WarmEdu,
    built: Path,
    backup: Path,
    tmp_path: Path,
    pytestconfig: pytest.Config,
) -> None:
    """The same at calls drawn by lot, with --every-write at all; each kind of step is in the next test."""
    world = World(edu_without_room, JOBS[name], built, tmp_path)
    truth = world.found()
    world.fresh()
    n_calls, n_failed = world.attempt(room_ends_at=0).n_wanting, 0
    drawn = n_calls if pytestconfig.getoption("every_write") else _POINTS // 2
    for nth in sorted(random.Random(name).sample(range(1, n_calls + 1), k=drawn)):
        world.fresh()
        ran = world.attempt(room_ends_at=nth, refusal=REFUSALS[nth % 2])
        n_failed += _survived(world, ran, truth, f"full from call {nth} of {n_calls} on")
    assert n_failed, "the disk must have been full at least once for this to prove anything"


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_disk_that_is_full_from_any_step_on_loses_nothing(
    name: str, part: int, edu: WarmEdu, built: Path, backup: Path, tmp_path: Path
) -> None:
    """Each kind of step of every job, commits and what Milvus does among them."""
    world = World(edu, JOBS[name], built, tmp_path)
    truth, n_failed = world.found(), 0
    events = world.done.events
    for step in part_of([n for n in numbers(events) if wants_room(events[n - 1])], name, part):
        world.fresh()
        ran = world.attempt(fails_at=step, refusal=REFUSALS[step % 2])
        n_failed += _survived(world, ran, truth, f"full from step {step}, {events[step - 1]}")
    assert n_failed, "the disk must have been full at least once for this to prove anything"


def _survived(world: World, ran: Ran, truth: object, what: str) -> bool:
    """Whether it failed or told that something was not kept; the project is whole and leads where it always does."""
    said = f"{what}: {ran.code}: {ran.err}"
    assert "Traceback" not in ran.err, said
    assert "went wrong inside" not in ran.err, said
    assert _is_told(ran), said
    world.check(said)
    assert world.found() == truth, said
    return ran.code == 1 or "kept" in ran.err + ran.out


@pytest.mark.parametrize("name", [name for name in JOBS if JOBS[name].is_long])
def test_a_full_disk_loses_nothing_and_with_room_the_next_run_converges(
    name: str, edu: WarmEdu, built: Path, backup: Path, disk: Disk, tmp_path: Path
) -> None:
    before = disk.used()
    world = World(edu, JOBS[name], built, tmp_path)
    truth = world.found()
    most = max(2 * (disk.used() - before), 256 * 1024)
    n_failed = 0
    for point in range(_POINTS):
        disk.room(_PLENTY)
        world.fresh()
        disk.room(most * point // _POINTS // 4096 * 4096)
        ran = world.attempt()
        said = f"with {most * point // _POINTS} bytes left"
        still = edu.run(world.project, "search", "怎样减少死锁", "--json", "-k", "1")
        assert still.code in (0, 4) or not world.before["documents"], f"{said}: {ran.err}: reading: {still.err}"
        disk.room(_PLENTY)
        n_failed += _survived(world, ran, truth, said)
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


def test_a_build_of_bm25_that_finds_no_room_is_told_and_ends_no_process(disk: Disk, tmp_path: Path) -> None:
    """A file that is mapped and has no room of its own yet would end the process by SIGBUS: only a real disk shows."""
    folder = tmp_path / "p"
    rows, ends = np.zeros(60_000, np.int32), np.array([0, 60_000])
    write_array(folder / "rows.npy", rows)
    write_array(folder / "values.npy", rows.astype(np.float32))
    disk.room(3 * 4096)
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from edu_cli.index.bm25_scores import write_scores; from edu_cli.settings import LexicalSettings\n"
        f"write_scores(Path({str(folder)!r}), np.array({ends.tolist()}), np.ones(1, np.int32), LexicalSettings())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, "No space left on device" in ran.stderr) == (1, True), ran.stderr
