from __future__ import annotations

import pytest

from edu_cli.types.spread import Spread, spread_of


@pytest.mark.parametrize(
    ("values", "spread"),
    [
        ([], Spread(0.0, 0.0)),
        ([7.0], Spread(7.0, 7.0)),
        ([2.0, 1.0], Spread(1.0, 2.0)),
        (range(1, 101), Spread(50, 95)),
        (range(1, 21), Spread(10, 19)),
    ],
)
def test_both_figures_are_values_that_were_measured(values, spread):
    assert spread_of(values) == spread
