"""What the warm process knows of itself: for `edu serve status`, and for when to leave."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edu_cli.types.spread import Spread, spread_of

_REMEMBERED = 1000  # requests whose times make the percentiles


class Tally:
    """Counts and times of requests; safe in threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started = datetime.now(UTC)
        self._counts: Counter[str] = Counter()
        self._errors = 0
        self._active = 0
        self._last = time.monotonic()
        self._seconds: dict[str, deque[float]] = {}

    def begin(self) -> None:
        """A request has come."""
        with self._lock:
            self._active += 1

    def end(self, op: str, seconds: float, *, failed: bool) -> None:
        """It was answered, or failed."""
        with self._lock:
            self._active -= 1
            self._last = time.monotonic()
            self._counts[op] += 1
            self._errors += failed
            self._seconds.setdefault(op, deque(maxlen=_REMEMBERED)).append(seconds)

    @property
    def active(self) -> int:
        """Requests being worked on."""
        with self._lock:
            return self._active

    @property
    def idle_s(self) -> float:
        """Seconds since the last request ended; 0 while one is worked on."""
        with self._lock:
            return 0.0 if self._active else time.monotonic() - self._last

    def facts(self) -> dict[str, Any]:
        """All of it as plain values; times in seconds, of the last 1,000 requests of a kind."""
        with self._lock:
            return {
                "started": self._started.isoformat(timespec="seconds"),
                "requests": dict(self._counts),
                "errors": self._errors,
                "active": self._active,
                "seconds": {op: _rounded(spread_of(times)) for op, times in self._seconds.items()},
                "rss_mb": _resident_mb(),
                "files": _open_files(),
            }


def _rounded(spread: Spread) -> dict[str, float]:
    return {name: round(seconds, 6) for name, seconds in spread._asdict().items()}


def _resident_mb() -> float | None:
    """Memory held now; None where the system has no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def _open_files() -> int | None:
    for folder in ("/proc/self/fd", "/dev/fd"):
        if Path(folder).is_dir():
            return sum(1 for _ in Path(folder).iterdir())
    return None
