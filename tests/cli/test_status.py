from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from edu_cli.cli.app import _annotations, run
from edu_cli.settings import Settings

_HEAVY = ("numpy", "pymilvus", "onnxruntime", "bm25s", "rjieba", "jieba", "torch", "fitz", "pymupdf", "docx", "openai")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDU_ENCODER", "none")
    (tmp_path / "course" / "ai").mkdir(parents=True)
    (tmp_path / "course" / "ai" / "一.md").write_text("# 甲\n\n第一句。\n", encoding="utf-8")
    (tmp_path / "course" / "空.md").write_bytes(b"")
    assert run(["ingest", "course"]) == 3
    capsys.readouterr()
    return tmp_path


def test_status_tells_what_is_in_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["documents"], value["failed"], value["parents"], value["children"]) == (1, 1, 1, 1)
    assert value["roots"] == [{"path": "course", "tenant": ""}]
    assert value["subjects"] == {"": {"ai": 1}}
    assert (value["bm25"], value["unsettled"], value["lock"]) == ("fresh", 0, None)
    assert run(["faq", "add", "补考什么时候？", "第二周。"]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    text = capsys.readouterr().out
    assert "1 and 1 that failed" in text
    assert "FAQ entries  1\n" in text


def test_status_without_a_project_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["status"]) == 2
    assert "edu ingest PATH" in capsys.readouterr().err


def test_status_after_a_change_counts_what_is_there_now(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def counted() -> tuple[int, int, str]:
        capsys.readouterr()
        assert run(["status", "--json"]) == 0
        value = json.loads(capsys.readouterr().out)
        return value["parents"], value["children"], value["bm25"]

    page = project / "course" / "ai" / "一.md"
    page.write_text("# 甲\n\n第一句。\n\n# 乙\n\n第二句。\n", encoding="utf-8")
    assert run(["ingest", "course", "--no-index"]) == 3
    assert counted() == (2, 2, "stale")
    assert run(["index"]) == 0
    assert counted() == (2, 2, "fresh")


def test_status_loads_no_more_than_it_shows(project: Path) -> None:
    code = (
        "import sys; sys.argv = ['edu', 'status']; from edu_cli.cli import app; leave = app._leave\n"
        "def look(ended):\n"
        "    heavy = ('numpy', 'typer', 'rich', 'pydantic', 'ast', 'hashlib', 'weakref')\n"
        "    told = [m for m in heavy if m in sys.modules]\n"
        "    print(told, file=sys.stderr)\n    leave(ended)\n"
        "app._leave = look; app.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert "1 parent, 1 child" in done.stdout


def test_what_stands_in_for_a_module_is_the_module_once_it_is_used(project: Path) -> None:
    code = (
        "import sys; sys.argv = ['edu', '--version']; from edu_cli.cli import app\n"
        "app._leave = lambda ended: None\n"
        "try:\n    app.main()\nexcept SystemExit:\n    pass\n"
        "import inspect; early = inspect; print(inspect.isfunction(print), sys.modules['inspect'] is early)\n"
        "import inspect; print(inspect is sys.modules['inspect'], early.Signature is inspect.Signature)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, encoding="utf-8")
    assert done.stdout.splitlines()[1:] == ["False False", "True True"], done.stderr


def test_annotations_are_told_as_by_the_module_that_is_not_loaded_yet() -> None:
    class Bare:
        pass

    class Own(Settings):
        more: int = 3

    for one in (Settings, Own, Bare, run):
        assert _annotations(one) == inspect.get_annotations(one)
    assert _annotations(Own, eval_str=True) == {"more": int}


def test_a_second_ingest_imports_neither_milvus_nor_models(project: Path) -> None:
    (project / "course" / "空.md").unlink()
    assert run(["ingest", "course"]) == 0
    code = (
        "import sys; from edu_cli.cli.app import run; assert run(['ingest', 'course']) == 0;"
        f"print([m for m in {_HEAVY!r} if m in sys.modules and m != 'numpy'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
