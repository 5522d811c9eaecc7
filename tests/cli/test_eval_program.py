"""`edu eval` as a program, as a build runs it: killed and resumed, repeated, judged by a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from scripted_llm import Reply, scripted_server

EDU = str(Path(sys.executable).parent / "edu")
TOPICS = ("栈", "队列", "散列表", "二叉树", "堆", "图", "排序", "查找", "递归", "动态规划")
FACTS = ("插入", "删除", "遍历", "空间", "稳定性", "复杂度", "边界", "实现", "用途", "历史")


def edu(project, *args, code=0, **variables):
    env = {**os.environ, "EDU_ENCODER": "none", **variables}
    words = [EDU, "eval", *map(str, args), "--project", str(project)]
    ran = subprocess.run(words, env=env, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    return ran


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def timeless(path):
    """A report's bytes without its timings."""
    report = read(path)
    report.pop("latency")
    return json.dumps(report, ensure_ascii=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A hundred short sections, searched by words, with a question to each."""
    root = tmp_path_factory.mktemp("program")
    (root / "docs").mkdir()
    for i, topic in enumerate(TOPICS):
        sections = [
            f"## {topic}的{fact}\n\n{topic}的{fact}在第 {i}-{j} 节讲。考试时{fact}占 {i + j} 分。\n"
            for j, fact in enumerate(FACTS)
        ]
        (root / "docs" / f"{i}.md").write_text(f"# {topic}\n\n" + "\n".join(sections), encoding="utf-8")
    env = {**os.environ, "EDU_ENCODER": "none"}
    words = [EDU, "ingest", str(root / "docs"), "--project", str(root), "-q"]
    subprocess.run(words, env=env, check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def dataset(project):
    path = project / "questions.jsonl"
    lines = [
        {
            "id": f"{i}-{j}",
            "question": f"{topic}的{fact}占几分？",
            "relevant": [{"doc": f"{i}.md", "section": f"{topic}的{fact}"}],
            "answer": f"{i + j} 分",
        }
        for i, topic in enumerate(TOPICS)
        for j, fact in enumerate(FACTS)
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(project, dataset, tmp_path):
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    flags = ("--compare", "modes", "-q", "--out")
    edu(project, dataset, *flags, whole)
    (kept,) = (project / ".edu" / "eval").iterdir()
    wanted = kept.read_bytes().count(b"\n")
    kept.unlink()
    env = {**os.environ, "EDU_ENCODER": "none"}
    words = [EDU, "eval", str(dataset), "--project", str(project), *flags, str(resumed)]
    killed = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not kept.exists() or kept.read_bytes().count(b"\n") < 40:
        assert killed.poll() is None, "it was over before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = kept.read_bytes().count(b"\n")
    assert 40 <= before < wanted
    assert not resumed.exists()
    edu(project, dataset, "--resume", *flags, resumed)
    assert timeless(resumed) == timeless(whole)
    assert kept.read_bytes().count(b"\n") <= wanted + 1, "only what was missing was computed"


def test_the_same_seed_gives_the_same_bytes_in_any_process(project, dataset, tmp_path):
    reports = []
    for hash_seed in ("1", "2"):
        path = tmp_path / f"{hash_seed}.json"
        edu(project, dataset, "--limit", 30, "--seed", 5, "-q", "--out", path, PYTHONHASHSEED=hash_seed)
        reports.append(timeless(path))
    assert reports[0] == reports[1]
    assert json.loads(reports[0])["drawn_from"] == 100


def test_other_tools_score_the_trec_run_alike(project, dataset, tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    report, run = tmp_path / "report.json", tmp_path / "run.txt"
    edu(project, dataset, "--stage", "retrieval", "-q", "--out", report, "--run", run)
    qrels = [
        ir_measures.Qrel(row["id"], entry["doc"], 1)
        for row in read(report)["per_question"]
        for entry in row["relevant"]
    ]
    ours = read(report)["retrieval"]["grains"]["file"]["measures"]
    names = {"nDCG@10": "nDCG@10", "RR@10": "MRR@10", "R@5": "Recall@5", "P@10": "P@10"}
    measures = [ir_measures.parse_measure(name) for name in names]
    theirs = ir_measures.calc_aggregate(measures, qrels, ir_measures.read_trec_run(str(run)))
    for measure, value in theirs.items():
        assert value == pytest.approx(ours[names[str(measure)]]["mean"], abs=1e-6), measure


def test_a_wrong_answer_of_the_judge_is_counted_and_listed(project, dataset, tmp_path):
    report = tmp_path / "report.json"
    with scripted_server(Reply('{"verdicts": [NaN]}')) as server:
        flags = ("--limit", 1, "--judge", "llm", "--stage", "generation", "-q", "--out", report)
        llm = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret", "EDU_LLM_MODEL": "scripted"}
        shown = edu(project, dataset, *flags, EDU_ASK_THRESHOLD="0", **llm)
    part = read(report)["generation"]
    failed = {one["measure"] for one in part["judge_failures"]}
    assert "JudgeFaithfulness" in failed
    assert part["measures"]["JudgeFaithfulness"]["mean"] == 0.0
    assert part["measures"]["JudgeFaithfulness"]["scored"] == {"n": 0, "mean": None}
    assert "the judge failed JudgeFaithfulness" in shown.stderr
    text = report.read_text(encoding="utf-8")
    json.loads(text, parse_constant=pytest.fail)
    assert "sk-secret" not in text + shown.stdout + shown.stderr


def test_strategies_are_compared_with_what_the_model_wrote(project, dataset, tmp_path):
    report = tmp_path / "report.json"
    with scripted_server(Reply("栈的插入占 0 分。")) as server:
        llm = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x", "EDU_LLM_MODEL": "scripted"}
        flags = ("--limit", 4, "--compare", "strategies", "--stage", "retrieval", "--out", report)
        shown = edu(project, dataset, *flags, **llm)
    part = read(report)["retrieval"]["strategies"]
    assert {name: one["rewritten"] for name, one in part.items()} == {
        "direct": 0, "hyde": 4, "multi-query": 0, "step-back": 4, "auto": 0,
    }  # fmt: skip
    assert "4 of 4" in shown.stdout
    plain = edu(project, dataset, *flags)
    assert "needs an LLM" in plain.stdout
    assert read(report)["retrieval"]["strategies"]["hyde"] == {"missing": "needs an LLM (EDU_LLM_MODEL)"}


@pytest.mark.slow
def test_a_draft_by_the_model_is_scored_at_once(project, tmp_path):
    path = tmp_path / "draft.jsonl"
    good = {"question": "分数是多少？", "answer": "若干", "evidence": "分"}
    with scripted_server(Reply("不是 JSON"), Reply(json.dumps(good))) as server:
        llm = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x", "EDU_LLM_MODEL": "scripted"}
        shown = edu(project, path, "--init", 1, **llm)
    assert "1 draft questions" in shown.stdout
    assert "1 replies of the model had no question" in shown.stderr
    edu(project, path, "--stage", "retrieval")
    with scripted_server(Reply(status=401, body='{"error": {"message": "bad key"}}')) as server:
        llm = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x", "EDU_LLM_MODEL": "scripted"}
        shown = edu(project, tmp_path / "none.jsonl", "--init", 1, code=1, **llm)
    assert shown.stderr.startswith("error:")
    assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.slow
def test_a_fitted_confidence_is_written_and_in_force_afterwards(project, dataset, tmp_path):
    report, again = tmp_path / "report.json", tmp_path / "again.json"
    flags = ("--stage", "retrieval", "--calibrate", "--out")
    settings = project / "edu.toml"
    assert not settings.exists()
    try:
        shown = edu(project, dataset, *flags, report, "--write")
        fitted = read(report)["calibration"]["fit"]
        assert "held cases" in shown.stderr
        written = tomllib.loads(settings.read_text(encoding="utf-8"))["search"]
        assert written == {"confidence_scale": fitted["scale"], "confidence_shift": fitted["shift"]}
        edu(project, dataset, *flags, again, "--baseline", report)
        before = read(again)["calibration"]["fit"]["before"]
        assert before["ece"] == pytest.approx(fitted["after"]["ece"], abs=1e-3), "what was written is in force"
        assert any("search.confidence_scale was its default" in said for said in read(again)["baseline"]["changed"])
    finally:
        settings.unlink(missing_ok=True)
