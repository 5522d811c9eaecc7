"""`bench/soak.py` in short: mixed use against `edu serve` for half a minute, without an error or growth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[2] / "bench" / "soak.py"


@pytest.mark.slow
def test_mixed_use_leaves_no_error_and_no_growth() -> None:
    done = subprocess.run(
        [sys.executable, str(SOAK), "--minutes", "0.6", "--encoder", "none", "--pause", "0.2"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=400,
    )
    assert done.stdout, done.stderr
    value = json.loads(done.stdout)
    assert value["errors_by_kind"] == {}
    assert value["ok"], {name: value[name] for name in ("rss_mb", "files", "server_said")}
    assert value["server"]["requests"]["search"] > 10
