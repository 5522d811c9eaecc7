"""Fits the confidence (edu_cli/ask/retrieval/ranking.json) and says how it does on sets it was not fitted on.

    python ../shared/tools/beir_to_corpus.py ../shared/data/ir/SET WORK/SET          # for each set
    edu ingest WORK/SET/docs --project WORK/SET
    python bench/fit_confidence.py WORK --fit SET,SET,… [--kept FILE] [--write]      # JSON to stdout

The questions are those of confidence_cases.py: with their passage, without it (near misses), and of other fields (far);
1 where a relevant document is among the first five. Every set weighs as (its questions) ** .4, and its far questions as
much as its near misses. One logistic model each for e5-small, other encoders (nothing that hangs on the height of
cosines) and BM25 alone; and once more for each where the bundled reranker has read the first passages. "held_out" leaves
out of the fit the set that is judged and its sister (two samples of SQuAD).

`auroc` and `refused_at_10` (refused of what is not there, at 10% false refusals) tell questions whose passage is there
from those whose passage is hidden; `at` gives, by threshold, the false refusals (of questions whose passage is among the
first five) and the refusals of near misses and of far ones.

The features are those that a forward search kept, of some ninety, by the log loss of sets left out in turn, where each
may only speak for what it means (no weight against words that are there). `cost` is the least near .35 and within .03 of
that from .3 to .5; `ask.threshold` is .4: 4% of good answers are withheld, 34% of near misses and 95% of far questions
refused, in the mean of the sets left out in turn. .5 would withhold 5%, and refuse 46% and 98%.

What was tried and left out: cosines against those of the whole corpus (mean, deviation, 50th to 99.5th percentile) gave
nothing once hidden documents were taken out of the comparison too; expected kinds of answer (a year, a number), numbers
of the question and how many passages hold its words moved the mean AUROC by .002 at most; trees over all ninety
features (boosted, or 400 at random) did worse than these eight. ranking.json: --fit hello-algo-qa,edurag-llm-course,
dl500-headings,advjava-interview,javaguide-headings,xquad-zh,cmrc2018,drcd-hant --most 100, with crud-news in WORK.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from confidence_cases import SEEN, Features, Judged, judged_sets, strange
from fit_search import SISTERS, stored, written
from fitting import fit_logistic, refusal
from rerank import WindowReader

from edu_cli.ask.retrieval.ranking import Linear, as_json
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.cross import CrossReranker

Floats = npt.NDArray[np.float64]
Sets = Mapping[str, Sequence[Judged]]

_COUNTED = ("first_score", "crowd", "seen_neighbours", "strange", "unheard")
_READ = ("read_first", "read_seen")
NAMES = {
    "e5-small": (*_COUNTED, "seen_several"),
    "other": (*_COUNTED, "question_bm25_top"),
    "none": (*_COUNTED, "question_bm25_top"),
}
# Answerable questions for each that is not, as users ask them; the cases have one to two or so.
ODDS = 3.0
# A good answer withheld costs as much as this many weak ones, which show their sources and that they are unsure.
COST = 2.0
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


def main() -> None:
    """See the module's docstring."""
    options = _options()
    reader = WindowReader(CrossReranker(cache_dir(load_settings(Path.cwd(), os.environ))), passages=SEEN)
    judged = judged_sets(options.work, options.most, options.seed, reader, options.kept)
    fit_on = [*(options.fit.split(",") if options.fit else judged)]
    if missing := [name for name in fit_on if name not in judged]:
        raise SystemExit(f"{options.work} has no project with a dataset.jsonl for {', '.join(missing)}")
    asked = {name: sum(one.kind == "there" for one in judged[name]) for name in fit_on}
    report: dict[str, Any] = {"seed": options.seed, "fitted_on": asked}
    report["strange"] = {name: strange(cases) for name, cases in judged.items()}
    models: dict[str, dict[str, Linear]] = {}
    for encoder, names in NAMES.items():
        models[encoder] = {}
        for part, wanted in (("confidence", names), ("read_confidence", (*names, *_READ))):
            models[encoder][part] = fit({name: judged[name] for name in fit_on}, encoder, wanted)
            report.setdefault(encoder, {})[part] = figures(judged, fit_on, encoder, wanted, models[encoder][part])
    print(json.dumps(report, ensure_ascii=False, indent=1))
    if options.write:
        write(models, {"on": asked, "seed": options.seed})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--fit", default="", help="sets to fit on, by comma; all of them without it")
    parser.add_argument("--most", type=int, default=100, help="questions a set, by lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, help="what was judged: read where it is in this file, and added to it")
    parser.add_argument("--write", action="store_true", help="write edu_cli/ask/retrieval/ranking.json")
    return parser.parse_args()


# --- fitting


def fit(sets: Sets, encoder: str, names: tuple[str, ...]) -> Linear:
    """The model of an encoder; its bias is that of ODDS."""
    cases = [(one, weight) for found in sets.values() for one, weight in weighed(found) if one.features.get(encoder)]
    values = np.array([[one.features[encoder][name] for name in names] for one, _ in cases])
    labels = np.array([float(one.is_seen) for one, _ in cases])
    there = np.array([one.kind == "there" for one, _ in cases])
    weights = np.array([weight for _, weight in cases])
    sure = fit_logistic(names, values, labels, weights / weights.sum())
    shift = np.log(ODDS) - np.log(weights[there].sum() / weights[~there].sum())
    return replace(sure, weights=np.vstack([sure.weights[:-1], sure.weights[-1:] + shift]))


def weighed(cases: Sequence[Judged]) -> list[tuple[Judged, float]]:
    """The questions of a set, each with its weight."""
    count = {kind: sum(one.kind == kind for one in cases) for kind in ("there", "near", "far")}
    each = (count["there"] + count["near"]) ** -0.6
    of_kind = {"there": each, "near": each, "far": each * count["near"] / max(count["far"], 1)}
    return [(one, of_kind[one.kind]) for one in cases]


# --- figures


def figures(judged: Sets, fit_on: Sequence[str], encoder: str, names: tuple[str, ...], model: Linear) -> dict[str, Any]:
    """By set, with the model and with one that knows neither the set nor its sister; and the means by threshold."""
    found: dict[str, Any] = {"fitted": {}, "held_out": {}}
    for name, cases in judged.items():
        others = [other for other in fit_on if SISTERS.get(other, other) != SISTERS.get(name, name)]
        apart = model if others == list(fit_on) else fit({other: judged[other] for other in others}, encoder, names)
        found["fitted"][name] = of_set(cases, encoder, model)
        found["held_out"][name] = of_set(cases, encoder, apart)
    found["mean"] = {
        str(t): np.round(np.mean([found["held_out"][name]["at"][str(t)] for name in fit_on], axis=0), 3).tolist()
        for t in THRESHOLDS
    }
    found["cost"] = {t: round(cost(*errors), 4) for t, errors in found["mean"].items()}
    return found


def of_set(cases: Sequence[Judged], encoder: str, model: Linear) -> dict[str, Any]:
    """How well the confidence tells what is there, and the errors at each threshold."""
    sure = np.array([_sure(one.features.get(encoder), model) for one in cases])
    kind = np.array([one.kind for one in cases])
    seen = np.array([one.is_seen for one in cases])
    parts = (seen, kind == "near", kind == "far")
    told = refusal(sure[kind != "far"], (kind[kind != "far"] == "there").astype(float))
    return {
        **{name: round(value, 4) for name, value in told.items() if name != "ece"},
        "seen": round(float(seen[kind == "there"].mean()), 3),
        "at": {str(t): [_share(sure[rows] < t) for rows in parts] for t in THRESHOLDS},
    }


def cost(false_refusals: float, near: float, far: float) -> float:
    """What a threshold costs a question: refusals of what is there, weighed by COST, and answers to what is not."""
    return (ODDS * COST * false_refusals + 1 - (near + far) / 2) / (ODDS + 1)


def _share(rows: npt.NDArray[np.bool_]) -> float:
    return round(float(rows.mean()), 3) if len(rows) else 1.0


def _sure(features: Features | None, model: Linear) -> float:
    return float(1 / (1 + np.exp(-model(features)[0]))) if features else 0.0


def write(models: Mapping[str, Mapping[str, Linear]], how: Mapping[str, Any]) -> None:
    """Puts the confidences into ranking.json."""
    kept = stored()
    for encoder, parts in models.items():
        kept["encoders"][encoder] |= {part: as_json(linear) for part, linear in parts.items()}
    kept["fitted"]["confidence"] = {"by": "bench/fit_confidence.py", **how}
    written(kept)


if __name__ == "__main__":
    main()
