"""`--batch`: an object a line, whatever becomes of the lines beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edu_runs import edu, make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


def test_a_batch_gives_one_object_a_line_in_order(project: Path) -> None:
    lines = '你好\n{"id": "q2", "question": "暗反应发生在哪里？"}\n'
    done = edu(project, "ask", "--batch", "-", "--no-cache", stdin=lines)
    first, second = [json.loads(line) for line in done.out.splitlines()]
    assert first["route"] == "greeting"
    assert (second["id"], second["mode"]) == ("q2", "extractive")


def test_a_subject_in_a_batch_that_no_document_has_is_an_error_of_its_question(project: Path) -> None:
    lines = '{"id": 1, "question": "暗反应发生在哪里？", "subject": "无"}\n暗反应发生在哪里？\n'
    for verb in ("ask", "search"):
        done = edu(project, verb, "--batch", "-", stdin=lines)
        wrong, right = (json.loads(line) for line in done.out.splitlines())
        assert done.code == 1
        assert (wrong["id"], wrong["error"]["code"]) == ("1", "usage")
        assert "'无'" in wrong["error"]["message"]
        assert "error" not in right


def test_a_bad_line_of_a_batch_is_an_error_object_that_names_it_and_the_rest_go_on(project: Path) -> None:
    bad = ('{"question": "没有合上', '{"id": 7}', '{"id": 8, "question": "问", "history": 5}')
    lines = "\n".join(["", *bad, "暗反应发生在哪里？", ""])
    for verb in ("ask", "search"):
        done = edu(project, verb, "--batch", "-", stdin=lines)
        values = [json.loads(line) for line in done.out.splitlines()]
        assert done.code == 1
        assert [value["error"]["message"] for value in values[:-1]] == [
            "line 2 of stdin is no JSON: Unterminated string starting, column 14.",
            "line 3 of stdin has no question.",
            "line 4 of stdin has a history that is no list.",
        ]
        assert {value["error"]["code"] for value in values[:-1]} == {"usage"}
        assert [value.get("id") for value in values] == [None, "7", "8", None]
        assert "error" not in values[-1]
