"""Traces -> what answered how much of what was asked, at which cost and in what time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edu_cli.types.spread import spread_of

if TYPE_CHECKING:
    from edu_cli.types import Outcome

# The order in which they are shown: the cheapest first.
_NAMES = {"template": "template", "cached": "cache", "faq": "faq", "extractive": "extractive", "generated": "llm"}
KINDS = (*_NAMES.values(), "declined", "failed")


@dataclass(frozen=True, slots=True)
class Usage:
    """The answers of one route that one thing gave; `share` is of all answers, times are seconds."""

    route: str
    by: str
    answers: int
    share: float
    calls: int
    tokens: int
    p50: float
    p95: float


def usage(outcomes: Sequence[Outcome]) -> tuple[Usage, ...]:
    """By route and by what answered, the cheapest first; a refusal is `declined`, an LLM's failure `failed`."""
    groups: dict[tuple[int, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[KINDS.index(answered_by(outcome)), outcome.route].append(outcome)
    return tuple(
        Usage(
            route,
            KINDS[kind],
            len(group),
            round(len(group) / len(outcomes), 4),
            sum(o.calls for o in group),
            sum(o.tokens for o in group),
            *spread_of([o.seconds for o in group]),
        )
        for (kind, route), group in sorted(groups.items())
    )


def answered_by(outcome: Outcome) -> str:
    """One of KINDS."""
    if outcome.failed or outcome.refused:
        return "failed" if outcome.failed else "declined"
    return _NAMES.get(outcome.mode, "template")
