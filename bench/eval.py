"""What `edu eval` adds to the searches that it makes: CPU seconds of retrieval evaluation over bare search calls.

    python bench/eval.py --project DIR DATASET.jsonl [--limit 1000] [--rounds 3]

The rounds of both are interleaved in one process on the same questions, after one warm-up search. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from edu_cli.config import load_settings
from edu_cli.evaluate.dataset import drawn, load_dataset
from edu_cli.evaluate.resume import ResultCache
from edu_cli.evaluate.retrieval import RERANKED
from edu_cli.evaluate.run import EvalOptions, EvalTools, evaluate
from edu_cli.evaluate.strategies import StrategyTools
from edu_cli.project import Project
from edu_cli.types import Scope, SearchRequest
from edu_cli.wiring.asking import open_searcher
from edu_cli.wiring.evaluation import eval_corpus


class Silence:
    """Progress for nobody."""

    def start(self, stage: str, total: int | None) -> None: ...
    def advance(self, stage: str, n: int = 1) -> None: ...
    def note(self, message: str) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    project = Project(args.project.resolve())
    settings = load_settings(project.root, {})
    corpus = eval_corpus(project, settings, "")
    dataset = load_dataset(args.dataset, list(corpus.docs))
    dataset = drawn(dataset, args.limit, 0)
    options = EvalOptions((1, 3, 5, 10), (RERANKED,), 0, settings.ask.threshold, ("retrieval",))
    bare, whole = [], []
    with open_searcher(project, settings) as searcher, tempfile.TemporaryDirectory() as folder:
        tools = EvalTools(
            searcher,
            StrategyTools(_never, {}),
            _never,
            _never,
            lambda _: ({}, []),
            lambda _: Scope(),
            ResultCache(None, "", "", resume=False),
            Silence(),
        )
        searcher.search(SearchRequest(dataset.items[0].question, k=50))
        for _ in range(args.rounds):
            start = time.process_time()
            for item in dataset.items:
                searcher.search(SearchRequest(item.question, k=50))
            bare.append(time.process_time() - start)
            start = time.process_time()
            kept = ResultCache(Path(folder), "", "", resume=False)  # as edu eval keeps them, from nothing
            result = evaluate(dataset, corpus, options, replace(tools, cache=kept))
            whole.append(time.process_time() - start)
    ratios = [b / a for a, b in zip(bare, whole, strict=True)]
    print(
        json.dumps(
            {
                "questions": len(dataset.items),
                "documents": len(corpus.docs),
                "bare_cpu_s": [round(s, 3) for s in bare],
                "eval_cpu_s": [round(s, 3) for s in whole],
                "ratio_median": round(statistics.median(ratios), 3),
                "nDCG@10": result.report["retrieval"]["measures"]["nDCG@10"]["mean"],
                "cores": os.cpu_count(),
                "load": os.getloadavg()[0],
            }
        )
    )


def _never(*_: object) -> Any:
    raise AssertionError("retrieval asks nothing")


if __name__ == "__main__":
    main()
