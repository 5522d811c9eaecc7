"""The whole path on BGE-M3 and the BGE reranker: tiny models of the real shapes, loaded by the real libraries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.models, pytest.mark.slow]
FILES = {
    "redis/有序集合.md": "# 有序集合\n\n## 底层结构\n\n底层使用跳跃表和字典实现，跳跃表支持按分值范围查询。\n",
    "java/比较.md": "# 比较对象\n\nequals 方法用于比较对象内容是否相等，== 比较引用地址。\n",
    "ai/课程.txt": "人工智能课程介绍机器学习、深度学习与大数据处理的基本概念。\n",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a tiny BGE-M3 and a tiny reranker."""
    pytest.importorskip("FlagEmbedding", reason="the extra bge is not installed")
    from tiny_models import make_bge_m3, make_reranker

    base = tmp_path_factory.mktemp("models")
    return make_bge_m3(base / "m3"), make_reranker(base / "reranker")


def edu(cwd: Path, env: dict[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edu_cli", *args],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


def test_ingest_search_and_ask_run_on_bge_models(tmp_path: Path, models: tuple[Path, Path]) -> None:
    for name, text in FILES.items():
        (file := tmp_path / "course" / name).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    m3, reranker = models
    env = {"EDU_ENCODER": "bge-m3", "EDU_BGE_M3": str(m3), "EDU_RERANKER": "bge", "EDU_BGE_RERANKER": str(reranker)}
    done = edu(tmp_path, env, "ingest", "course", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["encoder"]["name"] == "bge-m3"
    assert report["chunks"]["encoded"] == report["chunks"]["children"] == 3

    done = edu(tmp_path, {**env, "EDU_ASK_THRESHOLD": "0"}, "search", "跳跃表 按分值范围查询", "--json")
    assert done.returncode == 0, done.stderr
    hits = json.loads(done.stdout)["hits"]
    assert {h["doc"] for h in hits} == set(FILES)
    assert all(0 <= h["rerank_score"] <= 1 for h in hits)
    legs = {leg for h in hits for leg in h["sources"]}
    assert legs == {"dense", "sparse", "bm25"}

    done = edu(tmp_path, {**env, "EDU_ASK_THRESHOLD": "0"}, "ask", "跳跃表支持什么查询？", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["route"] == "rag"
    assert answer["citations"]

    done = edu(tmp_path, {"EDU_ENCODER": "e5-small"}, "search", "跳跃表", "--json")
    assert done.returncode == 7
    assert "--rebuild" in json.loads(done.stdout)["error"]["hint"]
