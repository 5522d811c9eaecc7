"""Shortlisted parents -> what speaks for each: vectors of all its children, the question's words, headings, length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edu_cli.ask.asked import Asked, longest_run, plain
from edu_cli.types import StoredParent

FEATURES = (
    "best_child",
    "whole",
    "coverage",
    "child_coverage",
    "opening",
    "heading_asked",
    "run",
)
_OPENING_CHARS = 60  # where a section says what it is about
# A child that holds all of the question beats one that holds none of it by this much cosine (children of one parent lie
# within about .05 of each other).
_COVERAGE_IN_CHOICE = 0.05


@dataclass(frozen=True, slots=True)
class Evidence:
    """One row a parent; `values` has the columns of FEATURES, NaN where there are no vectors.

    `best` are the ids of the children to show, `texts` the parents' texts, plain and without headings.
    """

    values: npt.NDArray[np.float64]
    best: tuple[str, ...]
    texts: tuple[str, ...]

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
    rows, best, bodies = [], [], []
    for parent in parents:
        heading = plain(heading_of(parent))
        children = [plain(parent.text[c.start : c.end]) for c in parent.children] or [plain(parent.text)]
        body = "".join(children)
        cosines = _cosines(question_vector, parent, vectors)
        coverages = [asked.coverage(f"{heading}\n{text}") for text in children]
        chosen = _best_child(parent, cosines, coverages, hit_children.get(parent.parent_id, ()))
        bodies.append(body)
        best.append(parent.children[chosen].child_id if parent.children else parent.parent_id)
        rows.append(
            (
                *_dense(question_vector, parent, vectors, cosines),
                asked.coverage(f"{heading}\n{body}"),
                coverages[chosen],
                asked.coverage(body[:_OPENING_CHARS]),
                asked.coverage(heading),
                longest_run(asked.folded, body) / max(len(asked.folded), 1),
            )
        )
    return Evidence(np.array(rows, np.float64).reshape(len(rows), len(FEATURES)), tuple(best), tuple(bodies))


def heading_of(parent: StoredParent) -> str:
    """Title and heading path as one line, each once."""
    return " › ".join(dict.fromkeys(part for part in (parent.title, *parent.section) if part))


def _cosines(
    question: npt.NDArray[np.float32] | None, parent: StoredParent, vectors: Mapping[str, npt.NDArray[np.float32]]
) -> npt.NDArray[np.float64]:
    """Of each child with the question, NaN where there is no vector."""
    found = np.full(len(parent.children), np.nan)
    if question is not None:
        for i, child in enumerate(parent.children):
            if child.child_id in vectors:
                found[i] = float(vectors[child.child_id] @ question)
    return found


def _dense(
    question: npt.NDArray[np.float32] | None,
    parent: StoredParent,
    vectors: Mapping[str, npt.NDArray[np.float32]],
    cosines: npt.NDArray[np.float64],
) -> tuple[float, float]:
    """Best child and whole parent.

    The whole is the mean of its children's vectors weighted by length: as good as encoding the parent (measured), for
    no encoding.
    """
    if question is None or np.isnan(cosines).all():
        return np.nan, np.nan
    held = [c for c in parent.children if c.child_id in vectors]
    weights = np.array([max(c.end - c.start, 1) for c in held], np.float64)
    mean = weights @ np.stack([vectors[c.child_id] for c in held]).astype(np.float64)
    whole = float(mean @ question) / max(float(np.linalg.norm(mean)), 1e-9)
    return float(np.nanmax(cosines)), whole


def _best_child(
    parent: StoredParent, cosines: npt.NDArray[np.float64], coverages: Sequence[float], hits: Sequence[str]
) -> int:
    """The child to show: close to the question and holding its words; the one that a leg found first on equal terms."""
    if not parent.children:
        return 0
    order = {child_id: i for i, child_id in enumerate(hits)}
    closeness = np.nan_to_num(cosines, nan=0.0) + _COVERAGE_IN_CHOICE * np.array(coverages)
    first = [-order.get(child.child_id, len(order)) for child in parent.children]
    return max(range(len(parent.children)), key=lambda i: (closeness[i], first[i], -i))
