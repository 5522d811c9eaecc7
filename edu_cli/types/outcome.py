"""How a question ended, in short: apart from the other records, since `edu status` needs no more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a trace tells in short: how a question ended, how long it took (seconds), and what it cost."""

    route: str
    mode: str
    refused: bool
    failed: bool
    seconds: float
    calls: int
    tokens: int
