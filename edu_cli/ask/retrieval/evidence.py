"""Shortlisted parents -> what speaks for each: vectors of all its children, the question's words, headings, length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.retrieval.asked import Asked, plain_all
from edu_cli.types import StoredParent

FEATURES = ("whole", "several", "child_coverage", "opening")
_OPENING_CHARS = 60  # where a section says what it is about
# A child that holds all of the question beats one that holds none of it by this much cosine (children of one parent lie
# within about .05 of each other).
_COVERAGE_IN_CHOICE = 0.05
_SEVERAL = 5  # best children whose mean cosine says that a section is about the question, not one line of it


@dataclass(frozen=True, slots=True)
class Evidence:
    """One row a parent; `values` has the columns of FEATURES, NaN where there are no vectors.

    `best` are the ids of the children to show, `texts` the parents' texts, plain, `headings` what stands above.
    """

    values: npt.NDArray[np.float64]
    best: tuple[str, ...]
    texts: tuple[str, ...]
    headings: tuple[str, ...]

    def column(self, name: str) -> npt.NDArray[np.float64]:
        """One feature of all parents."""
        return self.values[:, FEATURES.index(name)]


def gather(
    asked: Asked,
    question_vector: npt.NDArray[np.float32] | None,
    parents: Sequence[StoredParent],
    vectors: Mapping[str, npt.NDArray[np.float32]],
    hit_children: Mapping[str, Sequence[str]],
) -> Evidence:
    """The evidence for each parent. `hit_children` are the children by which legs found a parent, best first."""
    pieces = [[heading_of(parent), *_child_texts(parent)] for parent in parents]
    plain_pieces = iter(plain_all([piece for group in pieces for piece in group]))
    rows, best, bodies, headings = [], [], [], []
    for parent, group in zip(parents, pieces, strict=True):
        heading, *children = (next(plain_pieces) for _ in group)
        body = "".join(children)
        held = np.stack([asked.held(text) for text in children]) | asked.held(heading)
        cosines, whole, several = _dense(question_vector, parent, vectors)
        coverages = held @ asked.weights
        chosen = _best_child(parent, cosines, coverages, hit_children.get(parent.parent_id, ()))
        bodies.append(body)
        headings.append(heading)
        best.append(parent.children[chosen].child_id if parent.children else parent.parent_id)
        rows.append((whole, several, coverages[chosen], asked.held(body[:_OPENING_CHARS]) @ asked.weights))
    values = np.array(rows, np.float64).reshape(len(rows), len(FEATURES))
    return Evidence(values, tuple(best), tuple(bodies), tuple(headings))


def heading_of(parent: StoredParent) -> str:
    """Title and heading path as one line, each once."""
    return " › ".join(dict.fromkeys(part for part in (parent.title, *parent.section) if part))


def _child_texts(parent: StoredParent) -> list[str]:
    return [parent.text[child.start : child.end] for child in parent.children] or [parent.text]


def _dense(
    question: npt.NDArray[np.float32] | None, parent: StoredParent, vectors: Mapping[str, npt.NDArray[np.float32]]
) -> tuple[npt.NDArray[np.float64], float, float]:
    """The cosine of each child with the question, of the whole parent, and the mean of its best children's.

    NaN where there is no vector. The whole is the mean of its children's vectors weighted by length: as good as
    encoding the parent (measured), for no encoding.
    """
    cosines = np.full(len(parent.children), np.nan)
    held = [i for i, child in enumerate(parent.children) if child.child_id in vectors]
    if question is None or not held:
        return cosines, np.nan, np.nan
    children = [parent.children[i] for i in held]
    rows = np.stack([vectors[child.child_id] for child in children])
    cosines[held] = rows @ question
    mean = np.array([max(child.end - child.start, 1) for child in children], np.float32) @ rows
    several = np.sort(cosines[held])[-_SEVERAL:].mean()
    return cosines, float(mean @ question) / max(float(np.linalg.norm(mean)), 1e-9), float(several)


def _best_child(
    parent: StoredParent, cosines: npt.NDArray[np.float64], coverages: npt.NDArray[np.float64], hits: Sequence[str]
) -> int:
    """The child to show: close to the question and holding its words; the one that a leg found first on equal terms."""
    if not parent.children:
        return 0
    order = {child_id: i for i, child_id in enumerate(hits)}
    closeness = np.nan_to_num(cosines, nan=0.0) + _COVERAGE_IN_CHOICE * coverages
    first = [-order.get(child.child_id, len(order)) for child in parent.children]
    return max(range(len(parent.children)), key=lambda i: (closeness[i], first[i], -i))
