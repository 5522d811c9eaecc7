"""The README's workflow is run step by step, and a leg that is switched off turns it red and is named."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from lxml import etree

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = "corpus/questions.jsonl"
INSTALLS = ("sudo apt-get", "pip install")  # what this environment has already

pytestmark = [pytest.mark.slow, pytest.mark.ocr, pytest.mark.models]


def steps():
    """The shell commands of the workflow in the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", readme, re.M | re.S)[1])
    runs = [step["run"] for step in workflow["jobs"]["eval"]["steps"] if "run" in step]
    return [run for run in runs if not run.startswith(INSTALLS)]


def shell(command, folder, **variables):
    scripts = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", **variables}
    words = ["bash", "-eo", "pipefail", "-c", command]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", timeout=600)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The corpus in a folder of its own, measured by every step of the workflow."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "corpus", folder / "corpus")
    commands = steps()
    assert [command.split()[0] for command in commands] == ["edu", "edu", "cat"]
    for command in commands:
        ran = shell(command, folder, GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
        assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    return folder


def test_the_workflow_passes_and_leaves_its_reports(checkout):
    assert "**all 2 gates passed**" in (checkout / "summary.md").read_text(encoding="utf-8")
    suite = junit(checkout / "eval.xml")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
    assert (checkout / "eval.html").stat().st_size > 20_000
    report = json.loads((checkout / "eval.json").read_text(encoding="utf-8"))
    assert set(report["retrieval"]["modes"]) == {"bm25", "dense", "sparse", "hybrid", "hybrid+rerank"}
    assert report["generation"]["failures"] == []


def test_a_leg_switched_off_turns_the_gate_red_and_the_report_shows_why(checkout):
    gate = "--baseline eval.json --max-drop 0.005"
    flags = f"{QUESTIONS} --stage retrieval {gate} --junit red.xml --out red.json --out red.md"
    assert shell(f"edu eval {flags}", checkout).returncode == 0, "nothing has changed yet"
    ran = shell(f"edu eval {flags}", checkout, EDU_SEARCH_MODE="dense")
    assert ran.returncode == 5, ran.stdout + ran.stderr
    assert "warning: gate nDCG@10: got 0." in ran.stderr
    assert "search.mode was its default and is dense" in ran.stdout
    report = json.loads((checkout / "red.json").read_text(encoding="utf-8"))
    compared = report["baseline"]
    assert "search.mode was its default and is dense" in compared["changed"]
    assert compared["worse"] > compared["better"]
    assert compared["worst"][0]["now"] < compared["worst"][0]["before"]
    assert report["retrieval"]["found_by"] == {"bm25": 0.0, "dense": 1.0, "sparse": 0.0}
    suite = junit(checkout / "red.xml")
    assert int(suite.get("failures")) > 0
    assert "search.mode was its default and is dense" in next(suite.iter("failure")).text
    assert "gates failed" in (checkout / "red.md").read_text(encoding="utf-8")


def test_material_that_went_missing_is_named(checkout, tmp_path):
    folder = tmp_path / "less"
    shutil.copytree(checkout / "corpus", folder / "corpus")
    (folder / "corpus" / "python" / "课程大纲.md").unlink()
    shutil.copy(checkout / "eval.json", folder)
    assert shell("edu ingest corpus -q", folder).returncode == 0
    ran = shell(f"edu eval {QUESTIONS} --stage retrieval --baseline eval.json --out red.json", folder)
    assert ran.returncode == 5, ran.stdout + ran.stderr
    assert "'python/课程大纲.md'" in ran.stderr
    assert "is not in the corpus" in ran.stderr
    report = json.loads((folder / "red.json").read_text(encoding="utf-8"))
    assert "the corpus is another one than the baseline's" in report["baseline"]["changed"]
    assert report["retrieval"]["lost"]["counts"]["not_loaded"] >= 8


def junit(path):
    """The suite of a JUnit file that fits the schema."""
    schema = etree.XMLSchema(etree.parse(ROOT / "tests" / "data" / "junit.xsd"))
    root = etree.fromstring(path.read_bytes())
    schema.assertValid(root)
    return root[0]
