"""Runs -> the report: one JSON value with means, intervals, slices, grains and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from edu_cli.evaluate.asking import AnswerRow
from edu_cli.evaluate.gate import Gate
from edu_cli.evaluate.items import Dataset, Item
from edu_cli.evaluate.losses import MEANINGS, Loss, count_losses
from edu_cli.evaluate.measures import measure
from edu_cli.evaluate.relevance import GRAINS
from edu_cli.evaluate.retrieval import RERANKED, Ranked
from edu_cli.evaluate.statistics import Mean, auroc, means
from edu_cli.evaluate.strategies import StrategyRun
from edu_cli.types.spread import spread_of

RULES = (
    "a question with no result scores 0",
    "a question with no relevant entry is left out of retrieval means and counted as unjudged",
    "ranks are of distinct files, sections, pages or passages, whichever is the finest that a question's labels name; "
    "what was found once takes no second rank; a hit that fits several entries takes a rank for each",
    "a grain's figures are of the questions all of whose labels name as much, judged by that much of them",
    "routes and strategies are those that answers took, or those of the plan where no answers were asked for",
    "gains are linear in the grade, as in trec_eval",
    "a measure that the judge failed counts as 0, and so does an answerable question that was refused",
    "low and high are a 95% bootstrap interval over the questions",
)
_DIGITS = 6


def head(
    dataset: Dataset,
    encoder: Mapping[str, Any] | None,
    corpus_hash: str,
    seed: int,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """What was measured on what; `settings` are those that differ from their defaults."""
    found: dict[str, Any] = {
        "schema": 1,
        "dataset": dataset.name,
        "questions": len(dataset.items),
        "invalid": [asdict(bad) for bad in dataset.invalid],
        "warnings": list(dataset.warnings),
        "encoder": encoder,
        "corpus_hash": corpus_hash,
        "settings": dict(settings),
        "seed": seed,
        "rules": list(RULES),
    }
    if dataset.drawn_from is not None:
        found["drawn_from"] = dataset.drawn_from
    return found


def retrieval_part(
    runs: Mapping[str, Sequence[Ranked]],
    default: str,
    k: int,
    ks: Sequence[int],
    legs: Sequence[str],
    lost: Mapping[str, Loss],
    seed: int,
) -> dict[str, Any]:
    """Means of the default search and of each mode, grains, and where questions were lost.

    `legs` are those that this corpus could be searched by.
    """
    judged = judged_of(runs[default])
    part: dict[str, Any] = {
        "judged": len(judged),
        "unjudged": len(runs[default]) - len(judged),
        "default": default,
        "reranked": any(one.reranked for one in runs[default]),
        "measures": means_of(judged, seed),
    }
    if len(runs) > 1:
        part["modes"] = {mode: means_of(judged_of(run), seed) for mode, run in runs.items()}
    notes = _notes(runs[default], default)
    if notes:
        part["notes"] = notes
    part["grains"] = _grains(judged, ks, seed)
    part["found_by"] = _found_by(judged, legs)
    part["lost"] = {
        "k": k,
        "counts": count_losses(lost),
        "meanings": {place: MEANINGS[place] for place in count_losses(lost)},
        "questions": dict(lost),
    }
    return part


def strategies_part(runs: Mapping[str, StrategyRun], seed: int) -> dict[str, Any]:
    """Means by strategy; `rewritten` counts the questions that it had more to search for than as they stand."""
    return {
        name: {"missing": one.missing}
        if one.missing
        else {"n": len(one.run), "rewritten": one.rewritten, "measures": means_of(one.run, seed)}
        for name, one in runs.items()
    }


def slices_part(judged: Sequence[Ranked], subjects: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Means by tag and by subject."""
    found: dict[str, list[Ranked]] = {}
    for one in judged:
        for name in _slices_of(one.item, subjects):
            found.setdefault(name, []).append(one)
    return {name: {"n": len(part), "measures": means_of(part, seed)} for name, part in sorted(found.items())}


def slice_names(items: Sequence[Item], subjects: Mapping[str, str]) -> list[str]:
    """The slices that a report on these questions may have."""
    return sorted({name for item in items for name in _slices_of(item, subjects)})


