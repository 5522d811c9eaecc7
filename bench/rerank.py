"""What the bundled reranker does to the order, and the fit of what weighs its answers.

    python ../shared/tools/beir_to_corpus.py ../shared/data/ir/SET WORK/SET          # for each set
    edu ingest WORK/SET/docs --project WORK/SET
    python bench/rerank.py WORK --fit SET,SET,… [--write]                            # JSON to stdout
    python bench/rerank.py WORK --sets SET,SET --model FILE                          # other weights than those that ship
    python bench/rerank.py --speed                                                   # milliseconds and memory

Fitted on the sets named: the share of the reranker's probability in the score, the smallest that is as good as the best
(to a standard error of nDCG@10); --write puts it into edu_cli/ask/retrieval/reading.json. Intervals are of the mean
difference between reranked and not, 95%, by bootstrap over questions. `answerable` judges the reranker's best
probability by itself: each question as it is and without its relevant documents.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cases import Case, collect
from fitting import refusal

from edu_cli.ask.retrieval import reading as reading_module
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.reading import Reading
from edu_cli.ask.retrieval.rerank import by_fusion, reordered, window
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.cross import PAIR_TOKENS, CrossReranker
from edu_cli.model_files import CROSS_FILE
from edu_cli.protocols import Reranker

PASSAGES, CHARS = 16, 220  # as costly as 10 passages of 250 tokens
SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7)
_SENTENCES = "跳跃表在有序链表上加了多层索引，查找时从最高一层开始，向右走到不超过目标的最后一个结点，再下降一层。平均复杂度是对数级。"
Floats = np.ndarray
Cases = Mapping[str, Sequence[Case]]


@dataclass(frozen=True)
class WindowReader:
    """A reranker over the windows of the first rows, as the search shows them to it; each pair is read once."""

    reranker: Reranker
    passages: int = PASSAGES
    chars: int = CHARS
    known: dict[tuple[str, str], float] = field(default_factory=dict)

    def __call__(self, question: str, examined: Examined) -> Floats:
        """Probabilities by row, 0 where a row was not read."""
        rows = examined.fused.order()[: self.passages]
        pairs = [(question, window(examined.parents[i], examined.evidence.best[i], self.chars)) for i in rows]
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        self.known.update(zip(fresh, self.reranker.score(question, [text for _, text in fresh]), strict=True))
        found = np.zeros(len(examined.parents))
        found[rows] = [self.known[pair] for pair in pairs]
        return found


def main() -> None:
    """See the module's docstring."""
    options = _options()
    reranker = CrossReranker(cache_dir(load_settings(Path.cwd(), os.environ)), model_path=options.model)
    if options.speed:
        print(json.dumps(speed(reranker), indent=1))
        return
    folders = [folder for folder in sorted(options.work.iterdir()) if (folder / "dataset.jsonl").exists()]
    wanted = options.sets.split(",") if options.sets else [folder.name for folder in folders]
    folders = [folder for folder in folders if folder.name in wanted]
    reader = WindowReader(reranker)
    cases = {folder.name: collect(folder, "hybrid", options.most, options.seed, reader) for folder in folders}
    fit_on = options.fit.split(",") if options.fit else []
    chosen = {name: cases[name] for name in fit_on}
    reading = fit_share(chosen) if fit_on else reading_module.reading_for("cross")
    if options.write:
        write(reading, {"on": {name: len(found) for name, found in chosen.items()}, "seed": options.seed})
    report = {name: figures(found, reading, options.seed) for name, found in cases.items()}
    print(json.dumps({"seed": options.seed, "fitted_on": fit_on, "share": reading.share, "sets": report}, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, nargs="?", default=Path())
    parser.add_argument("--fit", default="", help="sets to fit on, by comma; without it the present numbers are judged")
    parser.add_argument("--sets", default="", help="only these, by comma")
    parser.add_argument("--model", type=Path, default=CROSS_FILE, help="weights of the reranker")
    parser.add_argument("--most", type=int, default=300, help="questions a set, by lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write edu_cli/ask/retrieval/reading.json")
    parser.add_argument("--speed", action="store_true", help="only the time and memory of the reranker")
    return parser.parse_args()


# --- fitting


def fit_share(cases: Cases) -> Reading:
    """The share of the probability."""
    return least_of_equals([(Reading(PASSAGES, CHARS, share, judges=False), _by_set(cases, share)) for share in SHARES])


def least_of_equals(judged: Sequence[tuple[Reading, Sequence[Floats]]]) -> Reading:
    """The smallest share that is not worse than the best by more than the standard error of their difference.

    nDCG by set; the mean of the sets' means counts.
    """
    _, top = max(judged, key=lambda one: np.mean([values.mean() for values in one[1]]))
    for reading, found in judged:
        gaps = [best - values for best, values in zip(top, found, strict=True)]
        error = np.sqrt(sum(gap.var() / len(gap) for gap in gaps)) / len(gaps)
        if np.mean([gap.mean() for gap in gaps]) <= error:
            return reading
    raise AssertionError("the best is not worse than itself")


def _by_set(cases: Cases, share: float) -> list[Floats]:
    reading = Reading(PASSAGES, CHARS, share, judges=False)
    return [np.array([ndcg(case, reading) for case in found]) for found in cases.values()]


def ndcg(case: Case, reading: Reading | None) -> float:
    """nDCG@10 of a question, reranked or not."""
    if not case.examined.parents or case.read is None:
        return 0.0
    order = reordered(case.examined, reading, case.read[0]) if reading else by_fusion(case.examined)
    places = np.empty(len(order.rows))
    places[order.rows] = -np.arange(len(order.rows))
    return case.ndcg(places)


def write(reading: Reading, how: Mapping[str, Any]) -> None:
    """Puts the numbers into reading.json."""
    stored = {"rerankers": {"cross": asdict(reading)}, "fitted": {"by": "bench/rerank.py", **how}}
    path = Path(reading_module.__file__).with_name("reading.json")
    path.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


# --- figures


def figures(cases: Sequence[Case], reading: Reading, seed: int) -> dict[str, Any]:
    """nDCG@10 with and without the reranker."""
    plain = np.array([ndcg(case, None) for case in cases])
    read = np.array([ndcg(case, reading) for case in cases])
    lot = np.random.default_rng(seed).integers(0, len(cases), (2000, len(cases)))
    low, high = np.quantile((read - plain)[lot].mean(axis=1), [0.025, 0.975])
    return {
        "questions": len(cases),
        "hybrid": round(float(plain.mean()), 4),
        "reranked": round(float(read.mean()), 4),
        "gain": [round(float(value), 4) for value in ((read - plain).mean(), low, high)],
        "answerable": _answerable([case.read for case in cases if case.read and case.without]),
    }


def _answerable(read: Sequence[tuple[Floats, Floats]]) -> dict[str, float]:
    """AUROC of the best probability, and the share of questions without their passages below a tenth of the others."""
    sure = np.array([float(one[side].max(initial=0.0)) for side in (0, 1) for one in read])
    found = refusal(sure, np.repeat([1.0, 0.0], len(read)))
    return {"auroc": round(found["auroc"], 4), "refused": round(found["refused_at_10"], 4)}


def speed(reranker: CrossReranker) -> dict[str, float]:
    """Milliseconds for 10 passages as long as the reranker reads them, wall and CPU, and the process's largest memory."""
    passages = [f"第{i}段。" + _SENTENCES * 8 for i in range(10)]
    reranker.score("跳跃表怎样查找？", passages[:2])
    walls, spent = [], []
    for _ in range(15):
        wall, cpu = time.perf_counter(), time.process_time()
        reranker.score("跳跃表怎样查找？", passages)
        walls.append(time.perf_counter() - wall)
        spent.append(time.process_time() - cpu)
    return {
        "passages": len(passages),
        "tokens_a_pair": PAIR_TOKENS,
        "wall_ms_median": round(statistics.median(walls) * 1000, 1),
        "wall_ms_least": round(min(walls) * 1000, 1),
        "cpu_ms_median": round(statistics.median(spent) * 1000, 1),
        "max_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


if __name__ == "__main__":
    main()
