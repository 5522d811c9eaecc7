"""A project without an encoder stands ready."""

from __future__ import annotations

from pathlib import Path

import pytest

from edu_cli.cli.app import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The working directory: two documents, an FAQ entry of a person's, BM25 only."""
    folder = tmp_path / "project"
    (folder / "course" / "ai").mkdir(parents=True)
    (folder / "course" / "ai" / "大纲.md").write_text("# 第一章 优化\n\n梯度下降是一种优化方法。\n", encoding="utf-8")
    (folder / "course" / "说明.md").write_text("# 说明\n\n课程从周一开始，费用为 1280 元。\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EDU_ENCODER", "none")
    assert run(["ingest", "course"]) == 0
    capsys.readouterr()
    return folder
