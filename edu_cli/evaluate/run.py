"""A data set -> the report: the stages that it has labels for, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from edu_cli.evaluate.asking import Ask, Asking, Measure, answer_rows
from edu_cli.evaluate.baseline import comparison
from edu_cli.evaluate.calibration import calibrate, pairs_of, reliability
from edu_cli.evaluate.figures import figures
from edu_cli.evaluate.gate import Gate, bound_gates, drop_gates
from edu_cli.evaluate.generation import answer_refusals, generation_part
from edu_cli.evaluate.items import Dataset, Item
from edu_cli.evaluate.losses import losses
from edu_cli.evaluate.questions import Outcome, question_rows
from edu_cli.evaluate.relevance import is_judged
from edu_cli.evaluate.report import (
    gate_rows,
    head,
    judged_of,
    latency_part,
    refusal_part,
    retrieval_part,
    slices_part,
    strategies_part,
)
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import LEGS, Mode, Ranked, RetrievalPlan, run_retrieval
from edu_cli.evaluate.routing import routing_part
from edu_cli.evaluate.strategies import StrategyTools, run_strategies
from edu_cli.protocols import PassageSearch, Progress
from edu_cli.types import Scope

Stage = Literal["routing", "retrieval", "generation"]
STAGES: tuple[Stage, ...] = ("routing", "retrieval", "generation")
_COMPARED_BY = "nDCG@10"


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the questions are asked of; `docs` are the ids of its documents by path, `subjects` their subjects.

    `settings` are those that differ from their defaults and may change an answer.
    """

    docs: Mapping[str, str]
    encoder: Mapping[str, Any] | None
    corpus_hash: str
    subjects: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


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
    strategies: bool = False

    @property
    def cut(self) -> int:
        """The rank behind which a relevant entry counts as lost: 10 where it is measured, else the largest."""
        return 10 if 10 in self.ks else max(self.ks)


@dataclass(frozen=True, slots=True)
class EvalTools:
    """What is measured: `route` asks with a plan only, `ask` goes the whole way, `measure` scores its answers."""

    searcher: PassageSearch
    strategies: StrategyTools
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
    stages = options.stages or stages_with_labels(dataset.items)
    report = head(dataset, corpus.encoder, corpus.corpus_hash, options.seed, corpus.settings)
    report["stages"] = list(stages)
    report["without_labels"] = [name for name in STAGES if not options.stages and name not in stages]
    outcome = Outcome(k=options.cut, threshold=options.threshold)
    run: Sequence[Ranked] = ()
    if "retrieval" in stages:
        run, outcome = _retrieval(report, dataset.items, corpus, options, tools)
    if "generation" in stages:
        outcome = _generation(report, dataset.items, outcome, options, tools)
    if "routing" in stages:
        outcome = _routing(report, dataset.items, outcome, tools)
    latency = latency_part(
        [one.seconds for one in run] if run else None, list(outcome.answers.values()) if outcome.answers else None
    )
    if latency:
        report["latency"] = latency
    report["per_question"] = question_rows(dataset.items, outcome)
    gates = bound_gates(options.bounds, figures(report))
    if options.baseline is not None:
        gates += drop_gates(report, options.baseline, options.max_drop, options.seed)
        report["baseline"] = comparison(options.baseline, report, _compared_by(report))
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


def _retrieval(
    report: dict[str, Any], items: Sequence[Item], corpus: Corpus, options: EvalOptions, tools: EvalTools
) -> tuple[Sequence[Ranked], Outcome]:
    plan = RetrievalPlan(options.ks, options.modes, tools.scope_of)
    runs = run_retrieval(items, tools.searcher, plan, tools.cache, tools.progress)
    default = options.modes[-1].name
    run = runs[default]
    lost = losses(runs, default, options.cut, corpus.docs)
    legs = LEGS if corpus.encoder else LEGS[:1]
    part = retrieval_part(runs, default, options.cut, options.ks, legs, lost, options.seed)
    if options.strategies:
        found = run_strategies(items, tools.strategies, plan, tools.cache, tools.progress)
        part["strategies"] = strategies_part(found, options.seed)
    part["slices"] = slices_part(judged_of(run), corpus.subjects, options.seed)
    report["retrieval"] = part
    refusal = refusal_part(run, options.threshold)
    if refusal:
        report["refusal"] = refusal
    pairs = pairs_of(run, options.passages)
    if pairs:
        report["calibration"] = reliability(pairs)
    if pairs and options.calibrate:
        report["calibration"]["fit"] = _calibration(run, plan, corpus, options, tools)
    ranked = {one.item.id: one for one in run}
    return run, Outcome(ranked, lost, k=options.cut, threshold=options.threshold)


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
    report: dict[str, Any], items: Sequence[Item], outcome: Outcome, options: EvalOptions, tools: EvalTools
) -> Outcome:
    asking = Asking("answer", tools.ask, tools.measure, tools.scope_of)
    rows = answer_rows(items, asking, tools.cache, tools.progress)
    part = generation_part(items, rows, options.seed)
    refusals = answer_refusals(items, rows)
    if refusals:
        part["refusal"] = refusals
    report["generation"] = part
    return replace(outcome, answers={item.id: row for item, row in zip(items, rows, strict=True)})


def _routing(report: dict[str, Any], items: Sequence[Item], outcome: Outcome, tools: EvalTools) -> Outcome:
    """Of the routes that answers took, where there are answers; else of the plan, which stops before searching."""
    labelled = [item for item in items if item.route or item.strategy]
    if outcome.answers:
        rows = [outcome.answers[item.id] for item in labelled]
    else:
        asking = Asking("route", tools.route, lambda _: ({}, []), tools.scope_of)
        rows = answer_rows(labelled, asking, tools.cache, tools.progress)
    report["routing"] = routing_part(labelled, rows, of="answers" if outcome.answers else "plan")
    return replace(outcome, routed={item.id: row for item, row in zip(labelled, rows, strict=True)})


def _compared_by(report: Mapping[str, Any]) -> str:
    """The measure by which questions are called better or worse than in the baseline."""
    names = dict.fromkeys(name for row in report["per_question"] for name in row["measures"])
    return _COMPARED_BY if _COMPARED_BY in names else next(iter(names), _COMPARED_BY)
