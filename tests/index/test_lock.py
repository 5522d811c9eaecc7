from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edu_cli.errors import LockedError, StoreError
from edu_cli.index.lock import holder, patiently, writer_lock

_HOLD = """
import sys, time
from pathlib import Path
from edu_cli.index.lock import writer_lock
sys.argv = ["edu", "ingest", "--password", "geheim"]
with writer_lock(Path({path!r}), 0, print):
    print("held", flush=True)
    time.sleep({seconds})
"""


def _holder_process(path: Path, seconds: float = 60) -> subprocess.Popen[str]:
    code = _HOLD.format(path=str(path), seconds=seconds)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    (tmp_path / ".edu").mkdir()
    return tmp_path / ".edu" / "lock"


def test_the_holder_is_named_by_pid_and_command_without_its_secrets(lock: Path) -> None:
    process = _holder_process(lock)
    try:
        with pytest.raises(LockedError) as told, writer_lock(lock, 0, print):
            pass
        assert f"PID {process.pid}, edu ingest" in told.value.message
        assert "geheim" not in lock.read_text()
        assert holder(lock) == f"PID {process.pid}, edu ingest"
    finally:
        process.kill()
        process.wait()


def test_a_killed_holder_leaves_the_lock_free(lock: Path) -> None:
    process = _holder_process(lock)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert holder(lock) is None
    with writer_lock(lock, 0, print):
        assert lock.read_text().startswith(f"{os.getpid()}\n")
    assert lock.read_text() == ""


def test_a_waiter_says_so_once_and_gets_it_in_the_end(lock: Path) -> None:
    process = _holder_process(lock, seconds=0.5)
    told: list[str] = []
    with writer_lock(lock, 10, told.append):
        assert len(told) == 1
        assert "waiting for another edu" in told[0]
    process.wait()


def test_a_lock_that_cannot_be_written_is_named(lock: Path) -> None:
    lock.mkdir()
    with pytest.raises(StoreError, match="lock cannot be written") as told, writer_lock(lock, 0, print):
        pass
    assert "remove the folder" in told.value.hint


def test_an_error_of_the_holder_frees_the_lock(lock: Path) -> None:
    with pytest.raises(ValueError, match="x"), writer_lock(lock, 0, print):
        raise ValueError("x")
    assert holder(lock) is None


def test_patience_ends_after_its_time_and_passes_other_errors_on() -> None:
    tries = iter([LockedError("held"), LockedError("held"), None])

    def open_it() -> str:
        error = next(tries)
        if error:
            raise error
        return "open"

    told: list[str] = []
    assert patiently(open_it, 5, told.append) == "open"
    assert told == ["waiting: held"]

    def never() -> str:
        raise LockedError("held")

    start = time.monotonic()
    with pytest.raises(LockedError):
        patiently(never, 0.3, told.append)
    assert time.monotonic() - start < 2
