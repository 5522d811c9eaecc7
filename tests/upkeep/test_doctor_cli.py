from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.index.catalog_write import open_catalog_writer
from edu_cli.index.lock import writer_lock


@pytest.fixture(autouse=True)
def _without_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDU_INGEST_OCR", "never")  # loading its models takes seconds


def _doctor(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, dict[str, dict[str, Any]], dict[str, Any]]:
    capsys.readouterr()
    code = run(["doctor", "--json", *flags])
    value = json.loads(capsys.readouterr().out)
    return code, {check["name"]: check for check in value["checks"]}, value


def test_a_sound_project_passes_and_exits_0(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, checks, value = _doctor(capsys)
    assert (code, value["schema"], value["project"]) == (0, 1, str(project))
    assert {name for name, check in checks.items() if check["status"] == "fail"} == set()
    assert checks["catalog"]["message"] == "2 documents, 2 parents, 2 children"
    assert checks["words"]["message"].startswith("2 sampled documents are found")
    assert checks["encoder"]["message"].startswith("none, as configured")
    assert all(check["fix"] for check in checks.values() if check["status"] != "pass")


def test_the_text_form_says_the_same_and_quiet_leaves_out_what_passes(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDU_ENCODER")
    assert run(["doctor"]) == 0
    printed = capsys.readouterr()
    assert "pass  catalog" in printed.out
    assert "checks:" in printed.err
    assert run(["doctor", "-q"]) == 0
    printed = capsys.readouterr()
    assert "pass" not in printed.out
    assert "warn  encoder" in printed.out
    assert "fix: edu ingest --rebuild" in printed.out


def test_without_a_project_the_machine_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, checks, _ = _doctor(capsys)
    assert (code, checks["project"]["fix"]) == (0, "edu ingest PATH")
    assert {"Python", "packages", "models", "OCR", "LibreOffice", "disk"} <= set(checks)
    assert not list(tmp_path.iterdir())


def test_wrong_settings_fail_and_the_machine_is_checked_all_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "edu.toml").write_text("[search]\nfuson = 'rrf'\n", encoding="utf-8")
    code, checks, _ = _doctor(capsys)
    assert (code, checks["settings"]["status"]) == (1, "fail")
    assert "search.fusion" in checks["settings"]["fix"]
    assert "Python" in checks


@pytest.mark.parametrize("damage", ["deleted", "truncated", "other rows"])
def test_a_wrong_bm25_index_fails_and_fix_builds_it_anew(
    damage: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bm25 = project / ".edu" / "bm25"
    if damage == "deleted":
        shutil.rmtree(bm25)
    elif damage == "truncated":
        for file in bm25.glob("g-*/*"):
            file.write_bytes(file.read_bytes()[:-1])
    else:  # the same fingerprint and sizes
        for file in bm25.glob("g-*/*"):
            if file.stat().st_size:
                raw = bytearray(file.read_bytes())
                raw[128:] = bytes(len(raw[128:]))
                file.write_bytes(bytes(raw))
    code, checks, _ = _doctor(capsys)
    wrong = [name for name, check in checks.items() if check["status"] == "fail"]
    assert (code, wrong) == (1, ["BM25 index"])
    assert checks["BM25 index"]["fix"] == "edu doctor --fix"
    code, checks, value = _doctor(capsys, "--fix")
    assert (code, checks["BM25 index"]["status"], checks["words"]["status"]) == (0, "pass", "pass")
    assert value["mended"] == ["the BM25 index was built anew"]


def test_a_stale_bm25_index_is_a_warning(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "course" / "新.md").write_text("# 新\n\n新的一章。\n", encoding="utf-8")
    run(["ingest", "--no-index"])
    code, checks, _ = _doctor(capsys)
    assert (code, checks["BM25 index"]["status"]) == (1, "warn")
    assert "新.md" in checks["words"]["message"]


def test_a_damaged_catalog_fails_and_names_the_backup(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = project / ".edu" / "catalog.sqlite"
    raw = bytearray(catalog.read_bytes())
    raw[:100] = b"x" * 100
    catalog.write_bytes(raw)
    code, checks, _ = _doctor(capsys, "--fix")
    assert (code, checks["catalog"]["status"]) == (1, "fail")
    assert "catalog.sqlite" in checks["catalog"]["message"]
    assert "edu restore FILE --force" in checks["catalog"]["fix"]


def test_chunks_outside_their_sections_fail(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(project / ".edu" / "catalog.sqlite") as connection:
        connection.execute('UPDATE children SET "end" = 9999')
    connection.close()
    code, checks, _ = _doctor(capsys)
    assert (code, checks["catalog"]["status"]) == (1, "fail")
    assert "2 chunks lie outside" in checks["catalog"]["message"]


def test_failed_files_and_sources_that_are_gone_are_warnings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "course" / "空.md").write_bytes(b"")
    run(["ingest"])
    (project / "course").rename(project / "elsewhere")
    code, checks, _ = _doctor(capsys)
    assert code == 0
    assert checks["documents"]["message"] == "1 not loaded: 空.md (empty)"
    assert str(project / "course") in checks["sources"]["message"]


def test_a_project_that_is_being_written_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with writer_lock(Path(".edu/lock"), 0, print):
        _, checks, _ = _doctor(capsys)
    assert checks["lock"]["status"] == "warn"
    assert f"PID {os.getpid()}" in checks["lock"]["message"]


def test_a_dictionary_that_is_not_there_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "edu.toml").write_text("[lexical]\nuser_dict = 'terms.txt'\n", encoding="utf-8")
    code, checks, _ = _doctor(capsys)
    assert (code, checks["settings"]["status"]) == (1, "fail")
    assert "terms.txt" in checks["settings"]["message"]


def test_the_llm_is_asked_only_with_llm(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDU_LLM_MODEL", "m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody listens on the discard port
    monkeypatch.setenv("EDU_LLM_RETRIES", "0")
    code, checks, _ = _doctor(capsys)
    assert (code, "LLM" in checks) == (0, False)
    code, checks, _ = _doctor(capsys, "--llm")
    assert (code, checks["LLM"]["status"]) == (1, "fail")
    assert "127.0.0.1:9" in checks["LLM"]["message"]


def test_a_project_with_an_faq_and_no_documents_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["faq", "add", "考试时间？", "周一上午。"]) == 0
    code, checks, _ = _doctor(capsys, "--fix")
    assert (code, checks["catalog"]["status"]) == (0, "pass")
    assert checks["encoder"]["message"] == "nothing was ingested yet"
    assert not (tmp_path / ".edu" / "bm25").exists()


def test_a_run_that_was_cut_off_is_told_until_one_ends(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(open_catalog_writer(project / ".edu" / "catalog.sqlite")) as catalog:
        catalog.remember("run", "begun")  # and a kill
    code, checks, _ = _doctor(capsys)
    assert (code, checks["last run"]["status"]) == (0, "warn")
    assert checks["last run"]["fix"] == "edu ingest PATH goes on where it ended"
    assert run(["status"]) == 0
    assert "the last run was cut off; `edu ingest PATH` goes on" in capsys.readouterr().out
    assert run(["ingest", "course"]) == 0
    assert _doctor(capsys)[1]["last run"]["status"] == "pass"
