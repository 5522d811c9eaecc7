"""`edu serve` as a process of its own: signals, kill -9 of either side, a socket that is left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from edu_runs import SETTINGS
from served import eventually, make_project
from test_server import SlowLlm

from edu_cli.project import Project

pytestmark = pytest.mark.slow


def start(project: Project, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "edu_cli", *args],
        cwd=project.root,
        env={**os.environ, **SETTINGS},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def finished(project: Project, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edu_cli", *args],
        cwd=project.root,
        env={**os.environ, **SETTINGS, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


@contextmanager
def serve(project: Project, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """`edu serve`, ready; it is killed at the end where it still runs."""
    process = start(project, "serve", "--json", *flags)
    assert process.stdout
    try:
        assert json.loads(process.stdout.readline())["running"] is True
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_killed_process_is_survived_and_replaced(project: Project) -> None:
    with serve(project) as first:
        assert "edu serve answers" in finished(project, "search", "括号匹配", "-v").stderr
        first.kill()
        first.wait()
    assert project.socket_path.exists()
    done = finished(project, "search", "括号匹配", "-v")
    assert done.returncode == 0
    assert "its socket is left over" in done.stderr
    with serve(project) as second:
        assert f"PID {second.pid}" in finished(project, "search", "括号匹配", "-v").stderr


def test_a_process_killed_in_a_request_costs_time_only(project: Project) -> None:
    llm = SlowLlm()
    env = {"OPENAI_BASE_URL": llm.url, "EDU_LLM_MODEL": "m"}
    words = ["ask", "压栈在哪里进行？", "--route", "rag", "--strategy", "direct", "--no-cache", "-v"]
    with serve(project) as process:
        asking = subprocess.Popen(
            [sys.executable, "-m", "edu_cli", *words],
            cwd=project.root,
            env={**os.environ, **SETTINGS, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert eventually(lambda: llm.n_asked == 1)
        process.kill()
        out, err = asking.communicate(timeout=60)
    llm.close()
    assert asking.returncode == 0, err
    assert "在栈顶进行" in out
    assert "this process answers by itself" in err


def test_a_stopped_process_is_not_waited_for(project: Project) -> None:
    with serve(project) as process:
        process.send_signal(signal.SIGSTOP)
        start_s = time.monotonic()
        done = finished(project, "search", "括号匹配", "-v")
        assert done.returncode == 0
        assert "does not answer" in done.stderr
        assert time.monotonic() - start_s < 30
        process.send_signal(signal.SIGCONT)
        assert "edu serve answers" in finished(project, "search", "括号匹配", "-v").stderr


def test_a_killed_command_leaves_nothing_behind(project: Project) -> None:
    llm = SlowLlm()
    env = {"OPENAI_BASE_URL": llm.url, "EDU_LLM_MODEL": "m"}
    with serve(project):
        for number in (signal.SIGKILL, signal.SIGINT):
            asking = subprocess.Popen(
                [sys.executable, "-m", "edu_cli", "ask", "压栈在哪里进行？", "--route", "rag", "--no-cache"],
                cwd=project.root,
                env={**os.environ, **SETTINGS, **env},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            before = llm.n_asked
            assert eventually(lambda before=before: llm.n_asked > before)
            asking.send_signal(number)
            asking.communicate()
            assert asking.returncode == (130 if number == signal.SIGINT else -number)

            def idle() -> bool:
                return json.loads(finished(project, "serve", "status", "--json").stdout)["active"] == 0

            assert eventually(idle)
    llm.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order(project: Project, number: int) -> None:
    with serve(project) as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert err.endswith("left: stopped\n")
    assert not project.socket_path.exists()


def test_stop_and_idle_exit_end_it(project: Project) -> None:
    with serve(project) as process:
        assert f"stopped (PID {process.pid})" in finished(project, "serve", "stop").stderr
        assert process.wait(60) == 0
    with serve(project, "--idle-exit", "0.01") as process:
        _, err = process.communicate(timeout=120)
    assert "left: idle" in err


def test_it_leaves_when_its_project_is_gone(tmp_path: Path) -> None:
    project = make_project(tmp_path / "here")
    with serve(project) as process:
        project.root.rename(tmp_path / "there")
        moved = Project(tmp_path / "there")
        assert "this process answers by itself" in finished(moved, "search", "括号匹配", "-v").stderr
        _, err = process.communicate(timeout=120)
    assert "left: the project is gone" in err


def test_without_a_project_it_says_what_to_run(tmp_path: Path) -> None:
    for verb in ("", "status", "stop"):
        done = finished(Project(tmp_path), *["serve", verb][: 1 + bool(verb)])
        assert done.returncode == 2
        assert "edu ingest" in done.stderr


def test_eight_commands_and_an_ingest_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "files" / "新.md").write_text("# 新\n\n新的一讲。\n", encoding="utf-8")
    with serve(project) as process:
        asking = [start(project, "search", "括号匹配", "--json") for _ in range(8)]
        ingesting = start(project, "ingest", "files", "--json")
        for one in (*asking, ingesting):
            out, err = one.communicate(timeout=120)
            assert one.returncode == 0, err
            assert "栈.md" in out or one is ingesting
        assert "新.md" in finished(project, "search", "新的一讲", "--json").stdout
        assert process.poll() is None
