"""A data set -> the report: the stages that it has labels for, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from edu_cli.evaluate.asking import AnswerRow, Ask, Measure, answer_rows
from edu_cli.evaluate.calibration import calibrate, pairs_of, reliability
from edu_cli.evaluate.dataset import Dataset
from edu_cli.evaluate.gate import Gate, bound_gates, drop_gates
from edu_cli.evaluate.generation import answer_refusals, generation_part
from edu_cli.evaluate.items import Item
from edu_cli.evaluate.losses import losses
from edu_cli.evaluate.relevance import is_judged
from edu_cli.evaluate.report import (
    figures,
    gate_rows,
    head,
    latency_part,
    question_rows,
    refusal_part,
    retrieval_part,
)
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import Mode, Ranked, RetrievalPlan, run_retrieval
from edu_cli.evaluate.routing import routing_part
from edu_cli.protocols import PassageSearch, Progress
from edu_cli.types import Scope

Stage = Literal["routing", "retrieval", "generation"]
STAGES: tuple[Stage, ...] = ("routing", "retrieval", "generation")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the questions are asked of; `docs` are the ids of its documents by path."""

    docs: Mapping[str, str]
    encoder: Mapping[str, Any] | None
    corpus_hash: str


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """What is measured and what must hold. The last of `modes` is the default search; no stages: all with labels.

    An answer is drawn from the first `passages` hits, so that the confidence is right where one of them fits.
    """

    ks: tuple[int, ...]
    modes: tuple[Mode, ...]
    seed: int
    threshold: float
    stages: tuple[Stage, ...] = ()
    bounds: Mapping[str, float] = field(default_factory=dict)
    baseline: Mapping[str, Any] | None = None
    max_drop: float = 0.0
    passages: int = 5
    calibrate: bool = False


@dataclass(frozen=True, slots=True)
class EvalTools:
    """What is measured: `route` asks with a plan only, `ask` goes the whole way, `measure` scores its answers."""

    searcher: PassageSearch
    route: Ask
    ask: Ask
    measure: Measure
    scope_of: Callable[[Item], Scope]
    cache: ResultCache
    progress: Progress


@dataclass(frozen=True, slots=True)
class EvalResult:
    """The report, the default search's rankings for a TREC run, and the gates."""

    report: dict[str, Any]
    run: Sequence[Ranked]
    gates: Sequence[Gate]


def evaluate(dataset: Dataset, corpus: Corpus, options: EvalOptions, tools: EvalTools) -> EvalResult:
    """Runs the stages and the gates. Raises what the searcher raises."""
    items = dataset.items
    stages = options.stages or stages_with_labels(items)
    report = head(dataset, corpus.encoder, corpus.corpus_hash, options.seed)
    report["stages"] = list(stages)
    run: Sequence[Ranked] = ()
    lost: Mapping[str, str] = {}
    answers: dict[str, AnswerRow] = {}
    if "retrieval" in stages:
        run, lost = _retrieval(report, dataset, corpus, options, tools)
    if "generation" in stages:
        answers = _generation(report, items, options, tools)
    if "routing" in stages:
        report["routing"] = _routing(items, answers, tools)
    report["per_question"] = question_rows(items, {one.item.id: one for one in run}, lost, answers)
    gates = _gates(report, options)
    if gates:
        report["gates"] = gate_rows(gates)
    return EvalResult(report, run, gates)


def stages_with_labels(items: Sequence[Item]) -> tuple[Stage, ...]:
    """The stages that any of the questions has labels for; retrieval where there are none at all."""
    found: list[Stage] = []
    if any(item.route or item.strategy for item in items):
        found.append("routing")
    if any(is_judged(item) for item in items):
        found.append("retrieval")
    if any(item.answers for item in items) or any(item.answerable is False for item in items):
        found.append("generation")
    return tuple(found) or ("retrieval",)


def _routing(items: Sequence[Item], answers: Mapping[str, AnswerRow], tools: EvalTools) -> dict[str, Any]:
    """Of the routes that answers took, where there are answers; else of the plan, which stops before searching."""
    labelled = [item for item in items if item.route or item.strategy]
    if answers:
        rows = [answers[item.id] for item in labelled]
    else:
        rows = answer_rows(labelled, tools.route, lambda _: ({}, []), "route", tools.cache, tools.progress)
    return routing_part(labelled, rows, of="answers" if answers else "plan")


def _retrieval(
    report: dict[str, Any], dataset: Dataset, corpus: Corpus, options: EvalOptions, tools: EvalTools
) -> tuple[Sequence[Ranked], Mapping[str, str]]:
    plan = RetrievalPlan(options.ks, options.modes, tools.scope_of)
    runs = run_retrieval(dataset.items, tools.searcher, plan, tools.cache, tools.progress)
    default = options.modes[-1].name
    cut = 10 if 10 in options.ks else max(options.ks)
    report["retrieval"] = retrieval_part(runs, default, cut, corpus.docs, options.seed)
    refusal = refusal_part(runs[default], options.threshold)
    if refusal:
        report["refusal"] = refusal
    report["calibration"] = reliability(pairs_of(runs[default], options.passages))
    if options.calibrate:
        report["calibration"]["fit"] = _calibration(runs[default], plan, corpus, options, tools)
    report["latency"] = {"search": latency_part([one.seconds for one in runs[default]])}
    return runs[default], losses(runs, default, cut, corpus.docs)


def _calibration(
    run: Sequence[Ranked], plan: RetrievalPlan, corpus: Corpus, options: EvalOptions, tools: EvalTools
) -> dict[str, Any] | None:
    """A correction of the confidence, fitted with half of the judged questions asked again without their documents."""
    judged = [one.item for one in run if one.judged is not None]
    hidden = judged[options.seed % 2 :: 2]
    blind = RetrievalPlan(plan.ks, plan.modes[-1:], lambda item: _without(item, plan.scope_of(item), corpus.docs))
    again = run_retrieval(hidden, tools.searcher, blind, tools.cache, tools.progress)[plan.modes[-1].name]
    asked = {item.id for item in hidden}
    seen = pairs_of([one for one in run if one.item.id not in asked], options.passages)
    return calibrate(seen + pairs_of(again, options.passages), options.seed)


def _without(item: Item, scope: Scope, docs: Mapping[str, str]) -> Scope:
    """The scope without the documents that hold the answer."""
    wanted = {entry.doc for entry in item.relevant}
    left = frozenset(ident for path, ident in docs.items() if path not in wanted)
    return replace(scope, doc_ids=left if scope.doc_ids is None else scope.doc_ids & left)


def _generation(
    report: dict[str, Any], items: Sequence[Item], options: EvalOptions, tools: EvalTools
) -> dict[str, AnswerRow]:
    rows = answer_rows(items, tools.ask, tools.measure, "answer", tools.cache, tools.progress)
    part = generation_part(items, rows, options.seed)
    refusals = answer_refusals(items, rows)
    if refusals:
        part["refusal"] = refusals
    report["generation"] = part
    report.setdefault("latency", {})["answer"] = latency_part([row.seconds for row in rows if not row.failure])
    return {item.id: row for item, row in zip(items, rows, strict=True)}


def _gates(report: Mapping[str, Any], options: EvalOptions) -> list[Gate]:
    gates = bound_gates(options.bounds, figures(report))
    if options.baseline is not None:
        names = list(options.baseline.get("retrieval", {}).get("measures", {}))
        gates += drop_gates(report, options.baseline, options.max_drop, names, options.seed)
    return gates
