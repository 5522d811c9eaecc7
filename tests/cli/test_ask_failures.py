"""What an LLM endpoint does wrong, through `edu ask`: what is printed, the exit code, the sources, and no key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from edu_runs import Done, edu, installed_edu, make_project
from scripted_llm import Reply, ScriptedServer, scripted_server

KEY = "sk-test-0123456789abcdef"
QUESTION = "课程里说暗反应发生在哪里？"
GOOD = "暗反应发生在叶绿体基质中[1]。"
Run = Callable[..., Done]


def error(status: int, message: str, **headers: str) -> Reply:
    return Reply(status=status, body=json.dumps({"error": {"message": message}}), headers=headers)


def delta(**fields: object) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': fields}]})}\n\n"


_END = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
_TOO_LONG = error(400, "This model's maximum context length is 4096 tokens.")

FAILURES = {
    "wrong key": (error(401, f"Incorrect API key provided: {KEY}"), "refused the key"),
    "no right": (error(403, f"key {KEY} may not"), "does not let this key use m"),
    "no balance": (error(402, "Insufficient Balance"), "has no balance left"),
    "wrong path": (Reply(status=404, body="<html>404</html>", kind="text/html"), "does not know the model 'm'"),
    "rate": (error(429, "slow down"), "is limiting the rate"),
    "long wait": (error(429, "slow down", **{"Retry-After": "3600"}), "is limiting the rate"),
    "quota": (error(429, "You exceeded your current quota"), "has no quota left"),
    "server error": (error(500, f"crashed on {KEY}"), "failed (500"),
    "bad gateway": (Reply(status=502, body="<html>502</html>", kind="text/html"), "failed (502)"),
    "busy": (error(503, "busy"), "failed (503: busy)"),
    "silence": (Reply("late", delay=1.5), "gave no reply within 0.5 s"),
    "hung up": (Reply(drop=True), "cannot be reached"),
    "web page": (Reply(body="<!doctype html><p>hi", kind="text/html"), "answered with a web page"),
    "other JSON": (Reply(body='{"status": "ok"}'), "returned nothing"),
    "broken JSON": (Reply(body='{"choices": ['), "no chat completion"),
    "empty": (Reply("  \n"), "returned nothing (finish_reason stop)"),
    "filtered": (Reply(None, finish="content_filter"), "returned nothing (finish_reason content_filter)"),
    "only thinking": (Reply("<think>想了很久", finish="length"), "returned nothing (finish_reason length)"),
    "no choices": (Reply(body='{"choices": []}'), "returned nothing"),
    "error in the stream": (Reply(sse=[delta(content="半"), 'data: {"error": {"message": "boom"}}\n\n']), "boom"),
    "broken stream": (Reply(sse=[delta(content="半"), "data: {oops\n\n"]), "no chat completion"),
    "too long twice": (_TOO_LONG, "longer than the context of m"),
}

MENDED = {
    "thinking": Reply(f"<think>\n[9] 是干扰\n</think>\n\n{GOOD}"),
    "only the closing tag": Reply(f"我先想想 [9]。</think>{GOOD}"),
    "a reasoning field": Reply(sse=[delta(reasoning_content="[9]？"), delta(content=GOOD), _END]),
    "JSON in a fence": Reply('好的：\n```json\n{"answer": "暗反应发生在叶绿体基质中", "citations": [1,],}\n```'),
    "a list": Reply('["暗反应发生在叶绿体基质中[1]。"]'),
    "a list of parts": Reply(
        body=json.dumps(
            {"choices": [{"message": {"content": [{"type": "text", "text": GOOD}]}, "finish_reason": "stop"}]}
        )
    ),
    "parts in the stream": Reply(sse=[delta(content=[{"type": "text", "text": GOOD}]), _END]),
    "markers of no passage": Reply("暗反应发生在叶绿体基质中[1][7][12-14]。"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


def asked(run: Run, root: Path, server: ScriptedServer, *flags: str, **env: str) -> Done:
    given = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "EDU_LLM_MODEL": "m", "EDU_LLM_RETRIES": "0"}
    return run(root, "ask", QUESTION, "--no-cache", *flags, **{**given, "EDU_LLM_TIMEOUT_S": "0.5", **env})


def check_failure(run: Run, root: Path, name: str) -> None:
    reply, said = FAILURES[name]
    with scripted_server(reply) as server:
        plain = asked(run, root, server, "-v")
    with scripted_server(reply) as server:
        as_json = asked(edu, root, server, "--json")
    assert plain.code == as_json.code == 1
    assert said in plain.err
    assert "hint:" in plain.err
    assert "找到的资料：\n[1] 光合作用.md" in plain.out
    value = as_json.value
    assert said in value["error"]["message"]
    assert value["error"]["hint"]
    assert value["passages"][0]["doc"] == "光合作用.md"
    for text in (plain.out, plain.err, as_json.out, as_json.err):
        assert "Traceback" not in text
        assert "0123456789" not in text


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_one_sentence_and_the_sources_are_still_shown(project: Path, name: str) -> None:
    check_failure(edu, project, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_the_installed_program_says_the_same(project: Path, name: str) -> None:
    check_failure(installed_edu, project, name)


@pytest.mark.parametrize("name", MENDED)
@pytest.mark.parametrize("run", [edu, pytest.param(installed_edu, marks=pytest.mark.slow)])
def test_an_odd_reply_is_read_all_the_same(project: Path, name: str, run: Run) -> None:
    with scripted_server(MENDED[name]) as server:
        done = asked(run, project, server, "--json")
    assert done.code == 0, done.err
    value = done.value
    assert "暗反应发生在叶绿体基质中" in value["answer"]
    assert [(c["n"], c["doc"], c["support"]) for c in value["citations"]] == [(1, "光合作用.md", "supported")]
    for oddity in ("<think", "</think", "[9]", "[7]", "[12", "{", '["'):
        assert oddity not in value["answer"]


@pytest.mark.parametrize("run", [edu, pytest.param(installed_edu, marks=pytest.mark.slow)])
def test_an_answer_that_was_cut_off_is_shown_and_said_to_be(project: Path, run: Run) -> None:
    with scripted_server(Reply(f"{GOOD}光反应发生在", finish="length")) as server:
        done = asked(run, project, server)
    assert done.code == 0
    assert "叶绿体基质" in done.out
    assert "the answer was cut off: raise EDU_LLM_MAX_TOKENS" in done.err


@pytest.mark.parametrize("run", [edu, pytest.param(installed_edu, marks=pytest.mark.slow)])
def test_a_stream_without_an_end_is_shown_and_said_to_be_incomplete(project: Path, run: Run) -> None:
    with scripted_server(Reply(sse=[delta(content="暗反应发生在")])) as server:
        done = asked(run, project, server)
    assert "without a finish_reason: it may be incomplete" in done.err


@pytest.mark.parametrize("run", [edu, pytest.param(installed_edu, marks=pytest.mark.slow)])
def test_retry_after_is_waited_for_within_the_budget(project: Path, run: Run) -> None:
    with scripted_server(error(429, "slow down", **{"Retry-After": "1"}), error(500, "again"), Reply(GOOD)) as server:
        start = time.monotonic()
        done = asked(run, project, server, EDU_LLM_RETRIES="2")
        waited = time.monotonic() - start
    assert done.code == 0, done.err
    assert len(server.requests) == 3
    assert 1.9 < waited < 15


def test_a_wait_that_is_too_long_is_not_begun(project: Path) -> None:
    with scripted_server(error(429, "slow down", **{"Retry-After": "3600"})) as server:
        start = time.monotonic()
        done = asked(edu, project, server, EDU_LLM_RETRIES="2")
    assert done.code == 1
    assert len(server.requests) == 1
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("run", [edu, pytest.param(installed_edu, marks=pytest.mark.slow)])
def test_a_prompt_too_long_for_the_model_is_sent_once_more_with_less(project: Path, run: Run) -> None:
    with scripted_server(_TOO_LONG, Reply(GOOD)) as server:
        done = asked(run, project, server, "--json")
    value = done.value
    assert (done.code, value["llm"]["calls"]) == (0, 2)
    assert any("too long for m" in w for w in value["warnings"])
    first, second = (len(r["messages"][-1]["content"]) for r in server.requests)
    assert second < first


def test_an_endpoint_that_is_not_there_is_named(project: Path) -> None:
    done = asked(edu, project, ScriptedServer("http://127.0.0.1:9/v1", []))
    assert done.code == 1
    assert "127.0.0.1:9 cannot be reached" in done.err
    assert "光合作用.md" in done.out


def test_the_key_is_kept_nowhere(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    with scripted_server(error(401, f"Incorrect API key provided: {KEY}")) as server:
        asked(edu, root, server)
    with scripted_server(Reply(GOOD)) as server:
        done = asked(edu, root, server, "--json", "-v", "--trace", "trace.json")
        assert done.code == 0, done.err
        shown = [edu(root, "trace", "--json", "-v"), edu(root, "trace", "1", "-v"), edu(root, "status", "--json")]
    assert "refused the key" in shown[1].out
    assert all(run.code == 0 for run in shown)
    for run in [done, *shown]:
        assert "0123456789" not in run.out + run.err
    for path in root.rglob("*"):
        assert not path.is_file() or b"0123456789abcdef" not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("question", "replies", "calls"),
    [
        ("你好", (), 0),
        ("怎么请假？", (), 0),
        (QUESTION, (Reply(GOOD),), 1),
        ("光反应和暗反应有什么区别？", (Reply("光反应发生在类囊体薄膜上[1]，暗反应发生在叶绿体基质中[1]。"),), 1),
    ],
)
def test_each_route_costs_the_calls_that_are_told(project: Path, question: str, replies: tuple, calls: int) -> None:
    edu(project, "faq", "add", "怎么请假？", "找班主任。")
    with scripted_server(*(replies or (Reply("不该问"),))) as server:
        env = {"OPENAI_BASE_URL": server.url, "EDU_LLM_MODEL": "m"}
        done = edu(project, "ask", question, "--json", "--no-cache", **env)
        assert done.value["llm"]["calls"] == len(server.requests) == calls
    assert edu(project, "ask", question, "--json", "--no-cache").value["llm"]["calls"] == 0


def test_the_same_question_again_costs_no_call(project: Path) -> None:
    with scripted_server(Reply(GOOD)) as server:
        env = {"OPENAI_BASE_URL": server.url, "EDU_LLM_MODEL": "m"}
        first, again = (edu(project, "ask", QUESTION, "--json", **env).value for _ in range(2))
    assert (first["llm"]["calls"], again["llm"]["calls"], len(server.requests)) == (1, 0, 1)
    assert (again["route"], again["answer"]) == ("cache", first["answer"])


def test_a_failure_is_kept_in_the_trace_file_and_no_empty_one_is_left(project: Path, tmp_path: Path) -> None:
    kept, none = tmp_path / "kept.json", tmp_path / "none.json"
    with scripted_server(error(401, "no")) as server:
        asked(edu, project, server, "--trace", str(kept))
        assert asked(edu, project, server, "--trace", str(none), "--subject", "没有").code == 2
    value = json.loads(kept.read_text(encoding="utf-8"))
    assert "refused the key" in value["error"]["message"]
    assert value["passages"]
    assert not none.exists()


def test_rewrites_are_asked_for_at_temperature_0_whatever_that_of_answers_is(project: Path) -> None:
    with scripted_server(Reply("暗反应在基质中进行，生成糖类。"), Reply(GOOD)) as server:
        asked(edu, project, server, "--strategy", "hyde", EDU_LLM_TEMPERATURE="0.7")
    assert [request["temperature"] for request in server.requests] == [0.0, 0.7]
