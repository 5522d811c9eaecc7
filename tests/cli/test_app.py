"""The program's boundary: exit codes, messages, JSON on failure, and what starting it imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from edu_cli.cli.app import run
from edu_cli.cli.render import to_json
from edu_cli.cli.verbs import VERBS
from edu_cli.cli.visible import safe

HEAVY = (
    "numpy", "pymupdf", "docx", "pptx", "cv2", "rapidocr_onnxruntime", "onnxruntime", "pymilvus", "bm25s", "jieba",
    "rjieba", "openai", "langchain_text_splitters", "torch", "FlagEmbedding", "lxml", "openpyxl", "rich",
    "sqlite3",
)  # fmt: skip


def edu(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edu_cli", *args], cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


@pytest.mark.parametrize("args", [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)])
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    code = (
        "import sys\nfrom edu_cli.cli.app import run\n"
        f"code = run({args!r})\nloaded = sorted(set({HEAVY!r}) & set(sys.modules))\n"
        "assert code == 0, code\nassert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_json_and_project_flags(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    run([verb, "--help"])
    text = capsys.readouterr().out
    if "COMMAND" not in text:
        assert "--json" in text
        assert "--project" in text


def test_an_unknown_verb_names_the_nearest_and_exits_2(tmp_path: Path) -> None:
    done = edu("serch", "x", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "'search'" in done.stderr


def test_edu_alone_shows_its_help(tmp_path: Path) -> None:
    alone, asked = edu(cwd=tmp_path), edu("--help", cwd=tmp_path)
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, asked.stdout, "")
    assert alone.stdout


def test_a_word_for_a_number_is_told_in_plain_words(tmp_path: Path) -> None:
    assert "'abc' is not a whole number." in edu("search", "-k", "abc", "x", cwd=tmp_path).stderr


def test_a_wrong_choice_names_one_that_is_near_and_none_that_is_not(tmp_path: Path) -> None:
    near, far = (
        edu("ingest", "x", "--ocr", "alway", cwd=tmp_path),
        edu("ingest", "x", "--ocr", "manchmal", cwd=tmp_path),
    )
    assert "did you mean 'always'?" in near.stderr
    assert "did you mean" not in far.stderr


def test_an_unknown_flag_with_json_is_one_json_value_on_stdout(tmp_path: Path) -> None:
    done = edu("config", "--json", "--jsn", cwd=tmp_path)
    assert done.returncode == 2
    value = json.loads(done.stdout)
    assert value["schema"] == 1
    assert value["error"]["code"] == "usage"
    assert "--jsn" in value["error"]["message"]


def test_without_a_project_the_message_says_what_to_run(tmp_path: Path) -> None:
    done = edu("search", "什么", "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "no_project"
    assert "edu ingest" in done.stderr


def test_a_wrong_variable_is_told_on_any_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDU_SERCH_K", "3")
    done = edu("config", cwd=tmp_path)
    assert done.returncode == 2
    assert "EDU_SEARCH_K" in done.stderr


def test_secrets_are_masked_in_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789abcd")
    for flags in ([], ["--json"], ["-v"]):
        done = edu("config", *flags, cwd=tmp_path)
        assert done.returncode == 0
        assert "secret" not in done.stdout + done.stderr
        assert "sk-…abcd" in done.stdout


def test_control_characters_never_reach_the_terminal_raw() -> None:
    assert safe("a\x1b[2Jb\u202ec\ud800") == "a\\x1b[2Jb\\u202ec\\ud800"
    assert safe("中文\t表\n") == "中文\t表\n"


def test_json_keeps_chinese_escapes_surrogates_and_refuses_nan() -> None:
    assert to_json({"a": "中\ud800"}) == '{"a": "中\\ud800"}'
    with pytest.raises(ValueError, match="JSON"):
        to_json({"a": float("nan")})


def test_an_interrupted_verb_says_so_and_exits_130(tmp_path: Path) -> None:
    code = (
        "import sys\nimport edu_cli.cli.config as verb\nfrom edu_cli.cli.app import run\n"
        "def stop(*_, **__):\n    raise KeyboardInterrupt\n"
        "verb.open_cli = stop\nsys.exit(run(['config', '--json']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 130
    assert json.loads(done.stdout)["error"]["code"] == "interrupted"
    assert done.stderr == "error: Interrupted.\n"


def test_a_table_is_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "edu_cli", "config"],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "EDU_ASK_CONTACT": "教务处"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "教务处" in done.stdout.decode("utf-8")
