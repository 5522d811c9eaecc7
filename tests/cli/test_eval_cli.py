from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import pytest

from edu_cli.cli.app import run
from edu_cli.errors import ExitCode

LESSONS = {
    "db/索引.md": "# 索引\n\n## B+树\n\nB+ 树的叶子结点按键排序并相连，范围查询只走叶子。\n\n"
    "## 哈希索引\n\n哈希索引只支持等值查询，不支持范围查询，也不能用来排序。\n",
    "db/事务.md": "# 事务\n\n## 隔离级别\n\n可重复读解决不可重复读，串行化解决幻读。\n",
    "net/传输.md": "# 传输层\n\n## 三次握手\n\n客户端先发 SYN，服务器答 SYN 与 ACK，客户端再答 ACK。\n",
}
QUESTIONS = (
    {"id": "q1", "question": "哈希索引支持范围查询吗？", "relevant": [{"doc": "db/索引.md", "section": "哈希索引"}]},
    {"id": "q2", "question": "三次握手的过程", "relevant": [{"doc": "net/传输.md"}], "tags": ["net"]},
    {"id": "q3", "question": "幻读怎么解决", "relevant": [{"doc": "db/事务.md", "contains": "串行化"}]},
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project that searches by words only, so that no model is loaded."""
    root = tmp_path_factory.mktemp("eval")
    for name, text in LESSONS.items():
        (root / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "docs" / name).write_text(text, encoding="utf-8")
    (root / "edu.toml").write_text('[encoder]\nname = "none"\n', encoding="utf-8")
    assert run(["ingest", str(root / "docs"), "--project", str(root), "-q", "--json"]) == 0
    return root


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(q, ensure_ascii=False) + "\n" for q in QUESTIONS), encoding="utf-8")
    return path


def edu(capsys, *args):
    capsys.readouterr()
    code = run(list(map(str, args)))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_data_set_is_scored(project, dataset, capsys):
    _, out, err = edu(capsys, "eval", dataset, "--project", project)
    assert "Retrieval (3 questions)" in out
    assert "not measured: answers: no question has an `answer`" in err
    assert "not measured" not in edu(capsys, "eval", dataset, "--project", project, "--stage", "retrieval")[2]
    code, out, _ = edu(capsys, "eval", dataset, "--project", project, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["schema"] == 1
    assert report["encoder"] is None
    assert report["retrieval"]["judged"] == 3
    assert report["retrieval"]["measures"]["Recall@10"]["mean"] == 1.0


def test_the_table_names_mode_and_measures(project, dataset, capsys):
    code, out, _ = edu(capsys, "eval", dataset, "--project", project, "--compare", "modes")
    assert code == 0
    for word in ("Retrieval (3 questions)", "bm25", "hybrid+rerank", "nDCG@10", "MRR@10"):
        assert word in out
    assert "dense" not in out, "there is no encoder here"


def test_a_gate_that_fails_ends_with_its_exit_code_and_says_why(project, dataset, capsys):
    flags = ("--fail-under", "nDCG@10=0.01", "--fail-under", "P@10=0.9")
    code, _, err = edu(capsys, "eval", dataset, "--project", project, *flags)
    assert code == ExitCode.GATE_FAILED
    assert "gate P@10: got 0.1000, wanted at least 0.9000" in err
    assert "nDCG@10" not in err


def test_a_baseline_guards_against_a_drop(project, dataset, tmp_path, capsys):
    before = tmp_path / "before.json"
    assert edu(capsys, "eval", dataset, "--project", project, "--out", before)[0] == 0
    assert edu(capsys, "eval", dataset, "--project", project, "--baseline", before)[0] == 0
    report = json.loads(before.read_text(encoding="utf-8"))
    for row in report["per_question"]:
        row["measures"] = dict.fromkeys(row["measures"], 2.0)
    before.write_text(json.dumps(report), encoding="utf-8")
    code, _, err = edu(capsys, "eval", dataset, "--project", project, "--baseline", before, "--max-drop", "0.1")
    assert code == ExitCode.GATE_FAILED
    assert "baseline 2.0000" in err


def test_reports_are_written_and_repeat_to_the_byte(project, dataset, tmp_path, capsys):
    names = ("a.json", "a.html", "a.md", "a.csv")
    flags = [flag for name in names for flag in ("--out", tmp_path / name)]
    flags += ["--junit", tmp_path / "gates.xml", "--run", tmp_path / "run.txt", "--fail-under", "nDCG@10=0.1"]
    assert edu(capsys, "eval", dataset, "--project", project, *flags)[0] == 0
    assert all((tmp_path / name).stat().st_size for name in (*names, "gates.xml", "run.txt"))
    assert edu(capsys, "eval", dataset, "--project", project, "--out", tmp_path / "b.json", *flags[-2:])[0] == 0

    def timeless(name):
        report = json.loads((tmp_path / name).read_text(encoding="utf-8"))
        report.pop("latency")
        return json.dumps(report)

    assert timeless("a.json") == timeless("b.json")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--k", "0"], "--k 0"),
        (["--k", "a,b"], "--k a,b"),
        (["--compare", "mode"], "--compare mode"),
        (["--stage", "retreival"], "--stage retreival"),
        (["--out", "report.pdf"], "report.pdf"),
        (["--fail-under", "nDCG"], "--fail-under nDCG"),
        (["--write"], "--write needs --calibrate"),
        (["--judge", "llm"], "--judge llm needs an LLM"),
        (["--baseline", "nowhere.json"], "nowhere.json"),
        (["--baseline", "before.json", "--out", "before.json"], "before.json is the baseline"),
        (["--max-drop", "0.1"], "--max-drop needs --baseline"),
        (["--fail-under", "nDGC@10=0.5"], "--fail-under nDGC@10 is no figure"),
        (["--compare", "modes,strategy"], "--compare strategy"),
        (["--out", "."], "--out . ends in none"),
        (["--junit", "."], "is a folder"),
    ],
)
def test_a_wrong_flag_is_told_before_anything_is_spent(project, dataset, capsys, flags, message):
    code, out, err = edu(capsys, "eval", dataset, "--project", project, *flags, "--json")
    assert code == ExitCode.USAGE
    assert message in json.loads(out)["error"]["message"]
    assert message in err


def test_bad_lines_are_told_and_the_rest_is_scored(project, dataset, capsys):
    with dataset.open("a", encoding="utf-8") as file:
        file.write("{oops\n")
        file.write('{"id": "q9", "question": "问", "relevant": [{"doc": "db/索引.txt"}]}\n')
    code, out, err = edu(capsys, "eval", dataset, "--project", project, "--json")
    assert code == 0
    assert json.loads(out)["invalid"][0]["line"] == 4
    assert "line 4 is not JSON" in err
    assert "the nearest is 'db/索引.md'" in err
    code, _, err = edu(capsys, "eval", dataset, "--project", project, "--strict")
    assert code == ExitCode.USAGE
    assert "line 4" in err


def test_a_draft_can_be_scored_at_once(project, tmp_path, capsys):
    path = tmp_path / "draft.jsonl"
    code, out, _ = edu(capsys, "eval", path, "--init", "3", "--project", project)
    assert code == 0
    assert "3 draft questions" in out
    assert edu(capsys, "eval", path, "--project", project, "--stage", "retrieval")[0] == 0
    code, _, err = edu(capsys, "eval", path, "--init", "3", "--project", project)
    assert code == ExitCode.USAGE
    assert "exists already" in err


def test_measuring_leaves_nothing_in_the_records(project, tmp_path, capsys):
    path = tmp_path / "absent.jsonl"
    path.write_text('{"id": "a", "question": "食堂几点开门？", "answerable": false}\n', encoding="utf-8")
    code, out, _ = edu(capsys, "eval", path, "--project", project, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["generation"]["refusal"]["recall"] == 1.0
    with sqlite3.connect(project / ".edu" / "catalog.sqlite") as catalog:
        kept = {
            name: catalog.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - names from here
            for name in ("pending", "sessions", "turns", "traces", "answers")
        }
    left = {name: n for name, n in kept.items() if n}
    assert left == {}


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from edu_cli.cli.app import run; run(['eval', '--help']); "
        "print(sorted({'numpy', 'pymilvus', 'bm25s', 'rich.table', 'onnxruntime'} & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr.strip() == "[]"
    assert "--fail-under" in ran.stdout
