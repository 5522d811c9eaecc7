"""What commands load: next to nothing where the warm process works for them, and for answers that need no search."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from edu_runs import SETTINGS, edu
from served import serving

from edu_cli.project import Project

HEAVY = (
    "numpy", "rich", "onnxruntime", "pymilvus", "bm25s", "jieba", "rjieba", "openai", "httpx2", "torch", "pydantic",
    "asyncio", "logging", "email", "importlib.metadata",
)  # fmt: skip


def loaded(project: Project, *words: str) -> set[str]:
    """The heavy modules that `edu WORDS` loads."""
    code = (
        "import sys\nfrom edu_cli.cli.app import run\n"
        f"code = run({list(words)!r})\nprint('LOADED', *sorted(set({HEAVY!r}) & set(sys.modules)))\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project.root,
        env={**os.environ, **SETTINGS},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    "words",
    [
        ("search", "括号匹配"),
        ("search", "括号匹配", "--json"),
        ("ask", "压栈在哪里进行？", "--no-cache"),
        ("ask", "压栈在哪里进行？", "--no-cache", "--json"),
        ("serve", "status"),
    ],
)
def test_a_served_command_loads_nothing_heavy(project: Project, words: tuple[str, ...]) -> None:
    with serving(project):
        assert loaded(project, *words) == set()


def test_small_talk_the_faq_and_earlier_answers_load_nothing_heavy(project: Project) -> None:
    assert edu(project.root, "faq", "add", "补考什么时候？", "第二周。").code == 0
    assert edu(project.root, "ask", "压栈和弹栈在哪里进行？", "--route", "auto").code == 0
    for question in ("你好", "补考什么时候", "补考什么时候？", "压栈和弹栈在哪里进行？"):
        assert loaded(project, "ask", question) == set(), question
