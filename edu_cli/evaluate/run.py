"""A data set -> the report: the stages that it has labels for, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edu_cli.evaluate.dataset import Dataset
from edu_cli.evaluate.gate import Gate, bound_gates, drop_gates
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.losses import losses
from edu_cli.evaluate.report import (
    figures,
    gate_rows,
    head,
    latency_part,
    question_rows,
    refusal_part,
    retrieval_part,
)
from edu_cli.evaluate.retrieval import Mode, Ranked, RetrievalPlan, run_retrieval
from edu_cli.protocols import PassageSearch, Progress
from edu_cli.types import Scope


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the questions are asked of."""

    docs: Sequence[str]
    encoder: Mapping[str, Any] | None
    corpus_hash: str


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """What is measured and what must hold. The last of `modes` is the default search."""

    ks: tuple[int, ...]
    modes: tuple[Mode, ...]
    seed: int
    threshold: float
    bounds: Mapping[str, float] = field(default_factory=dict)
    baseline: Mapping[str, Any] | None = None
    max_drop: float = 0.0


@dataclass(frozen=True, slots=True)
class EvalResult:
    """The report, the default search's rankings for a TREC run, and the gates."""

    report: dict[str, Any]
    run: Sequence[Ranked]
    gates: Sequence[Gate]


def evaluate(
    dataset: Dataset,
    corpus: Corpus,
    searcher: PassageSearch,
    options: EvalOptions,
    scope_of: Callable[[Item], Scope],
    progress: Progress,
) -> EvalResult:
    """Retrieval over the data set, and the gates. Raises what the searcher raises."""
    plan = RetrievalPlan(options.ks, options.modes, scope_of)
    runs = run_retrieval(dataset.items, searcher, plan, progress)
    default = options.modes[-1].name
    run = runs[default]
    cut = 10 if 10 in options.ks else max(options.ks)
    report = head(dataset, corpus.encoder, corpus.corpus_hash, options.seed)
    report["retrieval"] = retrieval_part(runs, default, cut, corpus.docs, options.seed)
    refusal = refusal_part(run, options.threshold)
    if refusal:
        report["refusal"] = refusal
    report["latency"] = latency_part([one.seconds for one in run])
    report["per_question"] = question_rows(run, losses(runs, default, cut, corpus.docs))
    gates = _gates(report, options)
    if gates:
        report["gates"] = gate_rows(gates)
    return EvalResult(report, run, gates)


def _gates(report: Mapping[str, Any], options: EvalOptions) -> list[Gate]:
    gates = bound_gates(options.bounds, figures(report))
    if options.baseline is not None:
        names = list(options.baseline.get("retrieval", {}).get("measures", {}))
        gates += drop_gates(report, options.baseline, options.max_drop, names, options.seed)
    return gates
