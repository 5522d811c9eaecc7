"""How good the answers are: against references, their citations, their refusals, their cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from edu_cli.ask.verification.verify import judge as judge_claims
from edu_cli.evaluate.answers import answer_measures
from edu_cli.evaluate.asking import AnswerRow, Asked, Failure, Measure
from edu_cli.evaluate.items import Item, Relevant
from edu_cli.evaluate.judge import Judge
from edu_cli.evaluate.relevance import fits_entry
from edu_cli.evaluate.report import mean_row
from edu_cli.evaluate.statistics import means
from edu_cli.types import Answer, Citation, Passage

_DIGITS = 6
_SUPPORT = {"supported": 1.0, "weak": 0.5, "unsupported": 0.0}


def answer_values(asked: Asked) -> dict[str, float]:
    """The measures that this question has labels for; an answerable question that was refused scores 0 in them."""
    values: dict[str, float] = {}
    if asked.item.answers:
        values.update(answer_measures(asked.text, asked.item.answers))
    if asked.answer is None or not asked.text:
        return values
    if asked.answer.citations and any(entry.grade > 0 for entry in asked.item.relevant):
        values.update(citation_measures(asked.answer, asked.item.relevant))
    faithful = faithfulness(asked.answer)
    if faithful is not None:
        values["Faithfulness"] = faithful
    return values


def citation_measures(answer: Answer, relevant: Sequence[Relevant]) -> dict[str, float]:
    """Share of the citations that are of something relevant, and of what is relevant that is cited.

    The accuracy is the share of the citations whose passage bears out their claim; weak support counts half.
    """
    entries = [entry for entry in relevant if entry.grade > 0]
    cited = [_passage_of(citation, answer.passages) for citation in answer.citations]
    fits = [[p is not None and fits_entry(p, entry) for entry in entries] for p in cited]
    return {
        "CitationPrecision": sum(any(row) for row in fits) / len(fits),
        "CitationRecall": sum(any(column) for column in zip(*fits, strict=True)) / len(entries),
        "CitationAccuracy": sum(_SUPPORT[c.support] for c in answer.citations) / len(answer.citations),
    }


def faithfulness(answer: Answer) -> float | None:
    """Share of the claims that the passages bear out, by `edu`'s own verifier; None for what claims nothing."""
    if not answer.passages:
        return None
    levels = [judged.level for judged in judge_claims(answer.answer, answer.passages) if judged.level is not None]
    return sum(_SUPPORT[level] for level in levels) / len(levels) if levels else None


def measure_answer(judge: Judge | None) -> Measure:
    """What is measured of each answer; the judge's measures come with one."""

    def measure(asked: Asked) -> tuple[dict[str, float], list[Failure]]:
        judged, failures = judge.judge(asked) if judge else ({}, [])
        return {**answer_values(asked), **judged}, failures

    return measure


def generation_part(items: Sequence[Item], rows: Sequence[AnswerRow], seed: int) -> dict[str, Any]:
    """Means of every measure over the questions that have it, and what the answers cost.

    A measure that the judge failed counts as 0 in its mean; `scored` is the mean without these.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.values or {}))
    failed = [failure for row in rows for failure in row.failures]
    return {
        "questions": len(rows),
        "measures": {name: _mean_of(name, rows, seed) for name in names},
        "cost": cost_part(rows),
        "failures": [
            {"id": item.id, "reason": row.failure} for item, row in zip(items, rows, strict=True) if row.failure
        ],
        "judge_failures": failed,
    }


def _mean_of(name: str, rows: Sequence[AnswerRow], seed: int) -> dict[str, Any]:
    values = [row.values[name] for row in rows if row.values and name in row.values]
    scored = [
        row.values[name]
        for row in rows
        if row.values and name in row.values and all(failure["measure"] != name for failure in row.failures)
    ]
    mean = means([{name: value} for value in values], seed)[name]
    found: dict[str, Any] = {**mean_row(mean), "n": mean.n}
    if len(scored) < len(values):
        found["scored"] = {"n": len(scored), "mean": round(sum(scored) / len(scored), _DIGITS) if scored else None}
    return found


def answer_refusals(items: Sequence[Item], rows: Sequence[AnswerRow]) -> dict[str, Any] | None:
    """How refusals fit the label `answerable`; None without unanswerable questions."""
    labelled = [
        (item, row) for item, row in zip(items, rows, strict=True) if item.has_answer is not None and not row.failure
    ]
    absent = [row.refused for item, row in labelled if not item.has_answer]
    present = [row.refused for item, row in labelled if item.has_answer]
    if not absent:
        return None
    refused = sum(absent) + sum(present)
    return {
        "unanswerable": len(absent),
        "recall": round(sum(absent) / len(absent), _DIGITS),
        "precision": round(sum(absent) / refused, _DIGITS) if refused else None,
        "answered_of_answerable": _share([not value for value in present]),
    }


def cost_part(rows: Sequence[AnswerRow]) -> dict[str, Any]:
    """Answers by mode and route, calls and tokens a route, and the share answered without an LLM."""
    answered = [row for row in rows if not row.failure]
    routes: dict[str, dict[str, int]] = {}
    for answer in answered:
        row = routes.setdefault(str(answer.route), {"n": 0, "calls": 0, "prompt_tokens": 0, "completion_tokens": 0})
        row["n"] += 1
        row["calls"] += answer.calls
        row["prompt_tokens"] += answer.prompt_tokens
        row["completion_tokens"] += answer.completion_tokens
    return {
        "modes": dict(sorted(Counter(str(row.mode) for row in answered).items())),
        "routes": dict(sorted(routes.items())),
        "without_llm": _share([row.calls == 0 for row in answered]),
    }


def _share(flags: Sequence[bool]) -> float | None:
    return round(sum(flags) / len(flags), _DIGITS) if flags else None


def _passage_of(citation: Citation, passages: Sequence[Passage]) -> Passage | None:
    return passages[citation.n - 1] if 1 <= citation.n <= len(passages) else None
