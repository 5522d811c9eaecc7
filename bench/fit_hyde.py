"""Fits how far a hypothetical passage moves the weights of the legs (edu_cli/ask/retrieval/hyde.json).

    python bench/fit_hyde.py WORK --fit SET,SET,… [--write]      # WORK: projects as bench/fit_search.py takes them

There is no LLM here, so what one would write is stood in for, at the length that prompts/hyde.md asks for (150 characters):
* near: the passage of another document that lies nearest to the right one: on the subject, with its words, not the answer;
* astray: any passage of the set: what a model writes that misunderstands the question;
* right: part of the right passage itself: more than any model can know, so that it is an upper bound and no estimate.
The weights are chosen by the mean nDCG@10 over near and astray, each set counting the same, on the sets of --fit alone.
A real model's passages lie between `astray` and `right`; the figures say that the mixing does no harm in the first case
and brings something in the others, not how much a certain model brings.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measured import Measured, open_measured

from edu_cli.ask.retrieval import hyde
from edu_cli.ask.retrieval.confidence import confidence
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.ask.retrieval.fuse import PARTS, part_weights, weigh
from edu_cli.ask.retrieval.ranking import ranking_for
from edu_cli.ask.retrieval.rerank import by_fusion
from edu_cli.evaluate.measures import Judged, ndcg
from edu_cli.index.catalog import open_catalog
from edu_cli.project import Project
from edu_cli.types import Leg, SearchRequest

CHARS = 150
KINDS = ("near", "astray", "right")
GRID: Mapping[Leg, Sequence[float]] = {
    "dense": (-1.0, -0.5, 0.0, 0.5, 1.0),
    "sparse": (-2.0, -1.0, 0.0, 1.0),
    "bm25": (0.0,),
}
Shift = Mapping[Leg, float]


@dataclass(frozen=True)
class Found:
    """One search: what it found, and the relevant documents."""

    examined: Examined
    docs: tuple[str, ...]
    grades: Mapping[str, int]

    def ndcg(self, shift: Shift) -> float:
        """nDCG@10 by document under shifted weights."""
        present = {part: part in self.examined.parts for part in PARTS}
        weights = part_weights(ranking_for("e5-small").parts, self.examined.profile, present, shift)
        scores = weigh(self.examined.parts, weights).scores
        seen = dict.fromkeys(self.docs[i] for i in np.argsort(-scores, kind="stable"))
        return ndcg(Judged(tuple(self.grades.get(doc, 0) for doc in seen), tuple(self.grades.values())), 10)


def main() -> None:
    options = _options()
    fit_on = options.fit.split(",")
    found = {
        folder.name: searches(folder, options.most, options.seed)
        for folder in sorted(options.work.iterdir())
        if (folder / "dataset.jsonl").exists() and (not options.sets or folder.name in options.sets.split(","))
    }
    shifts: list[Shift] = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    best = max(shifts, key=lambda shift: _mean(found, fit_on, shift))
    report = {
        "seed": options.seed,
        "fitted_on": fit_on,
        "moved": best,
        "sets": {name: figures(kinds, best) for name, kinds in found.items()},
        "means": {_named(shift): round(_mean(found, fit_on, shift), 4) for shift in shifts},
    }
    if options.write:
        path = Path(hyde.__file__).with_name("hyde.json")
        told = {"on": {name: len(found[name]["direct"]) for name in fit_on}, "seed": options.seed}
        path.write_text(json.dumps({"moved": best, "fitted": told}) + "\n", encoding="utf-8")
    print(json.dumps(report, ensure_ascii=False, indent=1))


def searches(folder: Path, most: int, seed: int) -> dict[str, list[Found]]:
    """Each question as it is (`direct`) and with each kind of passage."""
    texts, rng = _texts(folder), np.random.default_rng(seed)
    found: dict[str, list[Found]] = {kind: [] for kind in ("direct", *KINDS)}
    with open_measured(folder, most=most, seed=seed) as measured:
        for question in measured.questions:
            for kind, one in _searched(measured, texts, question, rng).items():
                found[kind].append(one)
    print(f"{folder.name}: {len(found['direct'])} questions", file=sys.stderr)
    return found


def _texts(folder: Path) -> dict[str, str]:
    """The first parent's text of each document."""
    catalog = open_catalog(Project(folder).catalog_path)
    first: dict[str, str] = {}
    for row in catalog.child_rows():
        first.setdefault(row.doc, row.parent_id)
    held = catalog.parents(list(first.values()))
    catalog.close()
    return {doc: held[parent_id].text for doc, parent_id in first.items()}


def _searched(
    measured: Measured, texts: Mapping[str, str], question: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Found]:
    grades = {entry["doc"]: int(entry.get("grade", 1)) for entry in question["relevant"]}
    searcher, text = measured.searcher, question["question"]
    vectors = searcher.encode(text)
    plain = searcher.examine(text, vectors, mode="hybrid")
    found = {"direct": Found(plain, tuple(p.doc for p in plain.parents), grades)}
    for kind, passage in _passages(measured, texts, grades, rng).items():
        both = searcher.encode(f"{text}\n{passage}")
        examined = searcher.examine(text, vectors, mode="hybrid", found_by=both)
        found[kind] = Found(examined, tuple(p.doc for p in examined.parents), grades)
    return found


def _passages(
    measured: Measured, texts: Mapping[str, str], grades: Mapping[str, int], rng: np.random.Generator
) -> dict[str, str]:
    """What stands in for a model's passage, by kind."""
    right = next((texts[doc] for doc in grades if doc in texts), "")
    near = measured.searcher.search(SearchRequest(right[:300] or "?", k=10)).passages
    others = [p.context for p in near if p.doc not in grades]
    return {
        "near": others[0][:CHARS] if others else "",
        "astray": str(rng.choice(list(texts.values())))[:CHARS],
        "right": right[:CHARS],
    }


def figures(found: Mapping[str, Sequence[Found]], shift: Shift) -> dict[str, Any]:
    """nDCG@10 as asked, and with each kind of passage: weights as they are, and shifted."""
    as_they_are: Shift = {}
    values: dict[str, Any] = {"questions": len(found["direct"]), "direct": _ndcg(found["direct"], as_they_are)}
    for kind in KINDS:
        values[kind] = {"unshifted": _ndcg(found[kind], as_they_are), "shifted": _ndcg(found[kind], shift)}
    values["sure"] = {kind: _sure(found[kind]) for kind in ("direct", *KINDS)}
    return values


def _sure(found: Sequence[Found]) -> float:
    """The mean confidence."""
    model = ranking_for("e5-small")
    return round(float(np.mean([confidence(one.examined, by_fusion(one.examined), model) for one in found])), 3)


def _mean(found: Mapping[str, Mapping[str, Sequence[Found]]], sets: Sequence[str], shift: Shift) -> float:
    return float(np.mean([_ndcg(found[name][kind], shift) for name in sets for kind in ("near", "astray")]))


def _ndcg(found: Sequence[Found], shift: Shift) -> float:
    return round(float(np.mean([one.ndcg(shift) for one in found])), 4)


def _named(shift: Shift) -> str:
    return " ".join(f"{leg} {value:+g}" for leg, value in shift.items())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--fit", required=True, help="sets to fit on, by comma")
    parser.add_argument("--sets", default="", help="sets to look at, by comma; all of them without it")
    parser.add_argument("--most", type=int, default=100, help="questions a set, by lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write edu_cli/ask/retrieval/hyde.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
