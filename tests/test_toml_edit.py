from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.toml_edit import with_settings, write_settings


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[search]\n",
        "# mine\n[ask]\nthreshold = 0.5 # low\n",
        "[search]\nk = 5\n\n[ask]\nthreshold = 0.5\n",
        "[search] # here\nshift = 9\nk = 5\n[ask]\nthreshold = 0.5",
    ],
)
def test_only_the_keys_given_change(before):
    after = with_settings(before, "search", {"scale": 0.5, "shift": -1.0})
    wanted = tomllib.loads(before)
    wanted.setdefault("search", {}).update(scale=0.5, shift=-1.0)
    assert tomllib.loads(after) == wanted
    assert all(line in after for line in before.splitlines() if "#" in line)
    assert with_settings(after, "search", {"scale": 0.5, "shift": -1.0}) == after


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.floats(-9, 9) | st.integers() | st.booleans(), min_size=1))
def test_what_is_written_is_read_back(values):
    assert tomllib.loads(with_settings("[other]\na = 1\n", "mine", values))["mine"] == values


def test_a_file_is_made_where_there_is_none(tmp_path):
    write_settings(tmp_path / "edu.toml", "search", {"k": 7})
    assert tomllib.loads((tmp_path / "edu.toml").read_text())["search"] == {"k": 7}
    assert [entry.name for entry in tmp_path.iterdir()] == ["edu.toml"]
