"""The confidence against what readers found: with a question's own passage hidden, do others answer it all the same?

    python bench/judged.py WORK --read SET > cases.jsonl        # what to read, one case a line
    python bench/judged.py WORK                                 # JSON to stdout

WORK as for bench/fit_confidence.py. Questions with their documents hidden count as unanswerable in every figure of that
script; in material that says things twice many are not. judged.jsonl has a reader's verdict on the five passages that
stood first: yes, part or no, by the hash of the question and of the passages. The readers were large language models,
each told to read every passage and to be strict, one to a case, which knew neither the confidence nor what was wanted. `labelled` is the AUROC as if none were
answered, `ceiling` the most that a judge could reach by those labels who knows every verdict (a case that is answered
is a coin's toss), `judged` the AUROC with the answered ones counted among those whose passage is there and the partly
answered ones left out. `same` says how many verdicts are on the passages that the search finds today.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from cases import see
from confidence_cases import SEEN
from fitting import refusal
from measured import open_measured
from rerank import WindowReader

from edu_cli.ask.retrieval.confidence import confidence
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.reading import reading_for
from edu_cli.ask.retrieval.rerank import Order, reordered, window
from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.cross import CrossReranker
from edu_cli.text import content_id

VERDICTS = Path(__file__).with_name("judged.jsonl")
CHARS = 900  # of a passage that a reader is shown


def asked(question: str) -> str:
    """How judged.jsonl names a question."""
    return content_id(question)[:12]


def verdicts() -> dict[str, dict[str, Mapping[str, str]]]:
    """The lines of judged.jsonl by set and question."""
    found: defaultdict[str, dict[str, Mapping[str, str]]] = defaultdict(dict)
    for line in map(json.loads, VERDICTS.read_text(encoding="utf-8").splitlines()):
        found[line["set"]][line["asked"]] = line
    return found


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--read", metavar="SET", help="list this set's cases for a reader")
    parser.add_argument("--most", type=int, default=100, help="questions of a set to list, by lot")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reader = WindowReader(CrossReranker(cache_dir(load_settings(Path.cwd(), os.environ))), passages=SEEN)
    if options.read:
        for case in cases(options.work / options.read, reader, options.most, options.seed):
            print(json.dumps(case, ensure_ascii=False))
        return
    known = {options.work / name: lines for name, lines in verdicts().items()}
    found = {folder.name: figures(folder, reader, lines) for folder, lines in known.items() if folder.is_dir()}
    print(json.dumps(found, indent=1))


def cases(
    folder: Path, reader: WindowReader, most: int, seed: int, only: frozenset[str] = frozenset()
) -> Iterator[Any]:
    """Each question with its confidence as it is and with its documents hidden, and the passages found then."""
    with open_measured(folder, most=most, seed=seed) as measured:
        for question in measured.questions:
            text = question["question"]
            if only and asked(text) not in only:
                continue
            case = see(measured, question, "hybrid")
            if case.without is None:
                continue
            (there, _), (hidden, order) = (_sure(text, one, reader) for one in (case.examined, case.without))
            passages = [_window(case.without, row, CHARS) for row in order.rows[:SEEN]]
            own = [_window(case.examined, int(row), CHARS) for row in np.flatnonzero(case.grades > 0)[:1]]
            yield {
                "set": folder.name,
                "question": text,
                "own": own,
                "passages": passages,
                "asked": asked(text),
                "seen": content_id(*passages)[:12],
                "there": there,
                "hidden": hidden,
            }


def figures(folder: Path, reader: WindowReader, known: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """How the confidence does on the questions of a set that were judged."""
    found = list(cases(folder, reader, 10**9, 0, frozenset(known)))
    verdict = np.array([known[case["asked"]]["verdict"] for case in found])
    there, hidden = (np.array([case[name] for case in found]) for name in ("there", "hidden"))
    answered, missing = verdict == "yes", verdict == "no"
    labelled = refusal(np.concatenate([there, hidden]), np.repeat([1.0, 0.0], len(found)))
    sure = np.concatenate([there, hidden[answered], hidden[missing]])
    judged = refusal(sure, np.repeat([1.0, 0.0], [len(found) + answered.sum(), missing.sum()]))
    return {
        "questions": len(found),
        **{name: int((verdict == name).sum()) for name in ("yes", "part", "no")},
        "same": sum(known[case["asked"]]["seen"] == case["seen"] for case in found),
        "labelled": round(labelled["auroc"], 3),
        "ceiling": round(1 - answered.mean() / 2, 3),
        "judged": round(judged["auroc"], 3),
        "refused_labelled": round(labelled["refused_at_10"], 3),
        "refused_judged": round(judged["refused_at_10"], 3),
    }


def _sure(question: str, examined: Examined, reader: WindowReader) -> tuple[float, Order]:
    order = reordered(examined, reading_for("cross"), reader(question, examined))
    return confidence(examined, order, ranking_for("e5-small")), order


def _window(examined: Examined, row: int, chars: int) -> str:
    return window(examined.parents[row], examined.evidence.best[row], chars)


if __name__ == "__main__":
    main()
