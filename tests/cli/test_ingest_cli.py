from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.index.lock import writer_lock


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good file in a subject, another one and an empty one; the working directory is the project."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("EDU_ENCODER", "none")
    folder = tmp_path / "course"
    (folder / "ai").mkdir(parents=True)
    (folder / "ai" / "大纲.md").write_text("# 第一章 优化\n\n梯度下降是一种优化方法。\n", encoding="utf-8")
    (folder / "说明.md").write_text("# 说明\n\n课程从周一开始。\n", encoding="utf-8")
    (folder / "空.md").write_bytes(b"")
    return folder


def _json(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([*args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _status_of(value: dict[str, Any]) -> dict[str, str]:
    return {document["path"]: document["status"] for document in value["documents"]}


def test_a_failed_file_is_exit_3_and_everything_else_is_in(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _json(capsys, "ingest", str(course))
    assert code == 3
    assert _status_of(value) == {"ai/大纲.md": "added", "空.md": "failed", "说明.md": "added"}
    assert (value["schema"], value["added"], value["failed"]) == (1, 2, 1)
    outline, failed = value["documents"][0], value["documents"][1]
    assert (outline["subject"], outline["format"], outline["title"]) == ("ai", "md", "第一章 优化")
    assert outline["children"] == 1
    assert failed["error"]["code"] == "empty"
    assert "空.md" in failed["error"]["message"]
    assert value["encoder"] == {"name": "none", "dim": 0, "sparse": False}
    assert set(value["seconds"]) == {"load", "split", "encode", "store", "index", "total"}


def test_unchanged_documents_are_listed_only_with_v(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["ingest", str(course)])
    code, value = _json(capsys, "ingest", str(course))
    assert (code, value["unchanged"], _status_of(value)) == (3, 2, {"空.md": "failed"})
    _, value = _json(capsys, "ingest", str(course), "-v")
    assert _status_of(value) == {"ai/大纲.md": "unchanged", "空.md": "failed", "说明.md": "unchanged"}


def test_the_receipt_names_what_failed_on_stdout_and_nothing_else_is_there(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", str(course)]) == 3
    printed = capsys.readouterr()
    assert "空.md is empty" in printed.out
    assert "2 added, 1 failed" in printed.out
    assert "encoder: none" in printed.err


def test_a_dry_run_tells_all_and_writes_nothing(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _json(capsys, "ingest", str(course), "--dry-run")
    assert (code, value["added"]) == (0, 3)
    assert not list(Path.cwd().iterdir())
    run(["ingest", str(course)])
    (course / "说明.md").rename(course / "读我.md")
    (course / "ai" / "大纲.md").unlink()
    _, value = _json(capsys, "ingest", str(course), "--dry-run")
    assert _status_of(value) == {"读我.md": "renamed", "ai/大纲.md": "removed", "空.md": "added"}
    code, value = _json(capsys, "docs", "list")
    assert [document["path"] for document in value["documents"]] == ["ai/大纲.md", "空.md", "说明.md"]


def test_a_path_that_does_not_exist_leaves_no_project_behind(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _json(capsys, "ingest", "没有")
    assert (code, value["error"]["code"]) == (2, "usage")
    assert "没有 does not exist" in value["error"]["message"]
    assert not list(Path.cwd().iterdir())


def test_another_encoder_than_the_pinned_one_is_exit_7_with_the_command(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", str(course)])
    code, value = _json(capsys, "ingest", str(course), "--encoder", "e5-small")
    assert (code, value["error"]["code"]) == (7, "index_mismatch")
    assert "--rebuild" in value["error"]["hint"]


def test_a_locked_project_is_exit_6_and_names_the_holder(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["ingest", str(course)])
    with writer_lock(Path(".edu/lock"), 0, print):
        code, value = _json(capsys, "ingest", str(course), "--lock-timeout", "0")
    assert (code, value["error"]["code"]) == (6, "locked")
    assert f"PID {os.getpid()}" in value["error"]["message"]


def test_index_is_fresh_after_ingest_and_stale_without_it(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["ingest", str(course)])
    code, value = _json(capsys, "index", "--check")
    assert (code, value["status"], value["children"]) == (0, "fresh", 2)
    (course / "新.md").write_text("# 新\n\n新的一章。\n", encoding="utf-8")
    run(["ingest", str(course), "--no-index"])
    code, value = _json(capsys, "index", "--check")
    assert (code, value["status"]) == (1, "stale")
    code, value = _json(capsys, "index")
    assert (code, value["status"], value["children"]) == (0, "rebuilt", 3)
    assert _json(capsys, "index")[1]["status"] == "fresh"
    assert _json(capsys, "index", "--force")[1]["status"] == "rebuilt"


def test_wrong_values_of_flags_are_usage_errors(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flag, value in (("--ocr", "sometimes"), ("--profile", "novel"), ("--encoder", "word2vec"), ("--jobs", "-1")):
        code, told = _json(capsys, "ingest", str(course), flag, value)
        assert code == 2
        assert value.lstrip("-") in told["error"]["message"]


def test_names_that_could_harm_a_terminal_are_made_visible(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (course / "x\x1b[2J.md").write_bytes(b"")
    run(["ingest", str(course)])
    printed = capsys.readouterr()
    assert "\x1b[2J" not in printed.out + printed.err


def test_quiet_names_the_files_that_failed(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (course / "空.md").write_bytes(b"")
    assert run(["ingest", str(course), "-q"]) == 3
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("failed 空.md is empty")
    assert len(printed) == 2
