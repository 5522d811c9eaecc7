"""`edu serve` killed at each step that it takes, and at random times: every question is answered, every record kept."""

from __future__ import annotations

import json
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from warm_edu import Ran, WarmEdu
from worlds import seen

from edu_cli.errors import EduError
from edu_cli.project import Project
from edu_cli.serve.client import reach

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long

NEW = "校车几点出发？"  # which the course does not answer: it becomes a pending question
QUESTIONS = (
    ("ask", "死锁的四个必要条件是什么？", "--session", "a", "--json"),
    ("ask", NEW, "--json"),
    ("search", "怎样减少死锁", "--json", "-k", "1"),
)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory, edu: WarmEdu) -> Iterator[WarmEdu]:
    """Runs that go on beside those of `edu`."""
    with WarmEdu(tmp_path_factory.mktemp("second"), cache=edu.cache) as warm:
        yield warm


@contextmanager
def served(warm: WarmEdu, project: Path, **disturbed: Any) -> Iterator[list[Ran]]:
    """`edu serve`, ready or dead already; how it ended stands in the list afterwards."""
    ended: list[Ran] = []
    thread = threading.Thread(target=lambda: ended.append(warm.run(project, "serve", "-q", limit_s=400, **disturbed)))
    thread.start()
    until = time.monotonic() + 120
    while not ended and time.monotonic() < until:
        try:
            reach(Project(project)).close()
            break
        except EduError:
            time.sleep(0.02)
    try:
        yield ended
    finally:
        with suppress(EduError):  # it is dead
            reach(Project(project)).call("stop")
        thread.join(400)


def asked(edu: WarmEdu, project: Path, *, may_fail: bool = False) -> list[tuple[Any, ...] | None]:
    """What the commands say, without times; None for one that failed with a sentence and a hint."""
    found: list[tuple[Any, ...] | None] = []
    for args in QUESTIONS:
        ran = edu.run(project, *args)
        value = json.loads(ran.out)
        if may_fail and ran.code == 1:
            assert value["error"]["code"] == "store", ran.err
            assert "hint: " in ran.err
            found.append(None)
            continue
        assert ran.code in (0, 4), ran.err
        found.append((ran.code, value.get("answer"), [hit["doc"] for hit in value.get("hits", [])]))
    return found


def kept(project: Path) -> tuple[Any, ...]:
    """The records, of which none stands there twice for a question that was asked again, and the conversation."""
    records = dict(seen(project))
    return records, records.pop("sessions")["a"]


def fresh(built: Path, project: Path) -> Path:
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(built, project)
    return project


@pytest.fixture
def whole(edu: WarmEdu, second: WarmEdu, built: Path, tmp_path: Path) -> tuple[Ran, Any, Any]:
    """How it goes undisturbed: the process, the answers, the records."""
    project = fresh(built, tmp_path / "p")
    with served(second, project) as ended:
        answers = asked(edu, project)
    assert ended[0].code == 0, ended[0].err
    return ended[0], answers, kept(project)


def _survives(
    edu: WarmEdu, second: WarmEdu, project: Path, whole: tuple[Ran, Any, Any], what: str, **disturbed: Any
) -> bool:
    with served(second, project, **disturbed) as ended:
        assert asked(edu, project) == whole[1], what
    records, turns = kept(project)
    assert records == whole[2][0], what
    # one that dies between keeping a turn and saying so leaves it there, and the command that answers keeps it too
    assert [turn for at, turn in enumerate(turns) if turn not in turns[:at]] == whole[2][1], what
    assert len(turns) <= len(whole[2][1]) + 1, what
    return ended[0].was_killed


def test_a_kill_at_any_step_of_the_warm_process_costs_time_only(
    edu: WarmEdu,
    second: WarmEdu,
    built: Path,
    whole: tuple[Ran, Any, Any],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    events: Sequence[str] = whole[0].events
    assert "after commit catalog.sqlite" in events
    n_killed = 0
    for step, event in enumerate(events, start=1):
        project = fresh(built, tmp_path / "p")
        n_killed += _survives(edu, second, project, whole, f"killed at step {step}, {event}", die_at=step)
    record_property("kills", n_killed)
    assert n_killed >= 0.8 * len(events)


def test_kills_of_the_warm_process_at_random_times_cost_time_only(
    edu: WarmEdu,
    second: WarmEdu,
    built: Path,
    whole: tuple[Ran, Any, Any],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    rng, n_killed = random.Random(1), 0
    for _ in range(15):
        after_s = rng.uniform(0.02, whole[0].seconds)
        project = fresh(built, tmp_path / "p")
        n_killed += _survives(edu, second, project, whole, f"killed after {after_s:.3f} s", die_after_s=after_s)
    record_property("kills", n_killed)
    assert n_killed >= 8, "most of them must have been killed for this to prove anything"


def test_a_warm_process_whose_disk_is_full_from_any_step_on_says_so_and_loses_nothing(
    edu: WarmEdu, second: WarmEdu, built: Path, whole: tuple[Ran, Any, Any], tmp_path: Path
) -> None:
    """It answers as always, or says that there is no room; with room again everything is kept."""
    for step, event in enumerate(whole[0].events, start=1):
        project, what = fresh(built, tmp_path / "p"), f"full from step {step}, {event}"
        with served(second, project, fails_at=step) as ended:
            said = asked(edu, project, may_fail=True)
        assert all(one in (None, true) for one, true in zip(said, whole[1], strict=True)), f"{what}: {said}"
        assert "Traceback" not in ended[0].err, f"{what}: {ended[0].err}"
        assert ended[0].code == 0 or "hint: " in ended[0].err, f"{what}: {ended[0].code}: {ended[0].err}"
        assert asked(edu, project) == whole[1], what
        assert kept(project)[0] == whole[2][0], what
