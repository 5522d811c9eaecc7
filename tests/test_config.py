"""Settings: layers, refusals, and that `.env.example` says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from edu_cli.cli.config import env_template
from edu_cli.config import load_settings, masked, setting_infos
from edu_cli.errors import ConfigError

ROOT = Path(__file__).resolve().parents[1]


def test_later_layers_win_and_say_where_a_value_came_from(tmp_path: Path) -> None:
    (tmp_path / "edu.toml").write_text("[ask]\nthreshold = 0.6\npassages = 3\n[search]\nk = 4\n", encoding="utf-8")
    (tmp_path / ".env").write_text("EDU_ASK_PASSAGES=6\nEDU_SEARCH_K=5\n", encoding="utf-8")
    settings = load_settings(tmp_path, {"EDU_SEARCH_K": "7"}, {"search.mode": "bm25", "ask.threshold": None})
    assert (settings.ask.threshold, settings.ask.passages, settings.search.k) == (0.6, 6, 7)
    assert settings.search.mode == "bm25"
    assert settings.sources == {
        "ask.threshold": "edu.toml",
        "ask.passages": ".env",
        "search.k": "environment",
        "search.mode": "flag",
    }


def test_an_unknown_variable_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="EDU_MILVUS_URL") as error:
        load_settings(None, {"EDU_MILVUS_URL": "http://x"})
    assert "EDU_MILVUS_URI" in error.value.hint


def test_an_unknown_key_of_the_file_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "edu.toml").write_text("[ask]\ntreshold = 0.5\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ask\.treshold") as error:
        load_settings(tmp_path, {})
    assert "ask.threshold" in error.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EDU_ASK_THRESHOLD", "1.5"),
        ("EDU_ASK_THRESHOLD", "nan"),
        ("EDU_SEARCH_K", "ten"),
        ("EDU_SEARCH_K", "0"),
        ("EDU_ENCODER", "e5"),
    ],
)
def test_a_value_out_of_range_or_type_is_refused_by_name(name: str, value: str) -> None:
    key = next(info.key for info in setting_infos() if info.env == name)
    with pytest.raises(ConfigError, match=key):
        load_settings(None, {name: value})


@pytest.mark.parametrize("text", ["[ask\n", "ask = 1\n", "[ask]\nthreshold = true\n", "[ask]\nthreshold = 'high'\n"])
def test_a_malformed_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "edu.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"edu\.toml|ask"):
        load_settings(tmp_path, {})


def test_an_empty_variable_counts_as_unset() -> None:
    assert load_settings(None, {"EDU_SEARCH_K": ""}).search.k == 10


def test_a_secret_shows_only_its_ends_and_a_short_one_nothing() -> None:
    assert masked("sk-0123456789abcd") == "sk-…abcd"
    assert "secret" not in masked("secret")
    assert masked("") == ""


def test_the_example_file_lists_every_setting_with_its_default() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert example == env_template(), "run: edu config --env-example > .env.example"
    for info in setting_infos():
        assert f"# {info.env}={info.default}\n" in example


def test_every_variable_and_key_is_named_once() -> None:
    infos = list(setting_infos())
    assert len({i.env for i in infos}) == len({i.key for i in infos}) == len(infos)
