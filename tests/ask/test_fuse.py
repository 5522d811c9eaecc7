from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.retrieval.asked import Asked
from edu_cli.ask.retrieval.fuse import PARTS, RRF_K, leg_parts, part_weights, question_profile, rrf, single, weigh
from edu_cli.ask.retrieval.pool import minmax, pool_of
from edu_cli.ask.retrieval.ranking import Linear, as_json, ranking_for
from edu_cli.types import Hit, Leg

LEGS: tuple[Leg, ...] = ("dense", "sparse", "bm25")
ASKED = Asked("栈", ("栈",), np.ones(1), np.zeros(1, np.bool_))


def hits(*pairs: tuple[str, float]) -> list[Hit]:
    return [Hit(f"{p}.{i}", p, f"doc {p}", score, i) for i, (p, score) in enumerate(pairs, start=1)]


rankings = st.lists(st.sampled_from("abcdefgh"), max_size=12).map(
    lambda parents: hits(*((parent, 10.0 - i) for i, parent in enumerate(parents)))
)


def test_a_pool_keeps_each_parent_once_with_its_best_hit_and_all_children_that_hit() -> None:
    pool = pool_of({"dense": hits(("b", 0.9), ("a", 0.8), ("b", 0.7)), "bm25": hits(("c", 3.0))})
    assert pool.parent_ids == ("a", "b", "c")
    assert pool.scores["dense"][:2].tolist() == [0.8, 0.9]
    assert np.isnan(pool.scores["dense"][2])
    assert pool.ranks["dense"].tolist() == [2, 1, 0]
    assert pool.children == (("a.2",), ("b.1", "b.3"), ("c.1",))


def test_a_row_that_is_a_whole_parent_is_no_child() -> None:
    pool = pool_of({"bm25": [Hit("a", "a", "d", 1.0, 1)], "dense": [Hit("a.1", "a", "d", 0.5, 1)]})
    assert pool.children == (("a.1",),)


def test_minmax_puts_the_worst_and_the_missing_at_zero() -> None:
    assert minmax(np.array([2.0, 4.0, np.nan, 3.0])).tolist() == [0.0, 1.0, 0.0, 0.5]


def test_minmax_of_equal_scores_tells_the_brought_from_the_missing() -> None:
    assert minmax(np.array([2.0, np.nan, 2.0])).tolist() == [1.0, 0.0, 1.0]
    assert minmax(np.array([np.nan])).tolist() == [0.0]


@settings(max_examples=50, deadline=None)
@given(rankings, rankings, rankings)
def test_rrf_equals_the_formula_and_does_not_care_for_the_order_of_the_legs(
    a: list[Hit], b: list[Hit], c: list[Hit]
) -> None:
    found = dict(zip(LEGS, (a, b, c), strict=True))
    pool = pool_of(found)
    expected = []
    for parent in pool.parent_ids:
        total = 0.0
        for leg in LEGS:
            order = list(dict.fromkeys(hit.parent_id for hit in found[leg]))
            total += 1 / (RRF_K + order.index(parent) + 1) if parent in order else 0.0
        expected.append(total * (RRF_K + 1) / 3)
    assert rrf(pool).scores == pytest.approx(expected)
    turned = pool_of({leg: found[leg] for leg in reversed(LEGS)})
    assert rrf(turned).scores == pytest.approx(rrf(pool).scores)


@settings(max_examples=50, deadline=None)
@given(rankings, rankings)
def test_shares_of_the_legs_sum_to_the_score(dense: list[Hit], words: list[Hit]) -> None:
    pool = pool_of({"dense": dense, "bm25": words})
    parts = leg_parts(pool)
    fused = weigh(parts, {"best_child": 0.6, "words": 0.4})
    assert sum(fused.shares.values()) == pytest.approx(fused.scores)
    assert ((fused.scores >= 0) & (fused.scores <= 1 + 1e-9)).all()


def test_weights_sum_to_one_over_the_parts_that_are_there() -> None:
    model = Linear((), np.zeros(0), np.zeros(0), np.array([[1.0, 0.5, *[0.0] * (len(PARTS) - 2)]]))
    weights = part_weights(model, {}, {part: part != "pairs" for part in PARTS})
    assert weights["pairs"] == 0.0
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["best_child"] > weights["words"] > weights["whole"]


def test_without_any_part_nothing_weighs() -> None:
    model = Linear((), np.zeros(0), np.zeros(0), np.zeros((1, len(PARTS))))
    assert set(part_weights(model, {}, dict.fromkeys(PARTS, False)).values()) == {0.0}


def test_a_question_changes_the_weights() -> None:
    slopes = np.zeros((2, len(PARTS)))
    slopes[0, 0] = 1.0
    model = Linear(("dense_top",), np.array([0.8]), np.array([0.1]), slopes)
    present = dict.fromkeys(PARTS, True)
    sure, unsure = (part_weights(model, {"dense_top": top}, present)["best_child"] for top in (0.95, 0.65))
    assert sure > 1 / len(PARTS) > unsure


def test_an_odd_question_gets_no_wilder_weights_than_the_oddest_seen() -> None:
    model = Linear(("x",), np.zeros(1), np.ones(1), np.array([[1.0], [0.0]]))
    assert model({"x": 1e9}) == model({"x": 2.5})
    assert model({"x": float("nan")}) == model({"x": 0.0})


def test_a_leg_alone_shows_its_own_scores() -> None:
    fused = single(pool_of({"bm25": hits(("a", 7.5), ("b", 2.5))}), "bm25")
    assert fused.scores.tolist() == [7.5, 2.5]
    assert fused.order().tolist() == [0, 1]


def test_the_profile_of_nothing_found_is_all_zeros_but_the_question() -> None:
    profile = question_profile(pool_of({leg: [] for leg in LEGS}), ASKED)
    assert {name for name, value in profile.items() if value} <= {"n_words", "n_chars", "rarest"}


def test_the_profile_tells_a_peaked_leg_from_a_flat_one() -> None:
    peaked = question_profile(pool_of({"bm25": hits(("a", 9.0), ("b", 2.0), ("c", 1.0))}), ASKED)
    flat = question_profile(pool_of({"bm25": hits(("a", 9.0), ("b", 8.9), ("c", 1.0))}), ASKED)
    assert peaked["bm25_gap"] > flat["bm25_gap"]


@pytest.mark.parametrize("encoder", ["e5-small", "bge-m3", None])
def test_there_are_numbers_for_every_encoder_and_for_none(encoder: str | None) -> None:
    ranking = ranking_for(encoder)
    profile = question_profile(pool_of({leg: [] for leg in LEGS}), ASKED)
    assert ranking.parts(profile).shape[-1] == len(PARTS)


def test_a_linear_survives_its_json() -> None:
    linear = Linear(("a", "b"), np.array([1.0, 2.0]), np.array([0.5, 0.25]), np.array([[1.0], [2.0], [3.0]]))
    raw = as_json(linear)
    assert raw == {"names": ["a", "b"], "mean": [1.0, 2.0], "scale": [0.5, 0.25], "weights": [[1.0], [2.0], [3.0]]}
    assert linear({"a": 1.5, "b": 2.0}).tolist() == [4.0]
    assert linear({"a": np.array([1.5, 1.0]), "b": np.array([2.0, 2.25])}).tolist() == [[4.0], [5.0]]
