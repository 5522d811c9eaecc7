from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run

_TABLES = ("documents", "parents", "children", "document_faq", "faq", "pending", "sessions", "turns", "traces", "roots")


@pytest.fixture
def backup(project: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A backup of the project, with an FAQ entry, settings, a prompt and a dictionary in it."""
    assert run(["faq", "add", "考试时间？", "周一上午。"]) == 0
    (project / "edu.toml").write_text("[lexical]\nuser_dict = 'terms/own.txt'\n", encoding="utf-8")
    (project / "prompts").mkdir()
    (project / "prompts" / "answer.md").write_text("按资料回答。$passages $question", encoding="utf-8")
    (project / "terms").mkdir()
    (project / "terms" / "own.txt").write_text("跳跃表\n", encoding="utf-8")
    (project / ".env").write_text("OPENAI_API_KEY=sk-secret-secret-1234\n", encoding="utf-8")
    target = project.parent / "b.zip"
    assert run(["backup", str(target)]) == 0
    capsys.readouterr()
    return target


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run([*args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _rows(project: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(project / ".edu" / "catalog.sqlite")) as connection:
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in _TABLES}  # noqa: S608


def test_a_restored_project_holds_the_same_records_included(
    project: Path, backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    code, value = _run(capsys, "restore", str(backup), "--project", str(other))
    assert (code, value["complete"], value["documents"], value["records"]["faq"]) == (0, True, 2, 1)
    assert _rows(other) == _rows(project)
    for name in ("edu.toml", "prompts/answer.md", "terms/own.txt"):
        assert (other / name).read_bytes() == (project / name).read_bytes()
    code, value = _run(capsys, "search", "梯度下降", "--project", str(other))
    assert value["hits"][0]["doc"] == "ai/大纲.md"
    assert _run(capsys, "doctor", "--project", str(other))[0] == 0
    assert not list((other / ".edu").glob("restore-*"))


def test_files_that_are_not_there_after_a_restore_are_told(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, value = _run(capsys, "restore", str(backup), "--project", str(tmp_path / "other"))
    assert ["files that were ingested are not here" in warning for warning in value["warnings"]] == [True]


def test_secrets_and_sources_stay_out_of_a_backup(backup: Path) -> None:
    with zipfile.ZipFile(backup) as archive:
        assert sorted(archive.namelist()) == [
            "backup.json",
            "catalog.sqlite",
            "edu.toml",
            "prompts/answer.md",
            "terms/own.txt",
        ]
        assert not any(b"sk-secret" in archive.read(name) for name in archive.namelist())


def test_an_existing_project_is_replaced_only_by_force(
    project: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _rows(project)
    assert run(["faq", "add", "新问题？", "新答案。"]) == 0
    changed = _rows(project)
    code, value = _run(capsys, "restore", str(backup))
    assert (code, value["error"]["code"]) == (2, "usage")
    assert "--force" in value["error"]["hint"]
    assert _rows(project) == changed
    code, value = _run(capsys, "restore", str(backup), "--force")
    assert (code, value["complete"]) == (0, True)
    assert _rows(project) == before


def test_settings_that_are_there_are_kept_and_told_unless_forced(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    (other / "prompts").mkdir(parents=True)
    (other / "prompts" / "answer.md").write_text("mine", encoding="utf-8")
    code, value = _run(capsys, "restore", str(backup), "--project", str(other))
    assert code == 0
    assert any("prompts/answer.md" in warning and "kept" in warning for warning in value["warnings"])
    assert (other / "prompts" / "answer.md").read_text(encoding="utf-8") == "mine"
    assert (other / "edu.toml").exists()
    run(["restore", str(backup), "--project", str(other), "--force"])
    assert (other / "prompts" / "answer.md").read_text(encoding="utf-8") != "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_that_leads_out_of_the_project_is_not_followed(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, outside = tmp_path / "other", tmp_path / "outside"
    other.mkdir()
    outside.mkdir()
    (other / "prompts").symlink_to(outside)
    _run(capsys, "restore", str(backup), "--project", str(other), "--force")
    assert not list(outside.iterdir())


def test_a_damaged_catalog_is_put_aside_by_a_forced_restore(
    project: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _rows(project)
    (project / ".edu" / "catalog.sqlite").write_bytes(b"garbage" * 1000)
    assert run(["status"]) == 1
    code, value = _run(capsys, "restore", str(backup), "--force")
    assert code == 0
    assert any("catalog.sqlite.damaged" in warning for warning in value["warnings"])
    assert _rows(project) == before


def test_a_backup_with_a_damaged_or_active_catalog_changes_nothing(
    project: Path, backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from edu_cli.upkeep.archive import write_archive

    before = _rows(project)
    catalog = tmp_path / "evil.sqlite"
    shutil.copy(project / ".edu" / "catalog.sqlite", catalog)
    with closing(sqlite3.connect(catalog)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM faq; END")
        connection.commit()
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"garbage" * 1000)
    for source in (catalog, garbage):
        bad = tmp_path / f"{source.name}.zip"
        write_archive(bad, {"catalog.sqlite": source}, {}, "")
        code, value = _run(capsys, "restore", str(bad), "--force")
        assert (code, value["error"]["code"]) == (1, "store")
        assert "nothing was restored" in value["error"]["message"]
        assert _rows(project) == before
        other = tmp_path / "fresh"
        assert _run(capsys, "restore", str(bad), "--project", str(other))[0] == 1
        assert not (other / ".edu").exists()


def test_an_existing_file_is_replaced_only_by_force(backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, value = _run(capsys, "backup", str(backup))
    assert (code, "exists already" in value["error"]["message"]) == (2, True)
    code, value = _run(capsys, "backup", str(backup), "--force")
    assert (code, value["documents"]) == (0, 2)
    assert _run(capsys, "backup", str(backup.parent))[0] == 2
    assert _run(capsys, "backup", str(backup.parent / "no" / "b.zip"))[0] == 2
    assert not list(backup.parent.glob(".*"))


def test_a_backup_is_of_one_moment_while_others_write(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A writer changes two tables together all the time; each backup has them equal."""
    catalog = project / ".edu" / "catalog.sqlite"
    done = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(catalog, timeout=30, isolation_level=None)) as connection:
            n = 0
            while not done.is_set():
                n += 1
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('one', ?)", (str(n),))
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('two', ?)", (str(n),))
                connection.execute("COMMIT")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for i in range(5):
            assert run(["backup", str(tmp_path / f"{i}.zip"), "-q"]) == 0
    finally:
        done.set()
        writer.join()
    seen = set()
    for i in range(5):
        copy = tmp_path / f"{i}.sqlite"
        with zipfile.ZipFile(tmp_path / f"{i}.zip") as archive:
            copy.write_bytes(archive.read("catalog.sqlite"))
        with closing(sqlite3.connect(copy)) as connection:
            values = [row[0] for row in connection.execute("SELECT value FROM meta WHERE key IN ('one', 'two')")]
        assert len(set(values)) <= 1
        seen.update(values)
    assert len(seen) > 1


