"""Runs of `edu` that cost milliseconds, each in a process of its own that may be killed.

One process imports the program once and forks a child a run: what is imported but not started (no thread, no model, no
gRPC) survives a fork. The child can be told to die at the n-th change that it makes to files, or at a named step.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OUTPUTS = ("out", "err", "log")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: `code` is negative for a signal, `events` are the changes to files that it made (or tried)."""

    code: int
    out: str
    err: str
    events: tuple[str, ...]
    seconds: float

    @property
    def n_wanting(self) -> int:
        """How many calls of the system wanted room on the disk, where `room_ends_at` was given."""
        return next((int(event.split()[1]) for event in self.events if event.startswith("wanted ")), 0)

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL


class WarmEdu:
    """The client side; use as a context manager. Two that share a `cache` count as the same surroundings."""

    def __init__(self, work: Path, *, cache: Path | None = None, full_disk: Path | None = None) -> None:
        self._work = work
        self._full_disk = full_disk  # full_disk.c as a library
        self.cache = cache or work / "cache"  # models; vectors stand in the project's own cache
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> WarmEdu:
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("EDU_", "OPENAI_"))}
        environ["XDG_CACHE_HOME"] = str(self.cache)
        if self._full_disk:
            environ["LD_PRELOAD"] = str(self._full_disk)
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_child.py")), str(self._work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environ,
        )
        assert self._answer() == "ready"
        return self

    def __exit__(self, *_: object) -> None:
        process = self._started()
        if process.stdin:
            process.stdin.close()
        process.wait(30)

    def run(
        self,
        cwd: Path,
        *args: str,
        env: Mapping[str, str] | None = None,
        die_at: int | None = None,
        die_by: int = signal.SIGKILL,
        die_after_s: float | None = None,
        fails_at: int | None = None,
        room_ends_at: int | None = None,
        refusal: int = errno.ENOSPC,
        most_bytes: int | None = None,
        uid: int | None = None,
        limit_s: float = 300.0,
    ) -> Ran:
        """`edu ARGS` in `cwd`. It is sent `die_by` at its `die_at`-th change to files, or killed `die_after_s`; change
        `fails_at` and all after it fail for want of room instead; no file grows past `most_bytes`.

        With `full_disk`, the system call `room_ends_at` of those that want room fails with the error `refusal`, and all
        after it; 0 only counts them.
        """
        wish = {
            "cwd": str(cwd), "args": args, "env": dict(env or {}), "die_at": die_at, "die_by": die_by,
            "die_after_s": die_after_s,
            "fails_at": fails_at, "room_ends_at": room_ends_at, "refusal": refusal,
            "most_bytes": most_bytes, "uid": uid, "limit_s": limit_s,
        }  # fmt: skip
        process = self._started()
        assert process.stdin
        process.stdin.write(json.dumps(wish) + "\n")
        process.stdin.flush()
        told = json.loads(self._answer())
        out, err, log = (Path(self._work, name).read_bytes().decode("utf-8", "replace") for name in OUTPUTS)
        return Ran(told["code"], out, err, tuple(log.splitlines()), told["seconds"])

    def _answer(self) -> str:
        process = self._started()
        assert process.stdout
        return process.stdout.readline().strip()

    def _started(self) -> subprocess.Popen[str]:
        assert self._process, "WarmEdu is a context manager"
        return self._process
