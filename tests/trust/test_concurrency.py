"""Several at once: writers wait in line and name each other, readers never wait, stale locks hold nobody up."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_course import COURSE, write

from edu_cli.index.catalog import open_catalog

pytestmark = pytest.mark.slow
EDU = [sys.executable, "-m", "edu_cli"]


def _start(project: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*EDU, *args], cwd=project, stdout=-1, stderr=-1, text=True, encoding="utf-8")


def _texts(project: Path) -> list[str]:
    catalog = open_catalog(project / ".edu" / "catalog.sqlite")
    try:
        return [repr((parent.doc, parent.text)) for parent in catalog.export()]
    finally:
        catalog.close()


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "p")
    return tmp_path / "p"


def test_two_ingests_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    for name in ("together", "alone"):
        write(tmp_path / name / "course", COURSE)
    runs = [_start(tmp_path / "together", "ingest", "course") for _ in range(2)]
    codes = [run.wait(400) for run in runs]
    said = "".join(run.stderr.read() for run in runs if run.stderr)
    assert codes == [0, 0], said
    assert _start(tmp_path / "alone", "ingest", "course").wait(400) == 0
    assert _texts(tmp_path / "together") == _texts(tmp_path / "alone")


def test_eight_asks_beside_an_ingest_all_answer(project: Path) -> None:
    write(project / "course", {f"extra/{i}.md": f"# 第{i}讲\n\n内容之{i}，讲的是缓存。\n" for i in range(40)})
    ingest = _start(project, "ingest", "course")
    asks = [_start(project, "ask", "死锁的四个必要条件是什么？", "--json") for _ in range(8)]
    for ask in asks:
        out, err = ask.communicate(timeout=400)
        assert ask.returncode == 0, err
        assert json.loads(out)["citations"][0]["doc"] == "database/锁.md"
    assert ingest.wait(400) == 0


def test_xargs_runs_eight_asks_at_a_time(project: Path) -> None:
    command = f"seq 16 | xargs -P8 -I{{}} {sys.executable} -m edu_cli ask '死锁的四个必要条件是什么？ {{}}' --json"
    ran = subprocess.run(["sh", "-c", command], cwd=project, capture_output=True, text=True, timeout=400)
    assert ran.returncode in (0, 123), ran.stderr  # 123: one of them declined
    assert "locked" not in ran.stderr
    assert "busy" not in ran.stderr
    assert ran.stdout.count('"schema": 1') >= 16


def _held(project: Path) -> subprocess.Popen[str]:
    """A process that holds the project's lock as a writer does."""
    code = (
        "import sys, time; from pathlib import Path; from edu_cli.index.lock import writer_lock\n"
        "sys.argv = ['edu', 'ingest', '--password', 'secret']\n"
        f"with writer_lock(Path({str(project / '.edu' / 'lock')!r}), 5, print):\n"
        "    print('held', flush=True); time.sleep(1000)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=-1, text=True)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    return holder


def test_who_waits_in_vain_names_the_holder_and_exits_6(project: Path) -> None:
    holder = _held(project)
    try:
        for args in (("ingest", "course", "--force"), ("index", "--force"), ("docs", "remove", "*")):
            ran = subprocess.run(
                [*EDU, *args, "--lock-timeout", "0.5"], cwd=project, capture_output=True, text=True, timeout=300
            )
            assert ran.returncode == 6, ran.stderr
            assert f"PID {holder.pid}, edu ingest" in ran.stderr
            assert "secret" not in ran.stderr
            assert "--lock-timeout" in ran.stderr
        status = subprocess.run([*EDU, "status", "--json"], cwd=project, capture_output=True, text=True)
        assert f"PID {holder.pid}" in json.loads(status.stdout)["lock"]
        read = subprocess.run([*EDU, "search", "死锁", "--json"], cwd=project, capture_output=True, text=True)
        assert read.returncode in (0, 4), read.stderr
    finally:
        holder.kill()
        holder.wait()


def test_a_waiter_says_so_and_goes_on_when_the_holder_is_killed(project: Path) -> None:
    holder = _held(project)
    waiter = _start(project, "index", "--force", "--lock-timeout", "1000")
    assert waiter.stderr
    assert f"waiting for another edu to finish (PID {holder.pid}" in waiter.stderr.readline()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    _, err = waiter.communicate(timeout=300)
    assert waiter.returncode == 0, err


def test_a_lock_file_that_a_dead_process_left_holds_nobody_up(project: Path) -> None:
    (project / ".edu" / "lock").write_text("999999\nedu ingest\n")
    ran = subprocess.run([*EDU, "index", "--force", "--lock-timeout", "0"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("after_s", [0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5])
@pytest.mark.parametrize("args", [("ask", "死锁是什么？"), ("ingest", "course", "--force"), ("status",)])
def test_ctrl_c_at_any_moment_says_so_without_a_traceback(args: tuple[str, ...], after_s: float, project: Path) -> None:
    script = Path(sys.executable).with_name("edu")
    if not script.exists():
        pytest.skip("edu is not installed beside this Python")
    run = subprocess.Popen([script, *args], cwd=project, stdout=-1, stderr=-1, text=True, start_new_session=True)
    time.sleep(after_s)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=300)
    if "Traceback" in err and "edu_cli" not in err:
        return  # Python itself was starting, before any line of ours, and knows nothing better than a traceback
    assert run.returncode in (130, -signal.SIGINT, 0, 4), err
    assert "main()" not in err, err
    if run.returncode == 130:
        assert "Interrupted." in err