def _slices_of(item: Item, subjects: Mapping[str, str]) -> list[str]:
    """Its tags, and its subject: its own, else that of all its relevant documents; `subjects` are those by document."""
    wanted = {item.subject} if item.subject else {subjects.get(entry.doc or "") for entry in item.relevant}
    subject = next(iter(wanted)) if len(wanted) == 1 else None
    return [*(f"tag:{tag}" for tag in dict.fromkeys(item.tags)), *([f"subject:{subject}"] if subject else [])]


def refusal_part(run: Sequence[Ranked], threshold: float) -> dict[str, Any] | None:
    """How well the confidence tells unanswerable questions from others; None without unanswerable ones.

    A refusal is a confidence below the threshold.
    """
    absent = [one.confidence for one in run if one.item.answerable is False]
    present = [one.confidence for one in run if one.item.answerable is not False and one.judged is not None]
    if not absent:
        return None
    refused = sum(value < threshold for value in absent)
    all_refused = refused + sum(value < threshold for value in present)
    return {
        "answerable": len(present),
        "unanswerable": len(absent),
        "threshold": threshold,
        "recall": rounded(refused / len(absent)),
        "precision": rounded(refused / all_refused) if all_refused else None,
        "auroc": rounded(auroc(present, absent)),
    }


def latency_part(searches: Sequence[float] | None, answers: Sequence[AnswerRow] | None) -> dict[str, Any]:
    """Seconds a question: of the answers (else the searches), and of each stage and route."""
    part: dict[str, Any] = {}
    if searches is not None:
        part["search"] = _percentiles(searches)
    if answers is not None:
        answered = [row for row in answers if not row.failure]
        part["answer"] = _percentiles([row.seconds for row in answered])
        routes = sorted({str(row.route) for row in answered})
        part["routes"] = {
            route: _percentiles([row.seconds for row in answered if str(row.route) == route]) for route in routes
        }
    whole = part.get("answer") or part.get("search")
    return {**whole, **part} if whole else part


def gate_rows(gates: Sequence[Gate]) -> list[dict[str, Any]]:
    """The gates as they stand in the report."""
    return [
        {**asdict(gate), "wanted": rounded(gate.wanted), "got": rounded(gate.got), "p": rounded(gate.p)}
        for gate in gates
    ]


def means_of(run: Sequence[Ranked], seed: int) -> dict[str, dict[str, float | None]]:
    """Every measure's mean as it stands in the report."""
    return {name: mean_row(mean) for name, mean in means([one.values for one in run], seed).items()}


def mean_row(mean: Mean) -> dict[str, float | None]:
    """A mean as it stands in the report."""
    return {"mean": rounded(mean.mean), "low": rounded(mean.low), "high": rounded(mean.high)}


def judged_of(run: Sequence[Ranked]) -> list[Ranked]:
    """Those with labels."""
    return [one for one in run if one.judged is not None]


def rounded(value: float | None) -> float | None:
    """To the digits that reports carry, so that the last bits of a sum do not show."""
    return None if value is None else round(float(value), _DIGITS)


def _notes(run: Sequence[Ranked], default: str) -> list[str]:
    if default == RERANKED.name and run and not any(one.reranked for one in run):
        return [f"{default} is hybrid here: no reranker is configured"]
    return []


def _grains(judged: Sequence[Ranked], ks: Sequence[int], seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for grain in GRAINS:
        values = [measure(one.grains[grain], ks) for one in judged if grain in one.grains]
        if values:
            rows = {name: mean_row(mean) for name, mean in means(values, seed).items()}
            found[grain] = {"n": len(values), "measures": rows}
    return found


def _found_by(judged: Sequence[Ranked], legs: Sequence[str]) -> dict[str, float | None]:
    """Of the questions with a relevant hit, the share whose first one stood in each leg's own ranking."""
    found = [one for one in judged if one.found_by]
    return {leg: rounded(sum(leg in one.found_by for one in found) / len(found)) for leg in legs} if found else {}


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    return {name: round(value, _DIGITS) for name, value in spread_of(seconds)._asdict().items()}
