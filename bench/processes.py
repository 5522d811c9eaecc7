"""Commands as whole processes, timed; used by the scripts beside this file."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NOT_SURE = 4  # by which `edu` says that it is not confident of what it found: no failure


@dataclass(frozen=True)
class Spent:
    """What a process and its children took, and what it wrote to stdout."""

    wall_s: float
    cpu_s: float
    output: str


def spend(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    fine: Collection[int] = (0,),
) -> Spent:
    """Runs a command to its end; any exit code that is not `fine` ends the script with what stderr said last.

    Modules may be kept compiled, as they are for users, whatever PYTHONDONTWRITEBYTECODE says here.
    """
    env = {name: value for name, value in (env or os.environ).items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in fine:
        said = done.stderr.decode(errors="replace")[-2000:]
        raise SystemExit(f"{' '.join(map(str, command[:4]))} … ended with {done.returncode}:\n{said}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(wall, cpu, done.stdout.decode())
