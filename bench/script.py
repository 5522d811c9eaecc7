"""Questions in the other Chinese script: `python bench/script.py PROJECT [--most 200]`, JSON out.

PROJECT was made by `edu ingest` and holds dataset.jsonl. nDCG@10 and mean confidence, without a reranker, of its
questions as written, of the same in the other script, and of those with the script left as it is (how much of the loss
`edu_cli/ask/retrieval/script.py` makes good).
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from measured import Question, judged_questions

from edu_cli.ask.retrieval.confidence import confidence
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.rerank import by_fusion
from edu_cli.ask.retrieval.search import Searcher
from edu_cli.config import load_settings
from edu_cli.evaluate.measures import Judged, ndcg
from edu_cli.project import Project
from edu_cli.simplified import simplified, traditional
from edu_cli.types import SearchRequest
from edu_cli.wiring.asking import open_searcher

DEPTH = 100
Found = tuple[list[str], float]  # documents, best first, and the confidence
Search = Callable[[Searcher, str], Found]


@dataclass(frozen=True)
class Figures:
    """Means over the questions."""

    ndcg_10: float
    confidence: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--most", type=int, default=200, help="questions, by lot")
    options = parser.parse_args()
    questions = judged_questions(options.project, most=options.most, seed=1)
    settings = load_settings(options.project, os.environ)
    with open_searcher(Project(options.project), settings, reranker_of=lambda _settings, _pin: None) as searcher:
        said = {
            "as written": of(searcher, shipped, questions),
            "in the other script": of(searcher, shipped, questions, other_script),
            "… left so": of(searcher, as_it_is, questions, other_script),
        }
    figures = {name: asdict(one) for name, one in said.items()}
    print(json.dumps({"project": options.project.name} | figures, indent=1, ensure_ascii=False))


def shipped(searcher: Searcher, question: str) -> Found:
    result = searcher.search(SearchRequest(question, k=DEPTH))
    return [passage.doc for passage in result.passages], result.confidence


def as_it_is(searcher: Searcher, question: str) -> Found:
    """What is found without a look at the script."""
    examined = searcher.examine(question, searcher.encode(question), k=DEPTH)
    order = by_fusion(examined)
    return [examined.parents[i].doc for i in order.rows[:DEPTH]], confidence(examined, order, ranking_for("e5-small"))


def other_script(question: str) -> str:
    """Traditional for Simplified, and the other way round."""
    return traditional(question) if simplified(question) == question else simplified(question)


def of(searcher: Searcher, find: Search, questions: Sequence[Question], word: Callable[[str], str] = str) -> Figures:
    gains, sure = [], []
    for question in questions:
        grades = {entry["doc"]: entry.get("grade", 1) for entry in question["relevant"]}
        docs, confident = find(searcher, word(question["question"]))
        gains.append(ndcg(Judged(tuple(grades.get(doc, 0) for doc in dict.fromkeys(docs)), tuple(grades.values())), 10))
        sure.append(confident)
    return Figures(round(float(np.mean(gains)), 4), round(float(np.mean(sure)), 4))


if __name__ == "__main__":
    main()
