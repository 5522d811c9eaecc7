"""The tool itself: a run by it is a run of `edu`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from warm_edu import WarmEdu


def test_a_run_says_what_edu_says(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with WarmEdu(tmp_path / "work") as edu:
        warm = edu.run(tmp_path, "status", "--json")
    cold = subprocess.run(
        [sys.executable, "-m", "edu_cli", "status", "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (warm.code, warm.out, warm.err) == (cold.returncode, cold.stdout, cold.stderr)


def test_a_run_is_killed_at_the_change_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.md").write_text("# 甲\n\n一句话。\n", encoding="utf-8")
    with WarmEdu(tmp_path / "work") as edu:
        whole = edu.run(tmp_path / "p", "ingest", "a.md", "--encoder", "none")
        killed = edu.run(tmp_path / "p", "ingest", "a.md", "--force", die_at=3)
    assert whole.code == 0
    assert "after commit catalog.sqlite" in whole.events
    assert (killed.was_killed, len(killed.events)) == (True, 3)
