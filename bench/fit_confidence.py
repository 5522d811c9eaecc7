"""Fits the confidence (edu_cli/ask/retrieval/ranking.json) and says how it does on sets it was not fitted on.

    python ../shared/tools/beir_to_corpus.py ../shared/data/ir/SET WORK/SET          # for each set
    edu ingest WORK/SET/docs --project WORK/SET
    python bench/fit_confidence.py WORK --fit SET,SET,… [--write]                    # JSON to stdout

Each question comes twice: as it is (1 where a relevant document is among the first five), and with its relevant documents
out of sight (0). Every set weighs as (its questions) ** .4. One logistic model each for e5-small, other encoders (nothing
that hangs on the height of cosines) and BM25 alone; and once more for each where the bundled reranker has read the first
passages. "held_out" leaves out of the fit the set that is judged and its sister (two samples of SQuAD).

`auroc` and `refused_at_10` (refused of what is not there, at 10% false refusals) tell questions whose passage is there
from those whose passage is hidden; `at` gives, by threshold, the false refusals (of questions whose passage is among the
first five) and the refusals of those without. The default of `ask.threshold` is the highest of THRESHOLDS at which the
sets left out in turn lose about one answer in ten, in the mean.

Chosen so: .5 loses 10% (9% unread; 10 to 12% for other encoders and BM25 alone) and refuses 60% of what is not there;
.75 would lose 26%. The features are those that a search by
leaving sets out in turn kept, of some eighty: the mean AUROC of eight sets grew from .739 (21 features) to .767 (12);
on cmrc2018 and crud-news, which had no part in that search, from .991 to .993 and .754 to .755.

Near misses alone teach nothing of what is far off: fitted on them, "量子纠缠是什么？" asked of course notes on Java had .86,
since words that no passage has speak for no passage. So questions of other FIELDS are asked of the course sets too, no
feature says how much of a question is unknown (.008 AUROC, the price), and `is_strange` is counted in "strange".
ranking.json: --fit hello-algo-qa,edurag-llm-course,dl500-headings,advjava-interview,javaguide-headings,xquad-zh,cmrc2018,
drcd-hant --most 150 (100 of cmrc2018).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cases import Case, see
from fit_search import SISTERS, reweighed, stored, written
from fitting import fit_logistic, refusal
from measured import Measured, open_measured
from rerank import WindowReader

from edu_cli.ask.retrieval.confidence import confidence_features, is_strange
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import Linear, as_json, ranking_for
from edu_cli.ask.retrieval.reading import reading_for
from edu_cli.ask.retrieval.rerank import by_fusion, reordered
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.cross import CrossReranker

Floats = npt.NDArray[np.float64]
Features = Mapping[str, float]

_TEXTUAL = ("first_coverage", "first_score", "crowd", "seen_rarest", "seen_neighbours")
_COUNTED = (*_TEXTUAL, "bm25_followed")
_LEVEL = ("first_several", "first_best_child", "question_sparse_top")
_READ = ("read_first", "read_agrees")
NAMES = {
    "e5-small": (*_COUNTED, *_LEVEL),
    "other": (*_COUNTED, "question_bm25_top"),
    "none": (*_COUNTED, "question_bm25_top"),
}
_FIELDS = "光合作用 量子纠缠 相对论 牛顿第二定律 通货膨胀 边际效用 文艺复兴 辛亥革命 丝绸之路 板块构造 温室效应 胰岛素 抗生素 黑洞 勾股定理 唐诗"
FIELDS = _FIELDS.split()
ABOUT = ("{}是什么？", "{}有哪些特点？", "为什么会有{}", "请解释{}的原理")
COURSES = ("javaguide-headings", "dl500-headings", "hello-algo-qa", "advjava-interview")  # none is of one of FIELDS
SEEN = 5
# Answerable questions for each that is not, as users ask them; the cases have one to one.
ODDS = 3.0
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8)


@dataclass(frozen=True)
class Judged:
    """One question once: `features` by encoder, whether its passage is in the material, and among the first five."""

    features: Mapping[str, Features]
    is_there: bool
    is_seen: bool
    is_strange: bool


def main() -> None:
    options = _options()
    reader = WindowReader(CrossReranker(cache_dir(load_settings(Path.cwd(), os.environ))))
    folders = [folder for folder in sorted(options.work.iterdir()) if (folder / "dataset.jsonl").exists()]
    judged = {folder.name: judge(folder, options.most, options.seed, reader) for folder in folders}
    judged["other fields"] = [one for folder in folders if folder.name in COURSES for one in astray(folder, reader)]
    fit_on = [*(options.fit.split(",") if options.fit else judged)]
    fit_on += [] if "other fields" in fit_on else ["other fields"]
    report: dict[str, Any] = {"seed": options.seed, "fitted_on": {name: len(judged[name]) // 2 for name in fit_on}}
    report["strange"] = {name: strange(cases) for name, cases in judged.items()}
    models: dict[str, dict[str, Linear]] = {}
    for encoder, names in NAMES.items():
        models[encoder] = {}
        for part, wanted in (("confidence", names), ("read_confidence", (*names, *_READ))):
            models[encoder][part] = fit({name: judged[name] for name in fit_on}, encoder, wanted)
            report.setdefault(encoder, {})[part] = figures(judged, fit_on, encoder, wanted, models[encoder][part])
    print(json.dumps(report, ensure_ascii=False, indent=1))
    if options.write:
        write(models, {"on": report["fitted_on"], "seed": options.seed})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--fit", default="", help="sets to fit on, by comma; all of them without it")
    parser.add_argument("--most", type=int, default=300, help="questions a set, by lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write edu_cli/ask/retrieval/ranking.json")
    return parser.parse_args()


# --- what is judged


def judge(folder: Path, most: int, seed: int, reader: WindowReader) -> list[Judged]:
    """The questions of a project, each as it is and without its passages."""
    with open_measured(folder, most=most, seed=seed) as measured:
        found = [one for question in measured.questions for one in _twice(measured, question, reader)]
    print(f"{folder.name}: {len(found)} cases", file=sys.stderr)
    return found


def astray(folder: Path, reader: WindowReader) -> list[Judged]:
    """Questions of other fields, of which the material says nothing."""
    found = []
    with open_measured(folder, most=1, seed=0) as measured:
        for i, field in enumerate(FIELDS):
            text = ABOUT[i % len(ABOUT)].format(field)
            hybrid = measured.searcher.examine(text, measured.searcher.encode(text))
            words = measured.searcher.examine(text, None, mode="bm25")
            found.append(Judged(_features({"question": text}, hybrid, words, reader), False, False, is_strange(hybrid)))
    return found


def _twice(measured: Measured, question: Mapping[str, Any], reader: WindowReader) -> Iterator[Judged]:
    hybrid, words = see(measured, question, "hybrid"), see(measured, question, "bm25")
    there = _features(question, hybrid.examined, words.examined, reader)
    yield Judged(there, True, _is_seen(hybrid), is_strange(hybrid.examined))
    if hybrid.without is not None:
        hidden = _features(question, hybrid.without, words.without, reader)
        yield Judged(hidden, False, False, is_strange(hybrid.without))


def strange(cases: Sequence[Judged]) -> dict[str, int]:
    """Questions whose term is taken for one that the material does not know: of those with their passage, of the rest."""
    told = [one.is_there for one in cases if one.is_strange]
    return {"there": sum(told), "not": len(told) - sum(told), "questions": len(cases)}


def _is_seen(case: Case) -> bool:
    return bool(case.grades[by_fusion(case.examined).rows[:SEEN]].any())


def _features(
    question: Mapping[str, Any], hybrid: Examined, words: Examined | None, reader: WindowReader
) -> dict[str, Features]:
    """By encoder; a search that found nothing has no features."""
    said = reader(question["question"], hybrid) if hybrid.parents else np.zeros(0)
    as_other = reweighed(hybrid, ranking_for("other").parts)
    found = {"e5-small": _one(hybrid, said), "other": _one(as_other, said)}
    if words is not None and words.parents:
        place = {parent.parent_id: i for i, parent in enumerate(hybrid.parents)}
        also = [place.get(parent.parent_id) for parent in words.parents]
        found["none"] = _one(words, np.array([0.0 if i is None else said[i] for i in also]))
    return found


def _one(examined: Examined, said: Floats) -> Features:
    if not examined.parents:
        return {}
    return confidence_features(examined, reordered(examined, reading_for("cross"), said))


# --- fitting


def fit(sets: Mapping[str, Sequence[Judged]], encoder: str, names: tuple[str, ...]) -> Linear:
    """The model of an encoder; its bias is that of ODDS."""
    cases = [(one, len(found) ** -0.6) for found in sets.values() for one in found if one.features.get(encoder)]
    values = np.array([[one.features[encoder][name] for name in names] for one, _ in cases])
    labels = np.array([float(one.is_seen) for one, _ in cases])
    weights = np.array([weight for _, weight in cases])
    sure = fit_logistic(names, values, labels, weights / weights.sum())
    return replace(sure, weights=np.vstack([sure.weights[:-1], sure.weights[-1:] + np.log(ODDS)]))


def figures(
    judged: Mapping[str, Sequence[Judged]], fit_on: Sequence[str], encoder: str, names: tuple[str, ...], model: Linear
) -> dict[str, Any]:
    """By set, with the model and with one that knows neither the set nor its sister; and the means by threshold."""
    found: dict[str, Any] = {"fitted": {}, "held_out": {}}
    sets = {name for name, cases in judged.items() if any(one.is_there for one in cases)}
    for name, cases in judged.items():
        others = [other for other in fit_on if SISTERS.get(other, other) != SISTERS.get(name, name)]
        apart = model if others == list(fit_on) else fit({other: judged[other] for other in others}, encoder, names)
        found["fitted"][name] = of_set(cases, encoder, model)
        found["held_out"][name] = of_set(cases, encoder, apart)
    found["mean"] = {
        str(t): np.round(
            np.mean([found["held_out"][name]["at"][str(t)] for name in fit_on if name in sets], axis=0), 3
        ).tolist()
        for t in THRESHOLDS
    }
    return found


def of_set(cases: Sequence[Judged], encoder: str, model: Linear) -> dict[str, Any]:
    """How well the confidence tells what is there, and the errors at each threshold."""
    sure = np.array([_sure(one.features.get(encoder), model) for one in cases])
    there, seen = (np.array([getattr(one, name) for one in cases]) for name in ("is_there", "is_seen"))
    if not there.any():
        return {"at": {str(t): [0.0, round(float((sure < t).mean()), 3)] for t in THRESHOLDS}}
    by_threshold = {
        str(t): [round(float((sure[rows] < t).mean()), 3) for rows in (seen, ~there)] if seen.any() else [0.0, 1.0]
        for t in THRESHOLDS
    }
    told = {name: round(value, 4) for name, value in refusal(sure, there.astype(float)).items() if name != "ece"}
    return {**told, "seen": round(float(seen[there].mean()), 3), "at": by_threshold}


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
