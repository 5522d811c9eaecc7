"""The note by which an ingest with nothing to do is answered: it may be missed, but never be wrong."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli import noting
from edu_cli.cli.app import run
from edu_cli.cli.unchanged import replay


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two files, ingested into the project in the working directory; stamps are trusted at once."""
    monkeypatch.setattr(noting, "RACY_NS", 0)
    monkeypatch.setenv("EDU_ENCODER", "none")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    folder = tmp_path / "course"
    (folder / "ai").mkdir(parents=True)
    (folder / "ai" / "大纲.md").write_text("# 第一章 优化\n\n梯度下降是一种优化方法。\n", encoding="utf-8")
    (folder / "说明.md").write_text("# 说明\n\n课程从周一开始。\n", encoding="utf-8")
    (folder / "数据.json").write_text("{}", encoding="utf-8")
    _settle()
    assert run(["ingest", str(folder)]) == 0
    return folder


def _settle() -> None:
    """Waits for the next tick of the clock that stamps files."""
    time.sleep(0.02)


def _counts(value: dict[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in value if key != "seconds"}


def test_the_second_ingest_loads_neither_typer_nor_sqlite(course: Path) -> None:
    code = (
        "import sys; from edu_cli.cli import noting; noting.RACY_NS = 0; from edu_cli.cli.app import run;"
        f"run(['ingest', {str(course)!r}])"
    )
    look = f"import sys; from edu_cli.cli.app import run; code = run(['ingest', {str(course)!r}]);"
    look += "print(code, [m for m in ('typer', 'sqlite3', 'typing', 'pathlib', 'dataclasses') if m in sys.modules])"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True)
    answer, loaded = done.stdout.splitlines()
    assert answer.startswith("2 unchanged, 1 skipped; no encoder: BM25 only; 0.")
    assert loaded == "0 []"


def test_the_answer_is_what_the_run_itself_would_say(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["ingest", str(course)], ["ingest", str(course), "-q"], ["ingest", str(course), "--json"], ["ingest"]):
        run(args)
        capsys.readouterr()
        answer = replay(args)
        assert answer is not None
        Path(".edu/unchanged").unlink()
        assert run(args) == 0
        said = capsys.readouterr().out
        if "--json" in args:
            answered, ran = json.loads(answer), json.loads(said)
            assert (_counts(answered), set(answered["seconds"])) == (_counts(ran), set(ran["seconds"]))
        else:
            assert answer.rpartition(";")[0] == said.rpartition(";")[0]


def _edit_unseen(course: Path) -> None:
    """Same size, and its time of change put back: what only the inode's own stamp shows."""
    path = course / "说明.md"
    info = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("周一", "周五"), encoding="utf-8")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited unseen": _edit_unseen,
    "added": lambda course: (course / "ai" / "新.md").write_text("# 新\n\n新的一节。\n", encoding="utf-8"),
    "renamed": lambda course: (course / "说明.md").rename(course / "须知.md"),
    "moved into a folder": lambda course: (course / "说明.md").rename(course / "ai" / "说明.md"),
    "deleted": lambda course: (course / "说明.md").unlink(),
    "a file that is skipped comes": lambda course: (course / "b.zip").write_bytes(b"PK"),
    "a link comes": lambda course: (course / "链接.md").symlink_to(course / "说明.md"),
    "settings": lambda _: Path("edu.toml").write_text("[split]\nchild_chars = 200\n", encoding="utf-8"),
    "environment": lambda _: os.environ.update(EDU_SPLIT_CHILD_CHARS="200"),
    "documents removed": lambda _: run(["docs", "remove", "说明.md"]),
    "index gone": lambda _: [path.unlink() for path in Path(".edu/bm25").rglob("*") if path.is_file()],
    "catalog damaged": lambda _: Path(".edu/catalog.sqlite").write_bytes(b"damaged"),
    "note damaged": lambda _: Path(".edu/unchanged").write_bytes(b"\xff\0"),
    "note cut": lambda _: Path(".edu/unchanged").write_bytes(Path(".edu/unchanged").read_bytes()[:70]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_has_changed_is_looked_at(course: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDU_SPLIT_CHILD_CHARS", "250")  # put back at the end, whatever a change makes of it
    args = ["ingest", str(course)]
    run(args)
    assert replay(args) is not None
    _settle()
    CHANGES[change](course)
    assert replay(args) is None


def test_other_arguments_and_another_folder_are_no_match(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ["ingest", str(course)]
    assert replay(args) is not None
    for other in ([*args, "--subject", "x"], [*args, "--force"], [*args, "--dry-run"], ["docs", "list"], []):
        assert replay(other) is None
    assert replay([*args, "--project", str(course)]) is None
    monkeypatch.chdir(course)
    assert replay(args) is None


def test_the_project_is_found_as_ever(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / "a").mkdir()
    monkeypatch.chdir(project / "a")
    run(["ingest", str(course)])
    assert replay(["ingest", str(course)]) is not None
    monkeypatch.chdir(tmp_path)
    for named in (["--project", "project"], [f"--project={project}"]):
        run(["ingest", "course", *named])
        assert replay(["ingest", "course", *named]) is not None
    monkeypatch.setenv("EDU_PROJECT", "project")
    run(["ingest", "course"])
    assert replay(["ingest", "course"]) is not None


@pytest.mark.parametrize("extra", [["--force"], ["-v"], ["--password", "geheim"]])
def test_what_must_run_each_time_leaves_no_note(course: Path, extra: list[str]) -> None:
    args = ["ingest", str(course), *extra]
    run(args)
    assert replay(args) is None


def test_a_file_that_fails_is_tried_again_each_time(course: Path) -> None:
    (course / "空.md").write_bytes(b"")
    _settle()
    for _ in range(2):
        assert run(["ingest", str(course)]) == 3
        assert replay(["ingest", str(course)]) is None


def test_files_written_in_this_very_moment_are_not_trusted(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noting, "RACY_NS", 2_000_000_000)
    (course / "ai" / "新.md").write_text("# 新\n\n新的一节。\n", encoding="utf-8")
    run(["ingest", str(course)])
    run(["ingest", str(course)])
    assert replay(["ingest", str(course)]) is None


@pytest.mark.parametrize("seed", range(4))
def test_after_any_history_the_store_is_that_of_a_clean_build(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    lot = random.Random(seed)
    for step in range(6):
        files = sorted(path for path in course.rglob("*.md"))
        match lot.choice(("add", "edit", "delete", "rename", "nothing", "nothing", "remove")):
            case "add":
                (course / f"{step}.md").write_text(f"# 第{step}节\n\n内容 {lot.random()}。\n", encoding="utf-8")
            case "edit" if files:
                path = lot.choice(files)
                path.write_text(f"# 改\n\n内容 {lot.random()}。\n", encoding="utf-8")
            case "delete" if files:
                lot.choice(files).unlink()
            case "rename" if files:
                path = lot.choice(files)
                path.rename(path.with_name(f"名{step}.md"))
            case "remove" if files:
                run(["docs", "remove", lot.choice(files).relative_to(course).as_posix()])
        _settle()
        assert run(["ingest", str(course)]) == 0
    other = tmp_path / "other"
    assert run(["ingest", str(course), "--project", str(other)]) == 0
    exports = []
    for project in (Path.cwd(), other):
        capsys.readouterr()
        run(["docs", "export", "--project", str(project)])
        exports.append(capsys.readouterr().out)
    assert exports[0] == exports[1]
