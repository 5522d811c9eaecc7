"""The README's examples are run: every `console` block, in order, in one project made from `corpus/`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edu_cli.cli.verbs import VERBS
from edu_cli.config import setting_infos
from edu_cli.errors import ExitCode

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# what differs from run to run, or from one processor to the next: seconds, and the last digits of scores
_VARIES = re.compile(r"\d+(\.\d+)? ?s\b|\d+ ms|\b0\.\d{2,3}\b")


def examples() -> Iterator[tuple[str, list[str]]]:
    """(command, the lines of output that the README shows); a line `…` stands for lines left out."""
    for block in re.findall(r"^```console\n(.*?)^```", README, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, [line for line in output.splitlines() if line.strip() and line.strip() != "…"]


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", _VARIES.sub("", text))


@pytest.mark.slow
@pytest.mark.ocr
def test_the_examples_print_what_the_readme_shows(tmp_path: Path) -> None:
    found = list(examples())
    assert len(found) >= 5
    shutil.copytree(ROOT / "corpus", tmp_path / "corpus")
    scripts = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    env["EDU_CACHE_DIR"] = str(tmp_path / "cache")  # in the shared one these files may be encoded already
    for command, lines in found:
        shell = ["bash", "-c", command]
        done = subprocess.run(
            shell, cwd=tmp_path, env=env, capture_output=True, text=True, encoding="utf-8", timeout=600
        )
        shown = _plain(done.stdout + done.stderr)
        assert "Traceback" not in done.stderr, command
        for line in lines:
            assert _plain(line) in shown, f"$ {command}\nlacks: {line}\ngot:\n{done.stdout}{done.stderr}"


def test_the_readme_names_every_verb_and_exit_code() -> None:
    for verb in VERBS:
        assert f"edu {verb}" in README, verb
    for code in ExitCode:
        assert re.search(rf"^\| {int(code)} \|", README, re.M), code


def test_the_readme_names_every_section_of_the_settings() -> None:
    for section in {info.key.split(".")[0] for info in setting_infos()}:
        assert f"`[{section}]`" in README, section


def test_the_two_commands_exist_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert re.search(rf"^{target}:", makefile, re.M)
        assert f"make {target}" in README


def test_commands_in_the_readme_use_known_verbs() -> None:
    for command, _ in examples():
        words = shlex.split(command.split("|")[0].split("&&")[0])
        if words[0] == "edu" and not words[1].startswith("-"):
            assert words[1] in VERBS, command
