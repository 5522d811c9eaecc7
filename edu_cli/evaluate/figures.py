"""The figures that a gate can name, in a report and before there is one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from edu_cli.errors import UsageError
from edu_cli.evaluate.measures import measure_names
from edu_cli.evaluate.relevance import GRAINS
from edu_cli.evaluate.retrieval import MODES
from edu_cli.evaluate.strategies import STRATEGIES
from edu_cli.text import nearest

_SECTIONS = ("routing", "generation", "refusal", "calibration", "latency")
_CLASS_FIGURES = ("accuracy", "macro_f1")
_ANSWER_FIGURES = (
    *("EM", "Contains", "F1", "ROUGE-L", "CitationPrecision", "CitationRecall", "CitationAccuracy", "Faithfulness"),
    *("JudgeFaithfulness", "JudgeRelevancy", "JudgeContextRecall", "JudgeContextPrecision"),
    *("refusal.recall", "refusal.precision", "refusal.answered_of_answerable", "cost.without_llm"),
)
_FIXED = (
    *(f"routing.{what}.{name}" for what in ("route", "strategy") for name in _CLASS_FIGURES),
    *(f"generation.{name}" for name in _ANSWER_FIGURES),
    *(f"refusal.{name}" for name in ("recall", "precision", "auroc")),
)
_CLASS = re.compile(r"routing\.(?:route|strategy)\.classes\.[^.]+\.(?:precision|recall|f1)")
_LOWER_IS_BETTER = re.compile(
    r"latency\..*|calibration\..*|routing\.route\.course_to_general|generation\.cost\.(?!without_llm).*"
)


def figures(report: Mapping[str, Any]) -> dict[str, float | None]:
    """Every figure that a gate can name: `nDCG@10`, `bm25.nDCG@10`, `tag:fee.nDCG@10`, `refusal.auroc`, …"""
    retrieval = report.get("retrieval", {})
    found = _means("", retrieval.get("measures", {}))
    for mode, measures in retrieval.get("modes", {}).items():
        found.update(_means(f"{mode}.", measures))
    for table in ("strategies", "grains", "slices"):
        for name, part in retrieval.get(table, {}).items():
            found.update(_means(f"{name}.", part.get("measures", {})))
    for section in _SECTIONS:
        found.update(_numbers(section, report.get(section, {})))
    return found


def check_names(
    names: Iterable[str], ks: Sequence[int], modes: Sequence[str], strategies: Sequence[str], slices: Sequence[str]
) -> None:
    """Raises UsageError for a gate on what no report of this run could hold, before anything is spent on it."""
    measures = measure_names(ks)
    prefixes = ("", *(f"{name}." for name in (*modes, *strategies, *GRAINS, *slices)))
    known = [f"{prefix}{name}" for prefix in prefixes for name in measures] + list(_FIXED)
    for name in names:
        if name in known or _CLASS.fullmatch(name):
            continue
        if _LOWER_IS_BETTER.fullmatch(name):
            raise UsageError(
                f"--fail-under {name} would fail the better value: lower is better for it.", hint="gate another figure"
            )
        raise UsageError(f"--fail-under {name} is no figure of this run.", hint=_hint(name, known, ks))


def _hint(name: str, known: Sequence[str], ks: Sequence[int]) -> str:
    """What to write in place of an unknown name."""
    prefix, _, bare = name.rpartition(".")
    kind, _, k = bare.partition("@")
    if k.isdecimal() and f"{kind}@{ks[0]}" in measure_names(ks):
        if int(k) not in ks:
            return f"add {k} to --k {','.join(map(str, ks))}"
        if prefix in {mode.name for mode in MODES}:
            return "--compare modes gives it"
        if prefix in STRATEGIES:
            return "--compare strategies gives it"
    if not k and (
        kinds := [other for other in measure_names(ks) if other.casefold().startswith(f"{name.casefold()}@")]
    ):
        return f"with a cutoff: {', '.join(kinds)}"
    inside = [other for other in known if other.casefold().endswith(f".{name.casefold()}") and not prefix]
    best = [other for other in known if other.casefold() == name.casefold()] or inside[:1]
    meant = best[0] if best else nearest(name, known)
    return f"did you mean {meant}?" if meant else f"such as {', '.join(measure_names(ks)[:3])}"


def _means(prefix: str, measures: Mapping[str, Any]) -> dict[str, float | None]:
    return {f"{prefix}{name}": mean["mean"] for name, mean in measures.items()}


def _numbers(prefix: str, value: Any) -> dict[str, float | None]:
    if isinstance(value, Mapping):
        if "mean" in value:
            return {prefix.replace(".measures.", "."): value["mean"]}
        parts = [_numbers(f"{prefix}.{key}", inner) for key, inner in value.items()]
        return {name: number for part in parts for name, number in part.items()}
    is_number = value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    return {prefix: value} if is_number else {}
