from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edu_cli.evaluate.calibration import calibrate, corrected, fit, reliability


def cases(n, *, scale=1.0, shift=0.0, seed=0):
    """Confidences whose true probability is the corrected one."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.02, 0.98, n)
    return [(float(p), bool(rng.random() < corrected(p, scale, shift))) for p in sure]


def test_the_correction_that_made_the_data_is_found():
    scale, shift = fit(cases(20_000, scale=0.5, shift=-1.0))
    assert scale == pytest.approx(0.5, abs=0.05)
    assert shift == pytest.approx(-1.0, abs=0.05)


def test_the_error_falls_on_the_held_half():
    found = calibrate(cases(4000, scale=0.4, shift=-1.5), 0)
    assert found["before"]["ece"] > 0.15
    assert found["after"]["ece"] < 0.05
    assert found["fitted_on"] == 2000
    assert found["after"]["n"] == 2000


def test_a_confidence_that_is_right_already_is_left_about_as_it_is():
    scale, shift = fit(cases(20_000))
    assert scale == pytest.approx(1, abs=0.05)
    assert shift == pytest.approx(0, abs=0.05)


def test_the_order_of_confidences_is_never_turned_round():
    assert fit([(0.9, False), (0.1, True)] * 50)[0] > 0


def test_certainties_and_equal_confidences_can_be_fitted():
    assert all(np.isfinite(fit([(1.0, True), (0.0, False), (1.0, True)])))
    assert all(np.isfinite(fit([(0.5, True), (0.5, False)] * 10)))


@pytest.mark.parametrize("pairs", [[], [(0.5, True)], [(0.5, True)] * 20])
def test_without_both_kinds_there_is_no_fit(pairs):
    assert calibrate(pairs, 0) is None


def test_reliability_compares_confidence_and_share_right():
    found = reliability([(0.75, True), (0.75, False), (0.15, False), (1.0, True)])
    assert [(b["low"], b["n"], b["right"]) for b in found["bins"]] == [(0.1, 1, 0.0), (0.7, 2, 0.5), (0.9, 1, 1.0)]
    assert found["ece"] == pytest.approx((0.15 + 2 * 0.25 + 0) / 4)
    assert reliability([])["ece"] == 0.0


@pytest.mark.parametrize(("n", "low", "high"), [(50, 0.1, 0.2), (250, 0.04, 0.09), (4000, 0.01, 0.025)])
def test_what_chance_alone_gives_is_told(n, low, high):
    found = reliability(cases(n))
    assert low < found["chance"] < high
    assert abs(found["ece"] - found["chance"]) < low + 0.02
    assert reliability(cases(n))["chance"] == found["chance"]
    assert reliability([])["chance"] == 0.0


@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=4, max_size=60))
@settings(max_examples=150, deadline=None)
def test_a_fit_is_never_worse_than_no_correction_on_what_it_was_fitted_on(pairs: list[tuple[float, bool]]) -> None:
    scale, shift = fit(pairs)
    assume(scale > 0.01)  # held above 0: the order is kept rather than the likelihood
    assert _log_loss(pairs, scale, shift) <= _log_loss(pairs, 1.0, 0.0) + 1e-6


def test_confidences_that_say_next_to_nothing_are_flattened_not_blown_up() -> None:
    sure = np.random.default_rng(3).uniform(0.8, 0.999, 120)
    scale, shift = fit([(float(one), i % 5 < 2) for i, one in enumerate(sure)])
    assert 0 < scale < 1
    assert abs(shift) < 5


def _log_loss(pairs: list[tuple[float, bool]], scale: float, shift: float) -> float:
    """By the smoothed targets that the fit is made by."""
    n_right = sum(right for _, right in pairs)
    high, low = (n_right + 1) / (n_right + 2), 1 / (len(pairs) - n_right + 2)
    chances = [(corrected(sure, scale, shift), high if right else low) for sure, right in pairs]
    return -sum(t * np.log(max(p, 1e-300)) + (1 - t) * np.log(max(1 - p, 1e-300)) for p, t in chances)
