"""The question moved towards what was found first."""

from __future__ import annotations

import numpy as np
import pytest

from edu_cli.ask.retrieval.feedback import feedback
from edu_cli.types import StoredChild, StoredParent

QUESTION = np.array([1.0, 0.0, 0.0], np.float32)
ASIDE = np.array([0.0, 1.0, 0.0], np.float32)


def parent(name: str, n_children: int) -> StoredParent:
    children = tuple(StoredChild(f"{name}#{i}", i, i + 1) for i in range(n_children))
    return StoredParent(
        parent_id=name,
        doc_id=name,
        doc=f"{name}.md",
        title="",
        subject="",
        section=(),
        page=None,
        page_end=None,
        text="xy",
        children=children,
    )


def test_a_passage_near_what_leads_passes_one_that_is_as_near_to_the_question_alone() -> None:
    near, far = parent("near", 1), parent("far", 1)
    vectors = {
        "lead#0": np.array([0.8, 0.6, 0.0], np.float32),
        "near#0": np.array([0.6, 0.8, 0.0], np.float32),
        "far#0": np.array([0.6, 0.0, 0.8], np.float32),
    }
    moved = feedback(QUESTION, [near, far], vectors, ["lead#0"])
    assert moved.tolist() == pytest.approx([0.6 + 0.5 * (0.8 * 0.6 + 0.6 * 0.8), 0.6 + 0.5 * 0.8 * 0.6])


def test_a_parent_counts_by_its_best_child() -> None:
    vectors = {"a#0": ASIDE, "a#1": QUESTION}
    assert feedback(QUESTION, [parent("a", 2)], vectors, ["a#1"]).tolist() == pytest.approx([1.5])


@pytest.mark.parametrize("leading", [[], ["unknown"]])
def test_with_nothing_to_move_towards_there_is_no_score(leading: list[str]) -> None:
    assert np.isnan(feedback(QUESTION, [parent("a", 1)], {"a#0": ASIDE}, leading)).all()


def test_without_vectors_there_is_no_score() -> None:
    assert np.isnan(feedback(None, [parent("a", 1)], {}, ["a#0"])).all()
    assert np.isnan(feedback(QUESTION, [parent("a", 1), parent("b", 1)], {"b#0": ASIDE}, ["b#0"])).tolist() == [
        True,
        False,
    ]
