"""Questions -> the real pipeline's answers, each reduced at once to what the report needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from edu_cli.errors import ChatError, UsageError
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.resume import ResultCache
from edu_cli.protocols import Progress
from edu_cli.types import Answer, Scope

Ask = Callable[[Item], Answer]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer; None where the LLM failed, and why."""

    item: Item
    answer: Answer | None
    failure: str = ""

    @property
    def text(self) -> str:
        """The answer's text; a refusal and a failure answer nothing."""
        return "" if self.answer is None or self.answer.refused else self.answer.answer


@dataclass(frozen=True, slots=True)
class Failure:
    """A measure of one question that could not be computed; it counts as 0."""

    id: str
    measure: str
    reason: str


Measure = Callable[[Asked], tuple[dict[str, float], list[Failure]]]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What is kept of an answer. `failure` tells why there is none; its other fields are empty then."""

    text: str = ""
    failure: str = ""
    refused: bool = False
    route: str | None = None
    strategy: str | None = None
    mode: str | None = None
    confidence: float = 0.0
    values: Mapping[str, float] | None = None
    failures: Sequence[Mapping[str, str]] = ()
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Asking:
    """How a stage asks: `stage` names it for progress and cache, and an answer also depends on the item's scope."""

    stage: str
    ask: Ask
    measure: Measure
    scope_of: Callable[[Item], Scope]


def answer_rows(items: Sequence[Item], asking: Asking, cache: ResultCache, progress: Progress) -> list[AnswerRow]:
    """The rows in order. An LLM that fails and a question that cannot be asked fail their item only."""
    stage = asking.stage
    progress.start(stage, len(items))
    rows = []
    for item in items:
        key = (stage, repr(asking.scope_of(item)), repr(item))
        kept = cache.get(key, lambda item=item: asdict(_row(_asked(item, asking.ask), asking.measure)), keep=_is_whole)
        rows.append(AnswerRow(**kept))
        progress.advance(stage)
    return rows


def _is_whole(row: Mapping[str, Any]) -> bool:
    """A failure is not kept: `--resume` tries again what failed."""
    return not row["failure"] and not row["failures"]


def _asked(item: Item, ask: Ask) -> Asked:
    try:
        return Asked(item, ask(item))
    except (ChatError, UsageError) as error:
        return Asked(item, None, error.message)


def _row(asked: Asked, measure: Measure) -> AnswerRow:
    values, failures = measure(asked)
    kept: dict[str, Any] = {"values": values, "failures": [asdict(failure) for failure in failures]}
    answer = asked.answer
    if answer is None:
        return AnswerRow(failure=asked.failure, **kept)
    return AnswerRow(
        answer.answer,
        "",
        answer.refused,
        answer.route,
        answer.strategy,
        answer.mode,
        answer.confidence,
        calls=answer.llm.calls,
        prompt_tokens=answer.llm.prompt_tokens,
        completion_tokens=answer.llm.completion_tokens,
        seconds=answer.seconds,
        **kept,
    )
