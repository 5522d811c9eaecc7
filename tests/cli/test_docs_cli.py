from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDU_ENCODER", "none")
    folder = tmp_path / "course"
    (folder / "ai").mkdir(parents=True)
    (folder / "ai" / "一.md").write_text("# 甲\n\n第一句。第二句。\n\n## 乙\n\n第三句。\n", encoding="utf-8")
    (folder / "二.txt").write_text("第四句。\n", encoding="utf-8")
    assert run(["ingest", str(folder)]) == 0
    capsys.readouterr()
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    code = run(list(args))
    return code, capsys.readouterr().out


def _paths(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    value = json.loads(_run(capsys, "docs", "list", "--json", *args)[1])
    return [document["path"] for document in value["documents"]]


def test_list_takes_globs_and_subjects(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _paths(capsys) == ["ai/一.md", "二.txt"]
    assert _paths(capsys, "ai/*") == ["ai/一.md"]
    assert _paths(capsys, "--subject", "ai") == ["ai/一.md"]


def test_export_gives_one_parent_a_line_whose_children_slice_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.loads(line) for line in _run(capsys, "docs", "export")[1].splitlines()]
    assert [line["doc"] for line in lines] == ["ai/一.md", "ai/一.md", "二.txt"]
    assert [line["section"] for line in lines[:2]] == [["甲"], ["甲", "乙"]]
    for line in lines:
        assert set(line) == {"doc", "title", "subject", "section", "page", "parent_id", "text", "children"}
        for child in line["children"]:
            assert line["text"][child["start"] : child["end"]] == child["text"]
    whole: Any = json.loads(_run(capsys, "docs", "export", "--json")[1])
    assert whole == {"schema": 1, "parents": lines}


def test_show_tells_sections_and_with_v_their_texts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = _run(capsys, "docs", "show", "ai/一.md")
    assert code == 0
    assert "甲 › 乙" in text
    assert "第三句" not in text
    assert "第三句" in _run(capsys, "docs", "show", "ai/一.md", "-v")[1]
    value = json.loads(_run(capsys, "docs", "show", "ai/一.md", "--json")[1])
    assert len(value["documents"][0]["sections"]) == 2


def test_a_document_that_is_not_there_is_a_usage_error_that_names_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in ("show", "remove", "export"):
        assert run(["docs", verb, "ai/一.mdx"]) == 2
        assert "did you mean ai/一.md?" in capsys.readouterr().err
    assert run(["docs", "show", "nope.md"]) == 2
    assert "`edu docs list`" in capsys.readouterr().err


def test_a_removed_document_is_gone_from_every_list_and_index(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = _run(capsys, "docs", "remove", "ai/*", "--json")
    assert code == 0
    assert json.loads(text) == {"schema": 1, "removed": ["ai/一.md"], "chunks": 2}
    assert _paths(capsys) == ["二.txt"]
    assert json.loads(_run(capsys, "index", "--check", "--json")[1])["children"] == 1
    assert run(["ingest", "course", "-q"]) == 0
    capsys.readouterr()
    assert _paths(capsys) == ["ai/一.md", "二.txt"]


def test_docs_alone_lists_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = _run(capsys, "docs", "list", "--json")
    assert _run(capsys, "docs", "--json") == listed
    assert _run(capsys, "docs") == _run(capsys, "docs", "list")
    assert "Commands:" in _run(capsys, "docs", "--help")[1]


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["docs", "list", "--tenant", "别班"], "none has any here"),
        (["docs", "list", "--subject", "无此科"], "there are: ai"),
        (["docs", "list", "--subject", "al"], "did you mean 'ai'?"),
        (["docs", "show", "ai/二.md"], "did you mean ai/一.md?"),
        (["search", "第一句", "--doc", "al/*"], "did you mean 'ai/*'?"),
    ],
)
def test_a_name_that_nothing_has_is_told_with_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str], args: list[str], hint: str
) -> None:
    assert run(args) == 2
    assert hint in capsys.readouterr().err


def test_a_narrow_terminal_gets_lines_instead_of_a_table(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, text = _run(capsys, "docs", "list")
    assert text.splitlines()[:3] == ["ai/一.md", "  subject: ai", "  format: md"]
