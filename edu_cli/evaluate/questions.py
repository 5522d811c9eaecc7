"""One row a question: its figures, what was found, and what went wrong, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from edu_cli.evaluate.asking import AnswerRow
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.losses import MEANINGS, Loss
from edu_cli.evaluate.report import rounded
from edu_cli.evaluate.retrieval import Ranked

_POOR_F1 = 0.5  # an answer that shares less with every reference is pointed at
_SHOWN_ANSWER = ("text", "failure", "refused", "route", "strategy", "mode")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of each question, by id: the default search, the place of a loss within `k`, answer and plan.

    A confidence below `threshold` is a refusal.
    """

    ranked: Mapping[str, Ranked] = field(default_factory=dict)
    lost: Mapping[str, Loss] = field(default_factory=dict)
    answers: Mapping[str, AnswerRow] = field(default_factory=dict)
    routed: Mapping[str, AnswerRow] = field(default_factory=dict)
    k: int = 10
    threshold: float = 0.0


def question_rows(items: Sequence[Item], outcome: Outcome) -> list[dict[str, Any]]:
    """The rows, in the order of the data set."""
    return [_question_row(item, outcome) for item in items]


def _question_row(item: Item, outcome: Outcome) -> dict[str, Any]:
    one, answer = outcome.ranked.get(item.id), outcome.answers.get(item.id)
    found = one.found if one else (None,) * len(item.relevant)
    values = {**(one.values if one else {}), **((answer.values or {}) if answer else {}), **_routing(item, outcome)}
    row: dict[str, Any] = {
        "id": item.id,
        "question": item.question,
        "measures": {name: rounded(value) for name, value in values.items()},
        "confidence": rounded(one.confidence if one else answer.confidence if answer else None),
        "answerable": item.answerable,
        "tags": list(item.tags),
        "relevant": [
            {**{key: value for key, value in asdict(entry).items() if value is not None}, "found_at": place}
            for entry, place in zip(item.relevant, found, strict=True)
        ],
        "lost": outcome.lost.get(item.id),
        "wrong": [{"kind": kind, "text": text} for kind, text in _wrong(item, outcome)],
    }
    if one:
        row["hits"] = [{**asdict(hit), "section": list(hit.section), "score": rounded(hit.score)} for hit in one.hits]
    if answer:
        row["answer"] = {name: getattr(answer, name) for name in _SHOWN_ANSWER}
        row["reference"] = list(item.answers)
    return row


def _routing(item: Item, outcome: Outcome) -> dict[str, float]:
    """Whether route and strategy are those wanted, as 0 or 1."""
    row = outcome.routed.get(item.id)
    if row is None:
        return {}
    wanted = {"Route": (item.route, row.route), "Strategy": (item.strategy, row.strategy)}
    return {name: float(want == got and not row.failure) for name, (want, got) in wanted.items() if want}


def _wrong(item: Item, outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Kind and sentence of each thing that went wrong, in the order of the pipeline."""
    lost = outcome.lost.get(item.id)
    if lost:
        yield "lost", f"no relevant hit among the first {outcome.k} ({lost}): {MEANINGS[lost]}"
    routed = outcome.routed.get(item.id)
    if routed and not routed.failure:
        if item.route and routed.route != item.route:
            yield "route", f"it took the route {routed.route}; {item.route} was wanted"
        if item.strategy and routed.strategy != item.strategy:
            yield "strategy", f"it was planned as {routed.strategy or 'no search'}; {item.strategy} was wanted"
    answer, one = outcome.answers.get(item.id), outcome.ranked.get(item.id)
    if answer:
        yield from _wrong_answer(item, answer)
    elif one and not lost:
        yield from _wrong_confidence(item, one.confidence, outcome.threshold)


def _wrong_confidence(item: Item, confidence: float, threshold: float) -> Iterator[tuple[str, str]]:
    """What the pipeline would do, where it was not asked to."""
    if item.answerable is False and confidence >= threshold:
        yield "answered", f"it would be answered (confidence {confidence:.3f}), but the material does not answer it"
    if item.has_answer and confidence < threshold:
        yield "declined", f"it would be declined (confidence {confidence:.3f}), but the material answers it"


def _wrong_answer(item: Item, answer: AnswerRow) -> Iterator[tuple[str, str]]:
    if answer.failure:
        yield "failed", f"there is no answer: {answer.failure}"
        return
    if answer.refused:
        if item.has_answer:
            yield "declined", f"it was declined (confidence {answer.confidence:.3f}), but the material answers it"
        return
    if item.answerable is False:
        yield "answered", f"it was answered (confidence {answer.confidence:.3f}), but the material does not answer it"
    values = answer.values or {}
    if values.get("F1", 1.0) < _POOR_F1 and not values.get("Contains"):
        yield "reference", f"the answer has little of the reference (F1 {values['F1']:.2f})"
    if values.get("CitationPrecision") == 0:
        yield "citations", "none of its citations is of a relevant passage"
    if values.get("Faithfulness", 1.0) < 1:
        yield "claims", f"the cited material bears out {values['Faithfulness']:.0%} of its claims"
    yield from (("judge", f"the judge failed {failed['measure']}: {failed['reason']}") for failed in answer.failures)
