"""Runs -> the report: one JSON value with means, intervals, slices, losses and every question's figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from edu_cli.evaluate.asking import AnswerRow
from edu_cli.evaluate.dataset import Dataset
from edu_cli.evaluate.gate import Gate
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.losses import MEANINGS, count_losses, losses
from edu_cli.evaluate.relevance import grain_of
from edu_cli.evaluate.retrieval import Ranked
from edu_cli.evaluate.statistics import Mean, auroc, means, percentile

RULES = (
    "a question with no result scores 0",
    "a question with no relevant entry is left out of retrieval means and counted as unjudged",
    "ranks are of distinct files, sections, pages or passages, whichever is the finest that a question's labels name; "
    "what was found once takes no second rank; a hit that fits several entries takes a rank for each",
    "routes and strategies are those that answers took, or those of the plan where no answers were asked for",
    "gains are linear in the grade, as in trec_eval",
    "low and high are a 95% bootstrap interval over the questions",
)
_DIGITS = 6


def head(dataset: Dataset, encoder: Mapping[str, Any] | None, corpus_hash: str, seed: int) -> dict[str, Any]:
    """What was measured on what."""
    return {
        "schema": 1,
        "dataset": dataset.name,
        "questions": len(dataset.items),
        "invalid": [asdict(bad) for bad in dataset.invalid],
        "warnings": list(dataset.warnings),
        "encoder": encoder,
        "corpus_hash": corpus_hash,
        "seed": seed,
        "rules": list(RULES),
    }


def retrieval_part(
    runs: Mapping[str, Sequence[Ranked]], default: str, k: int, docs: Collection[str], seed: int
) -> dict[str, Any]:
    """Means of the default search and of each mode, slices, and where questions were lost."""
    judged = _judged(runs[default])
    lost = losses(runs, default, k, docs)
    part: dict[str, Any] = {
        "judged": len(judged),
        "unjudged": len(runs[default]) - len(judged),
        "default": default,
        "measures": _means(judged, seed),
    }
    if len(runs) > 1:
        part["modes"] = {mode: _means(_judged(run), seed) for mode, run in runs.items()}
    part["slices"] = _slices(judged, seed)
    part["lost"] = {
        "k": k,
        "counts": count_losses(lost),
        "meanings": {place: MEANINGS[place] for place in count_losses(lost)},
        "questions": lost,
    }
    return part


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
        "recall": _rounded(refused / len(absent)),
        "precision": _rounded(refused / all_refused) if all_refused else None,
        "auroc": _rounded(auroc(present, absent)),
    }


def latency_part(seconds: Sequence[float]) -> dict[str, float]:
    """Seconds a question."""
    return {"p50": _rounded(percentile(seconds, 0.5)) or 0.0, "p95": _rounded(percentile(seconds, 0.95)) or 0.0}


def question_rows(
    items: Sequence[Item], ranked: Mapping[str, Ranked], lost: Mapping[str, str], answers: Mapping[str, AnswerRow]
) -> list[dict[str, Any]]:
    """One row a question, in the order of the data set."""
    return [_question_row(item, ranked.get(item.id), lost.get(item.id), answers.get(item.id)) for item in items]


def _question_row(item: Item, one: Ranked | None, lost: str | None, answer: AnswerRow | None) -> dict[str, Any]:
    found = one.found if one else (None,) * len(item.relevant)
    values = {**(one.values if one else {}), **((answer.values or {}) if answer else {})}
    row: dict[str, Any] = {
        "id": item.id,
        "question": item.question,
        "measures": {name: _rounded(value) for name, value in values.items()},
        "confidence": _rounded(one.confidence if one else answer.confidence if answer else None),
        "answerable": item.answerable,
        "tags": list(item.tags),
        "relevant": [
            {**{key: value for key, value in asdict(entry).items() if value is not None}, "found_at": place}
            for entry, place in zip(item.relevant, found, strict=True)
        ],
        "lost": lost,
    }
    if one:
        row["hits"] = [{**asdict(hit), "section": list(hit.section), "score": _rounded(hit.score)} for hit in one.hits]
    if answer:
        kept = ("text", "failure", "refused", "route", "strategy", "mode")
        row["answer"] = {name: getattr(answer, name) for name in kept}
        row["reference"] = list(item.answers)
    return row


def gate_rows(gates: Sequence[Gate]) -> list[dict[str, Any]]:
    """The gates as they stand in the report."""
    return [
        {**asdict(gate), "wanted": _rounded(gate.wanted), "got": _rounded(gate.got), "p": _rounded(gate.p)}
        for gate in gates
    ]


def figures(report: Mapping[str, Any]) -> dict[str, float | None]:
    """Every figure that a gate can name: `nDCG@10`, `bm25.nDCG@10`, `tag:fee.nDCG@10`, `refusal.auroc`, …"""
    found: dict[str, float | None] = {}
    retrieval = report.get("retrieval", {})
    for prefix, table in (("", {"": retrieval}), ("", retrieval.get("slices", {}))):
        for name, part in table.items():
            for measure, mean in part.get("measures", {}).items():
                found[f"{prefix}{name}.{measure}".lstrip(".")] = mean["mean"]
    for mode, measures in retrieval.get("modes", {}).items():
        found.update({f"{mode}.{measure}": mean["mean"] for measure, mean in measures.items()})
    for section in ("routing", "generation", "refusal", "calibration", "latency"):
        found.update(_numbers(section, report.get(section, {})))
    return found


def _numbers(prefix: str, value: Any) -> dict[str, float | None]:
    if isinstance(value, Mapping):
        if "mean" in value:
            return {prefix.replace(".measures.", "."): value["mean"]}
        parts = [_numbers(f"{prefix}.{key}", inner) for key, inner in value.items()]
        return {name: number for part in parts for name, number in part.items()}
    is_number = value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    return {prefix: value} if is_number else {}


def _slices(judged: Sequence[Ranked], seed: int) -> dict[str, Any]:
    found: dict[str, list[Ranked]] = {}
    for one in judged:
        names = [f"tag:{tag}" for tag in one.item.tags] + [f"grain:{grain_of(one.item)}"]
        names += [f"subject:{one.item.subject}"] if one.item.subject else []
        for name in names:
            found.setdefault(name, []).append(one)
    return {name: {"n": len(part), "measures": _means(part, seed)} for name, part in sorted(found.items())}


def _judged(run: Sequence[Ranked]) -> list[Ranked]:
    return [one for one in run if one.judged is not None]


def _means(run: Sequence[Ranked], seed: int) -> dict[str, dict[str, float | None]]:
    return {name: mean_row(mean) for name, mean in means([one.values for one in run], seed).items()}


def mean_row(mean: Mean) -> dict[str, float | None]:
    """A mean as it stands in the report."""
    return {"mean": _rounded(mean.mean), "low": _rounded(mean.low), "high": _rounded(mean.high)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), _DIGITS)