def test_records_without_documents_come_back_and_choose_no_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["faq", "add", "考试时间？", "周一上午。"]) == 0
    assert run(["backup", "b.zip"]) == 0
    code, value = _run(capsys, "restore", "b.zip", "--project", "other")
    assert (code, value["complete"], value["records"]["faq"]) == (0, True, 1)
    assert _run(capsys, "status", "--project", "other")[1]["encoder"] is None


_KILLED = """
import os, sys
from edu_cli.cli.app import run
from edu_cli.cli.verbs import VERBS
VERBS.setdefault("restore", "")
kill_at, seen = int(sys.argv[1]), 0
def count(event, args):
    global seen
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "sqlite3.connect") and ".edu" in str(args[0]):
        seen += 1
        if seen == kill_at:
            os._exit(137)
sys.addaudithook(count)
code = run(sys.argv[2:])
print(seen)
sys.exit(code)
"""
_KILLS = 12


@pytest.mark.slow
def test_a_restore_killed_anywhere_leaves_the_old_project_or_one_that_can_be_completed(
    project: Path, backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = _rows(project)
    assert run(["faq", "add", "新问题？", "新答案。"]) == 0
    new = _rows(project)
    shutil.copytree(project / ".edu", tmp_path / "saved")

    def restore(kill_at: int) -> subprocess.CompletedProcess[str]:
        shutil.rmtree(project / ".edu")
        shutil.copytree(tmp_path / "saved", project / ".edu")
        command = [sys.executable, "-c", _KILLED, str(kill_at), "restore", str(backup), "--force", "-q"]
        return subprocess.run(command, capture_output=True, text=True, cwd=project, encoding="utf-8")

    whole = restore(0)
    assert whole.returncode == 0, whole.stderr
    n_steps = int(whole.stdout.split()[-1])
    restored = []
    for i in range(_KILLS):
        assert restore(1 + i * n_steps // _KILLS).returncode == 137
        restored.append(_rows(project) == old)
        assert restored[-1] or _rows(project) == new
        run(["doctor", "--fix"])
        code, value = _run(capsys, "doctor")
        assert code == 0, value
        assert not list((project / ".edu").glob("restore-*"))
    assert restored == sorted(restored)  # the old one up to a moment, the backup's from then on
    assert set(restored) == {True, False}
