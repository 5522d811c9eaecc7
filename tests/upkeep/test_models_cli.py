from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.errors import EncoderError, UsageError
from edu_cli.model_files import BGE_M3_PARTS
from edu_cli.settings import EncoderSettings, Settings
from edu_cli.upkeep.models import find_named, pull


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, and a working directory without a project."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hub"


def _fill(hub: Path, name: str, *parts: str) -> Path:
    repository = hub / f"models--{name.replace('/', '--')}"
    folder = repository / "snapshots" / "abc"
    folder.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc", encoding="ascii")
    for part in ("config.json", "model.safetensors", *parts):
        (folder / part).write_bytes(b"0" * 1000)
    return folder


def _json(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run(["models", *args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_list_tells_what_is_here(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _fill(hub, "BAAI/bge-m3", *BGE_M3_PARTS)
    code, value = _json(capsys, "list")
    by_name = {model["name"]: model for model in value["models"]}
    assert (code, value["schema"], list(by_name)) == (0, 1, ["e5-small", "cross", "bge-m3", "bge-reranker"])
    assert (by_name["bge-m3"]["path"], by_name["bge-m3"]["bytes"]) == (str(folder), 4000)
    assert (by_name["bge-reranker"]["path"], by_name["bge-reranker"]["bytes"]) == (None, 0)
    assert run(["models", "list", "-v"]) == 0
    assert "BAAI/bge-reranker-v2-m3" in capsys.readouterr().out


def test_path_prints_the_folder_or_names_the_command(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _json(capsys, "path", "bge-m3")
    assert (code, value["error"]["hint"]) == (1, "edu models pull bge-m3")
    folder = _fill(hub, "BAAI/bge-m3", *BGE_M3_PARTS)
    assert run(["models", "path", "BAAI/bge-m3"]) == 0
    assert capsys.readouterr().out == f"{folder}\n"


def test_an_unknown_name_is_a_usage_error_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _json(capsys, "pull", "bge-m4")
    assert (code, value["error"]["code"]) == (2, "usage")
    assert "did you mean bge-m3?" in value["error"]["hint"]


def test_what_is_here_is_not_fetched_again(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _fill(hub, "BAAI/bge-reranker-v2-m3")
    code, value = _json(capsys, "pull", "bge-reranker")
    assert (code, value["path"], value["fetched"]) == (0, str(folder), False)


def test_pull_fetches_what_is_absent_and_wants_all_of_it(hub: Path) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return _fill(hub, name, *BGE_M3_PARTS)

    assert pull(find_named(Settings(), "bge-m3"), fetch).name == "abc"
    assert asked == ["BAAI/bge-m3"]
    with pytest.raises(EncoderError):  # a download that lacks its parts is not taken for the model
        pull(find_named(Settings(), "bge-reranker"), lambda name: hub)


def test_a_folder_cannot_be_fetched(tmp_path: Path) -> None:
    settings = Settings(encoder=EncoderSettings(bge_m3=str(tmp_path / "m3")))
    with pytest.raises(UsageError, match="only a hub id can be fetched"):
        pull(find_named(settings, "bge-m3"))
