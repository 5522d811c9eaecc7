"""The table by which command lines are read without Typer: what it says is what Typer says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.cli import plain
from edu_cli.cli.app import run
from edu_cli.cli.commands import Command
from edu_cli.cli.completing import completed
from edu_cli.cli.program import run_program, signature_of
from edu_cli.cli.tabulate import PLACE, tabulated, written
from edu_cli.cli.verbs import VERBS

ROWS = {name: row for verb in ("", *VERBS) for name, row in plain.rows_of(verb).items()}
PLAIN = sorted(name for name, row in ROWS.items() if row["plain"])
WORDS = ("", "-", "栈", "3", "0", "-1", "1.5", "nan", "1_0", " 7", "faq", "hybrid", "auto", "-x", "--", "a=b", "-k")


def test_the_table_is_what_typer_knows() -> None:
    made = written(tabulated())
    assert PLACE.read_text(encoding="utf-8") == made, "run `python -m edu_cli.cli.tabulate`"


def test_every_verb_but_those_that_ask_typer_for_the_call_can_be_read_by_the_table() -> None:
    left = {name.partition(" ")[0] for name, row in ROWS.items() if name and not row["plain"] and not row["commands"]}
    assert left == {"serve"}
    assert [(name, one["name"]) for name in PLAIN for one in ROWS[name]["params"] if one["kind"] == "other"] == []


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What commands are run with, in place of running them."""
    seen: list[dict[str, Any]] = []
    return _watch(monkeypatch, seen)


def _watch(monkeypatch: pytest.MonkeyPatch, seen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    import importlib

    for verb in VERBS:
        for command in importlib.import_module(f"edu_cli.cli.{verb}").app.commands.values():
            defaults = {one.name: one.default for one in signature_of(command).parameters.values()}
            monkeypatch.setattr(command, "run", lambda defaults=defaults, **given: seen.append({**defaults, **given}))
    return seen


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command's name, and flags of its own with values that may or may not be right."""
    name = draw(st.sampled_from(PLAIN))
    params = [one for one in ROWS[name]["params"] if one["kind"] != "help"]
    words = name.split()
    for one in draw(st.lists(st.sampled_from(params), max_size=5)):
        value = draw(st.sampled_from((*WORDS, *one["choices"])))
        if not one["on"]:
            words.append(value)
            continue
        flag = draw(st.sampled_from((*one["on"], *one["off"])))
        joined = draw(st.booleans())
        is_switch = one["kind"] == "flag"
        words += [flag] if is_switch and not joined else [f"{flag}={value}"] if joined else [flag, value]
    return words


@given(command_lines())
@settings(max_examples=400, deadline=None)
def test_a_command_line_that_the_table_reads_means_to_typer_what_it_means_to_the_table(words: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        seen = _watch(monkeypatch, [])
        if (call := plain.read(words)) is None:
            return
        call()
        assert run_program(words) == 0
        by_table, by_typer = seen
    assert {k: (type(v), repr(v)) for k, v in by_table.items()} == {k: (type(v), repr(v)) for k, v in by_typer.items()}


@pytest.mark.parametrize("name", PLAIN)
def test_the_table_reads_every_flag_of_every_command(name: str, calls: list[dict[str, Any]]) -> None:
    values = {"text": "栈", "path": "栈", "int": "2", "float": "0.5"}
    line = name.split()
    for one in ROWS[name]["params"]:
        if one["kind"] == "help":
            continue
        value = one["choices"][-1] if one["choices"] else values.get(one["kind"], "")
        line += [one["on"][0]] if one["kind"] == "flag" else [*one["on"][:1], value]
    call = plain.read(line)
    assert call is not None, line
    call()
    assert run_program(line) == 0
    assert repr(calls[0]) == repr(calls[1])


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_help_pages_are_those_of_typer_at_any_width(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for name in ROWS:
        line = [*name.split(), "--help"]
        assert run(line) == 0
        shown = capsys.readouterr().out
        run_program(line)
        assert shown == capsys.readouterr().out, line


def test_help_is_asked_for_anywhere_after_the_verb() -> None:
    assert plain.page(["ask", "什么是栈", "-q", "-h"]) == ROWS["ask"]["page"]
    assert plain.page(["faq", "list", "--help"]) == ROWS["faq list"]["page"]
    assert plain.page(["faq", "--help"]) == ROWS["faq"]["page"]
    assert plain.page(["ask", "--bogus", "--help"]) is None
    assert plain.page(["ask", "-k", "--help"]) is None


LINES = (
    "edu se", "edu ", "edu -", "edu x", "edu ask --", "edu ask -q --quiet -", "edu docs ", "edu docs l", "edu faq --",
    "edu docs list --s", "edu faq remove x --", "edu ask --filter a=b --f", "edu serve -", "edu serve s",
    "edu ingest --o",
)  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("line", LINES)
def test_a_shell_is_offered_what_typer_would_offer(
    shell: str, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = len(line.split()) - (not line.endswith(" "))
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(place), "_TYPER_COMPLETE_ARGS": line}
    asked |= {"_EDU_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    ours = completed(asked)
    assert ours is not None
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        run_program([])
    assert _sorted(ours) == _sorted(capsys.readouterr().out)


def _sorted(text: str) -> list[str]:
    """Its words in order: Typer names --help and -h in any order."""
    return sorted(text.replace("((", " ").replace("))", " ").replace("'", " ").split())


@pytest.mark.parametrize(
    "asked",
    [
        {"_EDU_COMPLETE": "complete_bash", "COMP_WORDS": "edu ask --mode h", "COMP_CWORD": "3"},
        {"_EDU_COMPLETE": "complete_bash", "COMP_WORDS": "edu ask 'a b", "COMP_CWORD": "2"},
        {"_EDU_COMPLETE": "complete_bash", "COMP_WORDS": "edu ask --k=", "COMP_CWORD": "2"},
        {"_EDU_COMPLETE": "complete_powershell", "_TYPER_COMPLETE_ARGS": "edu se"},
        {"_EDU_COMPLETE": "source_bash"},
        {"_EDU_COMPLETE": "complete_bash"},
    ],
)
def test_values_quotes_and_other_shells_are_left_to_typer(asked: Mapping[str, str]) -> None:
    assert completed(asked) is None


@pytest.mark.parametrize("words", [["--help"], ["ask", "--help"], []])
def test_pages_and_completion_load_neither_typer_nor_pathlib(words: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from edu_cli.cli.app import run\n"
        f"code = run({words!r})\n"
        "print(code, [m for m in ('typer', 'typing', 'pathlib', 'dataclasses', 'edu_cli.errors') if m in sys.modules])"
    )
    asked = {} if words else {"_EDU_COMPLETE": "complete_bash", "COMP_WORDS": "edu se", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, **asked, "COLUMNS": "80", "PYTHONPATH": str(Path(plain.__file__).parents[2])},
        cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


def test_a_command_knows_its_leading_parameter_from_its_flags() -> None:
    def run_it(desk: object, name: str = "x") -> None:
        """Nothing."""

    assert list(signature_of(Command(run_it, (run_it,), leading=1)).parameters) == ["name"]
