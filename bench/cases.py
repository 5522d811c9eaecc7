"""Questions of a project as the fitting scripts weigh them: what was found, and what each row of it is worth.

Relevance is by document, and copies count as in `edu eval`: a passage that many files hold is one row, relevant where
any of its files is. So no fit learns to tell apart what cannot be told apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from measured import Measured, open_measured

from edu_cli.ask.retrieval.duplicates import distinct
from edu_cli.ask.retrieval.examine import Examined
from edu_cli.types import Scope

Floats = npt.NDArray[np.float64]
DISCOUNT = 1 / np.log2(np.arange(2, 12))


@dataclass(frozen=True)
class Case:
    """One question: what was found, and what is found without its relevant documents.

    `docs[i]` are the relevant documents that hold row i or a copy of it, or one name for the row and its copies where
    none is; `grades[i]` is the best grade among them. `ideal` is the gain of the best order. `read` is what a reader said
    of the rows, as they are and without the relevant documents.
    """

    examined: Examined
    docs: tuple[tuple[str, ...], ...]
    grade_of: Mapping[str, float]
    ideal: float
    without: Examined | None
    read: tuple[Floats, Floats] | None = None

    @property
    def grades(self) -> Floats:
        """The grade of each row."""
        return np.array([max(self.grade_of.get(doc, 0.0) for doc in docs) for docs in self.docs])

    def ndcg(self, scores: Floats) -> float:
        """nDCG@10 of the order of some scores: each document at the place of its first row."""
        gains: dict[str, float] = {}
        for row in np.argsort(-scores, kind="stable"):
            for doc in self.docs[row]:
                gains.setdefault(doc, self.grade_of.get(doc, 0.0))
            if len(gains) >= len(DISCOUNT):
                break
        found = np.array(list(gains.values())[: len(DISCOUNT)])
        return float((found * DISCOUNT[: len(found)]).sum() / self.ideal)


Reader = Callable[[str, Examined], Floats]


def collect(folder: Path, mode: str, most: int, seed: int, reader: Reader | None = None) -> list[Case]:
    """The questions of a project, examined: at most `most`, by lot; `reader` gives each row a number.

    They hold no texts: what is counted from here on are numbers.
    """
    with open_measured(folder, most=most, seed=seed) as measured:
        found = [_read(see(measured, question, mode), question["question"], reader) for question in measured.questions]
    print(f"{folder.name} ({mode}): {len(found)} questions", file=sys.stderr)
    return found


def see(measured: Measured, question: Mapping[str, Any], mode: str) -> Case:
    """One question, examined, texts and all."""
    grades = {entry["doc"]: float(entry.get("grade", 1)) for entry in question["relevant"]}
    searcher, text = measured.searcher, question["question"]
    vectors = searcher.encode(text) if mode == "hybrid" else None
    examined = searcher.examine(text, vectors, mode=mode)
    groups = _groups([parent.doc for parent in examined.parents], examined.evidence.texts)
    held = [tuple(doc for doc in group if doc in grades) or group[:1] for group in groups]
    answering = set(grades).union(*(group for group in groups if grades.keys() & group))
    others = frozenset(doc_id for doc, doc_id in measured.doc_ids.items() if doc not in answering)
    without = searcher.examine(text, vectors, mode=mode, scope=Scope(doc_ids=others)) if others else None
    gains = sorted(grades.values(), reverse=True)[: len(DISCOUNT)]
    ideal = float((gains * DISCOUNT[: len(gains)]).sum())
    return Case(examined, tuple(held), grades, ideal, without if without and without.parents else None)


def _read(case: Case, question: str, reader: Reader | None) -> Case:
    without = case.without
    read = (reader(question, case.examined), reader(question, without) if without else np.zeros(0)) if reader else None
    return replace(case, examined=_light(case.examined), without=_light(without) if without else None, read=read)


def _groups(docs: Sequence[str], texts: Sequence[str]) -> list[tuple[str, ...]]:
    """For each row the documents of the rows that are copies of it, itself among them, the same for all copies."""
    heads: list[int] = []
    members: dict[int, list[str]] = {}
    head_of: list[int] = []
    for row, text in enumerate(texts):
        same = next((head for head in heads if len(distinct(["", ""], [texts[head], text], 2)) == 1), row)
        if same == row:
            heads.append(row)
        members.setdefault(same, []).append(docs[row])
        head_of.append(same)
    return [tuple(dict.fromkeys(members[head])) for head in head_of]


def _light(examined: Examined) -> Examined:
    """Without texts and children, which are only counted from here on."""
    parents = tuple(replace(parent, text="", children=()) for parent in examined.parents)
    return replace(examined, parents=parents, evidence=replace(examined.evidence, texts=(), headings=()))
