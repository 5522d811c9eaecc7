"""bench/all.py: what it runs is there, and what it cannot run it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "all.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_every_script_that_the_figures_come_from_is_there():
    scripts = re.findall(r'"([\w/]+\.py)"', (BENCH / "all.py").read_text(encoding="utf-8"))
    assert len(scripts) > 10
    assert [script for script in scripts if not (BENCH / script).is_file() and script != "beir_to_corpus.py"] == []


def test_what_is_not_there_is_skipped_with_the_reason(tmp_path: Path):
    out = tmp_path / "figures.json"
    done = ran("--only", "bound,peers,store,serve", "--data", str(tmp_path), "--out", str(out))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report == json.loads(out.read_text(encoding="utf-8"))
    assert set(report["machine"]) >= {"cores", "load", "python"}
    assert {name: list(found) for name, found in report["figures"].items()} == {
        "bound": ["skipped"], "serve": ["skipped"], "store": ["skipped"], "peers": ["skipped"]
    }  # fmt: skip
    assert str(tmp_path) in report["figures"]["bound"]["skipped"]


def test_a_figure_that_does_not_exist_is_refused_by_name():
    done = ran("--only", "start,nonsense")
    assert done.returncode == 1
    assert "nonsense" in done.stderr
    assert "reingest" in done.stderr
