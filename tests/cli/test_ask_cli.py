"""`edu ask` and the verbs over records as a user meets them, on a project of one file without an encoder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from edu_runs import Done, edu, make_project
from scripted_llm import Reply, scripted_server

from edu_cli.cli.answers import show_answer
from edu_cli.cli.render import Output
from edu_cli.types import Answer, Citation, Passage


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


def value_of(done: Done) -> dict:
    return json.loads(done.out)


def test_an_answer_without_llm_has_its_source_below_it(project: Path) -> None:
    done = edu(project, "ask", "暗反应发生在哪里？", "--no-cache")
    assert done.code == 0, done.err
    assert "叶绿体基质" in done.out.split("\n")[0]
    assert "[1] 光合作用.md › 光合作用" in done.out
    assert "no LLM is configured" in done.err


def test_a_question_from_stdin_gives_one_json_value(project: Path) -> None:
    done = edu(project, "ask", "-", "--json", "--no-cache", stdin="暗反应发生在哪里？\n")
    assert value_of(done)["mode"] == "extractive"
    assert value_of(done)["question"] == "暗反应发生在哪里？"


def test_a_question_without_an_answer_exits_4_and_waits_for_a_teacher(project: Path) -> None:
    done = edu(project, "ask", "量子纠缠的贝尔不等式？", "--json", EDU_ASK_THRESHOLD="1", EDU_ASK_CONTACT="教务处")
    value = value_of(done)
    assert done.code == 4
    assert value["refused"]
    assert "教务处" in value["answer"]
    key = value["pending_id"]
    assert value_of(edu(project, "pending", "show", key, "--json"))["status"] == "open"
    assert edu(project, "pending", "answer", key, "见第九讲。").code == 0
    again = value_of(edu(project, "ask", "量子纠缠的贝尔不等式？", "--json"))
    assert (again["route"], again["answer"]) == ("faq", "见第九讲。")
    exported = edu(project, "pending", "export").out
    assert json.loads(exported)["answer"] == "见第九讲。"


def test_a_failing_llm_is_one_sentence_and_the_sources_are_shown(project: Path) -> None:
    with scripted_server(Reply(status=401, body='{"error": {"message": "bad key sk-secret-0123456789"}}')) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret-0123456789", "EDU_LLM_MODEL": "m"}
        plain = edu(project, "ask", "暗反应发生在哪里？", "--route", "rag", **env)
        as_json = edu(project, "ask", "暗反应发生在哪里？", "--route", "rag", "--json", **env)
    assert plain.code == as_json.code == 1
    assert "refused the key" in plain.err
    assert "光合作用.md" in plain.out
    assert value_of(as_json)["error"]["code"] == "llm"
    assert value_of(as_json)["passages"]
    assert "0123456789" not in plain.out + plain.err + as_json.out + as_json.err


def test_a_written_answer_is_traced(project: Path) -> None:
    with scripted_server(Reply("暗反应发生在叶绿体基质中[1]，早在1950年被证明[7]。")) as server:
        env = {"OPENAI_BASE_URL": server.url, "EDU_LLM_MODEL": "m"}
        done = edu(project, "ask", "课程里说暗反应发生在哪里？", "--json", "--strategy", "direct", **env)
    value = value_of(done)
    assert value["answer"] == "暗反应发生在叶绿体基质中[1]，早在1950年被证明（资料未证实）。"
    assert value["llm"]["calls"] == 2  # verification found a sentence without a ground: written again once
    trace = value_of(edu(project, "trace", "--json", "-v"))
    assert trace["answer"]["question"] == "课程里说暗反应发生在哪里？"
    assert trace["exchanges"][0]["messages"][0]["role"] == "system"


def test_faq_entries_go_in_and_out(project: Path, tmp_path: Path) -> None:
    table = tmp_path / "faq.csv"
    table.write_bytes("问题,答案\n怎么请假？,找班主任。\n".encode("gb18030"))
    assert value_of(edu(project, "faq", "import", str(table), "--json"))["added"] == 1
    assert value_of(edu(project, "faq", "import", str(table), "--json"))["unchanged"] == 1
    entries = value_of(edu(project, "faq", "list", "--json"))["entries"]
    key = next(e["id"] for e in entries if e["question"] == "怎么请假？")
    assert value_of(edu(project, "ask", "怎么请假", "--json"))["answer"] == "找班主任。"
    assert edu(project, "faq", "remove", key).code == 0
    assert edu(project, "faq", "remove", key).code == 1


def test_a_conversation_at_the_prompt_is_kept(project: Path) -> None:
    done = edu(project, "chat", stdin="暗反应发生在哪里？\n/sources\n暗反应发生在哪里？\n/quit\n")
    assert done.code == 0, done.err
    assert done.err.count("no LLM is configured") == 1
    assert "叶绿体基质" in done.out
    session = value_of(edu(project, "sessions", "list", "--json"))["sessions"][0]
    assert (
        value_of(edu(project, "sessions", "show", session["id"], "--json"))["turns"][0]["question"]
        == "暗反应发生在哪里？"
    )
    assert edu(project, "sessions", "remove", session["id"]).code == 0


def test_a_conversation_in_json_is_one_object_a_question(project: Path) -> None:
    done = edu(project, "chat", "--json", stdin="暗反应发生在哪里？\n/new\n暗反应发生在哪里？\n/quit\n")
    assert done.code == 0, done.err
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert first["schema"] == second["schema"] == 1
    assert "叶绿体基质" in first["answer"]
    assert first["session"] != second["session"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ask",), "No question was given"),
        (("ask", "问", "--tenant", "别班"), "No document has the tenant '别班'"),
        (("search", "问", "--subject", "别课"), "No document has the subject '别课'"),
        (("ask", " "), "The question is empty"),
        (("ask", "问", "--batch", "-"), "exclude each other"),
        (("ask", "问", "--filter", "x"), "KEY=VALUE"),
        (("ask", "问", "--route", "general"), "needs an LLM"),
        (("pending", "show", "nope"), "There is no pending question 'nope'"),
    ],
)
def test_wrong_use_is_told_in_a_sentence_and_exits_2(project: Path, args: tuple[str, ...], said: str) -> None:
    done = edu(project, *args)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err


def test_an_faq_answer_in_its_own_words_loads_no_model(project: Path) -> None:
    assert [edu(project, "faq", "add", "补考什么时候？", day).err for day in ("周一。", "第二周。")] == [
        "added\n",
        "updated\n",
    ]
    script = (
        "import sys; from edu_cli.cli.app import run; code = run(['ask', '补考什么时候', '--json']);"
        "heavy = {'onnxruntime', 'pymilvus', 'bm25s', 'jieba', 'rjieba', 'openai', 'torch'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy or code else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        env={**os.environ, "EDU_ENCODER": "none"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr


def test_a_plan_is_shown_to_people_too(project: Path) -> None:
    done = edu(project, "ask", "光反应和暗反应有什么区别？", "--plan", "--no-cache")
    assert done.code == 0, done.err
    assert done.out.startswith("route ")
    assert "classify" in done.out


def test_a_trace_that_cannot_be_written_is_one_json_error(project: Path) -> None:
    done = edu(project, "ask", "暗反应发生在哪里？", "--json", "--trace", "nowhere/trace.json")
    assert done.code == 2
    assert "nowhere" in value_of(done)["error"]["message"]


def test_an_entry_that_does_not_exist_is_an_error_in_json_too(project: Path) -> None:
    done = edu(project, "faq", "remove", "nope", "--json")
    assert done.code == 1
    assert value_of(done)["error"]["message"] == "there is no entry nope"
    assert value_of(done)["missing"] == ["nope"]


def test_a_teacher_may_put_the_question_in_better_words(project: Path) -> None:
    key = value_of(edu(project, "ask", "那啥贝尔态咋弄？", "--json", EDU_ASK_THRESHOLD="1"))["pending_id"]
    done = edu(project, "pending", "answer", key, "用 H 门和 CNOT 门。", "--question", "怎样制备贝尔态？")
    assert done.code == 0, done.err
    assert value_of(edu(project, "ask", "怎样制备贝尔态？", "--json"))["answer"] == "用 H 门和 CNOT 门。"
    assert edu(project, "pending", "answer", key, "x", "--question", " ").code == 2


def test_status_tells_what_answered_how_much(project: Path) -> None:
    edu(project, "ask", "你好")
    edu(project, "ask", "暗反应发生在哪里？", "--no-cache")
    answers = value_of(edu(project, "status", "--json"))["answers"]
    assert answers["total"] == sum(row["answers"] for row in answers["by"]) >= 2
    assert {"template", "extractive"} <= {row["by"] for row in answers["by"]}
    assert set(answers["by"][0]) == {"route", "by", "answers", "share", "calls", "tokens", "p50", "p95"}
    assert "extractive" in edu(project, "status").out


@pytest.mark.parametrize("command", ["faq list", "pending list", "sessions list"])
def test_records_of_another_tenant_are_not_seen(project: Path, command: str) -> None:
    edu(project, "faq", "add", "甲的问题？", "甲的答案。", "--tenant", "甲")
    edu(project, "ask", "甲问的没有答案的问题？", "--tenant", "甲", "--session", "甲的", EDU_ASK_THRESHOLD="1")
    mine, theirs = (edu(project, *command.split(), "--json", *more).out for more in ((), ("--tenant", "甲")))
    assert "甲" not in mine
    assert "甲" in theirs


def test_what_stands_beside_an_answer_speaks_the_language_of_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    passage = Passage(1, 1.0, "leaf.md", "Leaf", ("Leaf",), 3, "", "p", "c", "d", "text", "text", {})
    weak = Citation(1, "leaf.md", ("Leaf",), 3, "text", "claim", "weak")
    for question in ("where is it?", "在哪里？"):
        answer = Answer(question, question, "text [1]", False, 0.9, "rag", None, None, "generated")
        show_answer(Output(), replace(answer, citations=(weak,), passages=(passage,)), streamed="", explain=False)
    english, chinese = capsys.readouterr().out.split("text [1]\n")[1:]
    assert english == "\nSources:\n[1] leaf.md › Leaf, p. 3 (borne out in part)\n"
    assert chinese == "\n来源：\n[1] leaf.md › Leaf，第3页（只部分证实）\n"


def test_pages_of_the_web_are_marked_as_such(project: Path) -> None:
    page = {"url": "https://e.org/leaf", "title": "暗反应", "content": "暗反应发生在叶绿体基质中。"}
    with scripted_server(Reply(body=json.dumps({"results": [page]}))) as server:
        env = {"EDU_WEB_SEARCH_URL": f"{server.url}/search", "EDU_ASK_THRESHOLD": "1"}
        done = edu(project, "ask", "课程里说暗反应发生在哪里？", "--web", "--no-cache", **env)
    assert done.code == 0, done.err
    assert "来源（网络，不是课程资料）：\n[1] https://e.org/leaf" in done.out
    assert "from the web" in done.err


def test_explain_is_in_english_like_help(project: Path) -> None:
    done = edu(project, "ask", "光反应和暗反应有什么区别？", "--explain", "--no-cache")
    explained = done.out.split("route ")[1]
    for chinese in ("来源", "第1页", "未证实"):
        assert chinese not in explained
    assert "found by" in explained
    assert "searched for 1: 光反应和暗反应有什么区别？" in explained
