from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.evaluate.statistics import auroc, means, paired_p


def test_the_interval_holds_the_mean_and_is_repeatable():
    values = [{"a": float(i % 2), "b": i / 50} for i in range(50)]
    first, second = means(values, 3), means(values, 3)
    assert first == second
    assert first["a"].low < 0.5 < first["a"].high
    assert first["a"].mean == pytest.approx(0.5)
    assert first["a"].n == 50
    assert means(values, 4) != first


def test_the_interval_has_about_the_width_of_theory():
    rng = np.random.default_rng(0)
    found = means([{"a": float(value)} for value in rng.normal(size=400)], 0)["a"]
    assert found.high - found.low == pytest.approx(2 * 1.96 / 20, rel=0.15)


def test_without_questions_there_are_no_means():
    assert means([], 0) == {}


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_mean_never_leaves_its_interval(values):
    found = means([{"a": value} for value in values], 0)["a"]
    assert found.low <= found.mean <= found.high


def test_no_difference_has_p_of_one():
    assert paired_p([0.1, 0.5], [0.1, 0.5], 0) == 1.0


def test_a_steady_difference_is_not_chance_and_a_mixed_one_is():
    rng = np.random.default_rng(1)
    before = rng.random(100)
    assert paired_p(before.tolist(), (before - 0.1).tolist(), 0) < 0.001
    assert paired_p(before.tolist(), (before + rng.normal(scale=0.1, size=100)).tolist(), 0) > 0.01


def test_p_of_few_questions_is_that_of_counting_the_signs():
    assert paired_p([0, 0, 0], [1, 1, 1], 0) == pytest.approx(2 / 8, abs=0.02)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_auroc_counts_the_pairs(positive, negative):
    pairs = [(p > n) + 0.5 * (p == n) for p in positive for n in negative]
    assert auroc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


def test_auroc_needs_both_kinds():
    assert auroc([], [1.0]) is None
