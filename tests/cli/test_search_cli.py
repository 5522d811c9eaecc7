from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.cli.hits import snippet

FILES = {
    "ds/栈.md": "# 栈\n\n栈是后进先出的线性表。压栈和弹栈都在栈顶进行。\n\n## 应用\n\n括号匹配用栈来做。\n",
    "ds/队列.md": "# 队列\n\n队列是先进先出的线性表。入队在队尾，出队在队头。\n",
    "os/进程.md": "# 进程\n\n进程是资源分配的单位，线程是调度的单位。\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files, searched by BM25 only, which needs neither Milvus nor an encoder."""
    folder = tmp_path_factory.mktemp("course")
    for name, text in FILES.items():
        file = folder / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "edu.toml").write_text('[encoder]\nname = "none"\n', encoding="utf-8")
    assert run(["ingest", str(folder / "files"), "--project", str(folder), "-q"]) == 0
    return folder


def searched(capsys: pytest.CaptureFixture[str], project: Path, *args: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run(["search", *args, "--json", "--project", str(project)])
    return code, json.loads(capsys.readouterr().out)


def test_json_has_the_keys_of_the_contract(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = searched(capsys, project, "压栈和弹栈在哪里进行", "-k", "2")
    assert found["schema"] == 1
    assert set(found) >= {"question", "confidence", "hits", "seconds"}
    assert set(found["seconds"]) >= {"encode", "retrieve", "rerank", "total"}
    hit = found["hits"][0]
    assert set(hit) >= {"rank", "score", "doc", "title", "section", "page", "subject", "parent_id", "child_id", "text"}
    assert set(hit) >= {"context", "sources", "rerank_score"}
    assert (hit["rank"], hit["doc"], hit["subject"], hit["section"]) == (1, "ds/栈.md", "ds", ["栈"])
    assert hit["text"] in hit["context"]
    assert set(hit["sources"]["bm25"]) >= {"rank", "score"}


def test_a_reader_sees_place_snippet_and_confidence(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["search", "括号匹配", "--project", str(project)])
    shown = capsys.readouterr().out
    assert "ds/栈.md › 栈 › 应用" in shown
    assert "括号匹配用栈来做。" in shown
    assert "confidence" in shown


def test_explain_shows_the_legs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["search", "括号匹配", "--explain", "--project", str(project)])
    shown = capsys.readouterr().out
    assert "bm25 第1名" in shown
    assert "retrieve" in shown


@pytest.mark.parametrize(
    ("flags", "docs"),
    [
        (["--subject", "os"], {"os/进程.md"}),
        (["--doc", "ds/队*.md"], {"ds/队列.md"}),
        (["--filter", "format=pdf"], set()),
    ],
)
def test_flags_narrow_the_search(
    project: Path, capsys: pytest.CaptureFixture[str], flags: list[str], docs: set[str]
) -> None:
    _, found = searched(capsys, project, "线性表的单位", *flags)
    assert {hit["doc"] for hit in found["hits"]} == docs


def test_nothing_found_is_exit_4_with_empty_hits(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = searched(capsys, project, "zzqqx")
    assert (code, found["hits"], found["confidence"]) == (4, [], 0.0)


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_a_usage_error(project: Path, capsys: pytest.CaptureFixture[str], question: str) -> None:
    code, found = searched(capsys, project, question)
    assert code == 2
    assert found["error"]["code"] == "usage"


def test_a_question_may_come_from_stdin(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("入队在哪里\n".encode())))
    _, found = searched(capsys, project, "-")
    assert found["question"] == "入队在哪里"
    assert found["hits"][0]["doc"] == "ds/队列.md"


def test_a_batch_gives_one_object_a_line_in_order(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = [
        "入队在哪里",
        "",
        '{"id": "q2", "question": "单位是什么", "subject": "os"}',
        '{"id": "q3", "question": "单位", "subject": "ds"}',
    ]
    batch = tmp_path / "questions.txt"
    batch.write_text("\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    run(["search", "--batch", str(batch), "--project", str(project)])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one.get("id") for one in found] == [None, "q2", "q3"]
    assert [one["hits"][0]["doc"] if one["hits"] else None for one in found] == ["ds/队列.md", "os/进程.md", None]


def test_a_batch_and_a_question_exclude_each_other(project: Path, tmp_path: Path) -> None:
    assert run(["search", "栈", "--batch", str(tmp_path / "x"), "--project", str(project)]) == 2


def test_a_mode_that_needs_an_encoder_says_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = searched(capsys, project, "栈", "--mode", "dense")
    assert code == 1
    assert "BM25 only" in found["error"]["message"]


def test_a_snippet_is_cut_around_the_words_of_the_question() -> None:
    text = "开头的话。" * 40 + "压栈在栈顶进行。" + "结尾的话。" * 40
    shown = snippet(text, ["压栈", "栈顶"])
    assert "压栈在栈顶进行" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 122


def test_a_snippet_shows_no_control_characters_of_a_document() -> None:
    assert "\x1b" not in snippet("\x1b[2J清屏", ["清屏"])


def test_a_project_without_documents_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDU_ENCODER", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course").mkdir()
    assert run(["ingest", "course"]) == 0
    assert run(["search", "括号匹配"]) == 4
    assert "no document in this project yet: `edu ingest PATH`" in capsys.readouterr().err
