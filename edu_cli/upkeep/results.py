"""What a check found, as data: one line, and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from edu_cli.errors import EduError, LockedError

Status = Literal["pass", "warn", "fail"]
_ORDER: tuple[Status, ...] = ("pass", "warn", "fail")
FIX = "edu doctor --fix"
TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check. `fix` is the command or the change that mends it; `mendable` says that `edu doctor --fix` does it."""

    name: str
    status: Status
    message: str
    fix: str = ""
    mendable: bool = False


def guarded(name: str, check: Callable[[], CheckResult]) -> CheckResult:
    """What `check` found; a failure on the way is a finding as well: a warning where others hold what it needs."""
    try:
        return check()
    except LockedError as error:
        return CheckResult(name, "warn", f"not checked: {error.message}", error.hint)
    except EduError as error:
        return CheckResult(name, "fail", error.message, error.hint)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        return CheckResult(name, "fail", f"{what}{error.strerror or error}", "check that you may read and write there")


def worst(results: Iterable[CheckResult]) -> Status:
    """The worst status among the results; "pass" for none."""
    return _ORDER[max((_ORDER.index(result.status) for result in results), default=0)]


def mendable(name: str, status: Status, message: str) -> CheckResult:
    """A finding that `edu doctor --fix` mends."""
    return CheckResult(name, status, message, FIX, mendable=True)
