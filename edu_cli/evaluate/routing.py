"""How well the pipeline chooses route and strategy, against the labels of the data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from edu_cli.evaluate.asking import AnswerRow
from edu_cli.evaluate.classes import classification
from edu_cli.evaluate.items import Item

_FAILED = "(failed)"
_NONE = "(none)"


def routing_part(items: Sequence[Item], rows: Sequence[AnswerRow], *, of: Literal["answers", "plan"]) -> dict[str, Any]:
    """Accuracy, classes and confusion of `route` and `strategy`; {} without labels.

    `of` tells what was compared: the routes that answers took, or the plan before any search. `course_to_general`
    counts course questions that were sent away from the material: the costly mistake.
    """
    pairs = list(zip(items, rows, strict=True))
    routes = [(item.route, _FAILED if row.failure else row.route or _NONE) for item, row in pairs if item.route]
    strategies = [
        (item.strategy, _FAILED if row.failure else row.strategy or _NONE) for item, row in pairs if item.strategy
    ]
    part: dict[str, Any] = {}
    if routes:
        sent_away = sum(wanted == "rag" and got == "general" for wanted, got in routes)
        part["route"] = {"of": of, **classification(routes), "course_to_general": sent_away}
    if strategies:
        part["strategy"] = {"of": of, **classification(strategies)}
    return part
