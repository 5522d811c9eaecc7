"""How many threads of arithmetic this process may keep busy."""

from __future__ import annotations

import os
from pathlib import Path

_TOPOLOGY = Path("/sys/devices/system/cpu")


def physical_cores() -> int:
    """Cores that this process may run on, two threads of one core counted once where the system tells (Linux)."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    allowed = os.sched_getaffinity(0)
    try:
        siblings = {(_TOPOLOGY / f"cpu{n}/topology/thread_siblings_list").read_text("ascii") for n in allowed}
    except (OSError, ValueError):
        return len(allowed)
    return max(1, len(siblings))
