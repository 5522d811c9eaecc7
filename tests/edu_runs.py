"""Running `edu` as its users do: in this process for speed, or as the installed program."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from edu_cli.cli.app import run

LEAF = "# 光合作用\n\n光合作用的暗反应发生在叶绿体基质中，光反应发生在类囊体薄膜上。\n"
SETTINGS = {"EDU_ENCODER": "none", "EDU_ASK_THRESHOLD": "0.05"}


@dataclass(frozen=True)
class Done:
    """How a run ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """The JSON value on stdout."""
        return json.loads(self.out)


def make_project(root: Path) -> Path:
    """A project of two short files, without an encoder."""
    (root / "资料").mkdir()
    (root / "资料" / "光合作用.md").write_text(LEAF, encoding="utf-8")
    (root / "资料" / "呼吸.md").write_text("# 呼吸作用\n\n有氧呼吸第三阶段发生在线粒体内膜。\n", encoding="utf-8")
    done = edu(root, "ingest", "资料", "--encoder", "none", "--json")
    assert done.code == 0, done.err
    return root


def edu(root: Path, *args: str, stdin: str = "", **env: str) -> Done:
    """Runs `edu ARGS` in this process, in `root`, with these settings in the environment."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for name, value in {**SETTINGS, **env}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        code = run(list(args))
    return Done(code, _text(out), _text(err))


def installed_edu(root: Path, *args: str, **env: str) -> Done:
    """Runs the installed program in a process of its own."""
    program = Path(sys.executable).with_name("edu")
    done = subprocess.run(
        [program, *args], cwd=root, env={**os.environ, **SETTINGS, **env}, capture_output=True, encoding="utf-8"
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8")
