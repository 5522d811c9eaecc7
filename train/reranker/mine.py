"""Questions of the sets -> groups of passages that the reranker is shown: `python mine.py WORK`, JSON lines in WORK/groups.

Every set was ingested (`edu ingest WORK/SET/docs --project WORK/SET/p`). The passages are those that the hybrid search
puts first, each windowed as the reranker gets it when it runs; so its negatives are the near misses that it will meet,
among them the other sections of the same page. One line a question: the window that answers it and up to 12 that do not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Collection, Iterator
from pathlib import Path

from wording import changed_numbers

from edu_cli.ask.retrieval.rerank import window
from edu_cli.ask.retrieval.search import Searcher
from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.wiring.asking import open_searcher

SEED = 8
CHARS = 200  # of a window; shorter than at run time, since training is what costs
MOST_WRONG = 12
SETS = "drcd,xquad,java,manuals"
Shown = tuple[str, float]  # a window and its fused score, 1 for the best of the question


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default=SETS)
    options = parser.parse_args()
    (options.work / "groups").mkdir(exist_ok=True)
    for name in options.sets.split(","):
        target, n = options.work / "groups" / f"{name}.jsonl", 0
        with target.open("w", encoding="utf-8") as out:
            for group in groups(options.work / name):
                out.write(json.dumps(group, ensure_ascii=False) + "\n")
                n += 1
        print(json.dumps({"set": name, "groups": n}), flush=True)


def groups(folder: Path) -> Iterator[dict]:
    """{"question", "kind", "right", "wrong"}: windows with their fused scores (1 for the best of the question).

    `right` is empty where nothing answers.
    """
    rng = random.Random(SEED)
    project = folder / "p"
    questions = [json.loads(line) for line in (folder / "dataset.jsonl").read_text(encoding="utf-8").splitlines()]
    with open_searcher(Project(project), load_settings(project, os.environ)) as searcher:
        for one in questions:
            gold = {entry["doc"] for entry in one["relevant"]}
            right, wrong = parted(searcher, one["question"], gold)
            if not right or len(wrong) < MOST_WRONG // 2:
                continue
            answer = rng.choice(right)
            wrong = wrong[:MOST_WRONG]
            yield {"question": one["question"], "kind": one["kind"], "right": [answer], "wrong": wrong}
            changed = changed_numbers(one["question"], answer[0], rng)
            if changed:  # the same with a number made another: what answered it no longer does
                question, passage = changed
                wrong = [(passage, answer[1]), *wrong]
                yield {"question": one["question"], "kind": "number", "right": [answer], "wrong": wrong}
                yield {"question": question, "kind": "unanswerable", "right": [], "wrong": [answer, *wrong[1:]]}


def parted(searcher: Searcher, question: str, gold: Collection[str]) -> tuple[list[Shown], list[Shown]]:
    """What the search finds, best first: of each document in `gold` its best part, and all of the others."""
    examined = searcher.examine(question, searcher.encode(question))
    scores = examined.fused.scores / max(float(examined.fused.scores.max(initial=0.0)), 1e-9)
    right: dict[str, Shown] = {}
    wrong: list[Shown] = []
    for row in examined.fused.order():
        parent = examined.parents[row]
        shown = (window(parent, examined.evidence.best[row], CHARS), round(float(scores[row]), 4))
        if parent.doc in gold:
            right.setdefault(parent.doc, shown)
        else:
            wrong.append(shown)
    return list(right.values()), wrong


if __name__ == "__main__":
    main()
