"""What a user sees with the warm process and without it is the same, and it is the warm one that answers."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from edu_runs import Done, edu
from scripted_llm import Reply, scripted_server
from served import make_project, serving, without_times

from edu_cli.project import Project
from edu_cli.serve.frames import PROTOCOL, receive, send
from edu_cli.serve.place import listen

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "括号匹配"),
    ("search", "括号匹配", "--json", "-k", "2"),
    ("search", "线性表的单位", "--explain", "--subject", "os"),
    ("search", "线性表", "--doc", "ds/队*.md", "--json"),
    ("search", "线性表", "--mode", "bm25", "--json"),
    ("search", "线性表", "--mode", "dense", "--json"),
    ("search", "zzqqx", "--json"),
    ("search", " "),
    ("search", "栈", "--filter", "x"),
    ("search", "栈", "--filter", "x=y", "--json"),
    ("search", "--batch", "-", "--no-rerank"),
    ("ask", "压栈在哪里进行？", "--no-cache"),
    ("ask", "压栈在哪里进行？", "--no-cache", "--json"),
    ("ask", "你好", "--json"),
    ("ask", "量子纠缠是什么？", "--plan", "--json"),
    ("ask", "问", "--route", "general", "--json"),
    ("ask", "--batch", "-", "--no-cache"),
    ("ask", "压栈在哪里进行？", "--explain", "--no-cache"),
    ("ask",),
)  # fmt: skip
BATCH = """入队在哪里
{"id": "q2", "question": "单位是什么", "subject": "os"}
{"id": "q3", "question": "栈", "subject": "?"}
"""


def both(project: Project, commands: Sequence[Sequence[str]], **env: str) -> list[tuple[Done, Done]]:
    """(without, with) the warm process."""
    alone = [edu(project.root, *words, stdin=BATCH, **env) for words in commands]
    with serving(project, encoder=env.get("EDU_ENCODER", "none")) as running:
        served = [edu(project.root, *words, stdin=BATCH, **env) for words in commands]
        assert not running.faults
        assert sum(running.asked.values()) >= len(commands)
    return list(zip(alone, served, strict=True))


def test_output_and_exit_code_are_the_same_with_and_without(project: Project) -> None:
    for words, (alone, served) in zip(COMMANDS, both(project, COMMANDS), strict=True):
        assert served.code == alone.code, words
        assert without_times(served.out) == without_times(alone.out), words
        assert without_times(served.err) == without_times(alone.err), words


def test_verbose_says_who_answers(project: Project) -> None:
    assert "edu serve is not running" in edu(project.root, "search", "栈", "-v").err
    with serving(project):
        assert f"edu serve answers (PID {os.getpid()})" in edu(project.root, "search", "栈", "-v").err
        assert "edu serve" not in edu(project.root, "search", "栈").err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_the_llm_and_its_key_are_those_of_the_command(project: Project, flags: list[str]) -> None:
    with serving(project) as running, scripted_server(Reply("在栈顶进行[1]。")) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-mine-0123456789", "EDU_LLM_MODEL": "mine"}
        done = edu(project.root, "ask", "压栈在哪里进行？", "--strategy", "direct", "--no-cache", *flags, **env)
        assert done.code == 0, done.err
        assert "在栈顶进行[1]" in done.out
        assert server.requests[0]["model"] == "mine"
        again = edu(project.root, "ask", "压栈在哪里进行？", "--json", "--no-cache")
        assert '"mode": "extractive"' in again.out
        told = "\n".join([*running.lines, *running.faults, done.out, done.err, again.out])
        assert "0123456789" not in told


def test_thresholds_are_those_of_the_command(project: Project) -> None:
    with serving(project):
        high = edu(project.root, "search", "括号匹配", EDU_ASK_THRESHOLD="1")
        assert high.code == 4
        assert edu(project.root, "search", "括号匹配", EDU_ASK_THRESHOLD="0").code == 0
        assert edu(project.root, "ask", "括号匹配", EDU_ASK_THRESHOLD="1").code == 4
        only = edu(project.root, "search", "线性表", "--json", EDU_SEARCH_K="1")
        assert only.out.count('"parent_id"') == 1


def test_a_failing_llm_is_told_with_the_passages_found(project: Project) -> None:
    with scripted_server(Reply(status=401, body='{"error": {"message": "bad key sk-x"}}')) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret-0123456789", "EDU_LLM_MODEL": "m"}
        words = ("ask", "压栈在哪里进行？", "--route", "rag", "--strategy", "direct")
        for alone, served in both(project, [words, (*words, "--json")], **env):
            assert (served.code, without_times(served.out)) == (alone.code, without_times(alone.out))
            assert served.err == alone.err
            assert "ds/栈.md" in served.out


def test_a_conversation_goes_on_through_the_warm_process(project: Project) -> None:
    with serving(project) as running:
        done = edu(project.root, "chat", stdin="压栈在哪里进行？\n/sources\n/quit\n")
        assert done.code == 0, done.err
        assert "[1] ds/栈.md" in done.out
        assert edu(project.root, "chat", "-c", stdin="/quit\n").code == 0
        assert running.asked["last_session"] == 1


def test_a_changed_index_is_seen_by_the_next_question(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with serving(project) as running:
        assert "ds/栈.md" in edu(tmp_path, "search", "括号匹配", "--json").out
        (tmp_path / "files" / "ds" / "树.md").write_text("# 树\n\n二叉树的每个结点至多有两棵子树。\n", encoding="utf-8")
        (tmp_path / "files" / "ds" / "栈.md").unlink()
        assert edu(tmp_path, "ingest", "files", "-q").code == 0
        assert "ds/树.md" in edu(tmp_path, "search", "二叉树的结点", "--json").out
        assert "ds/栈.md" not in edu(tmp_path, "search", "括号匹配", "--json").out
        assert not running.faults


def test_a_user_dictionary_that_changes_is_read_again(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "terms.txt").write_text("后进先出\n", encoding="utf-8")
    (tmp_path / "edu.toml").write_text('[lexical]\nuser_dict = "terms.txt"\n', encoding="utf-8")
    assert edu(tmp_path, "index").code == 0
    with serving(project):
        assert edu(tmp_path, "search", "后进先出").code == 0
        (tmp_path / "terms.txt").write_text("后进先出\n线性表\n", encoding="utf-8")
        stale = edu(tmp_path, "search", "后进先出")
        assert "edu index" in stale.err
        assert edu(tmp_path, "index").code == 0
        assert edu(tmp_path, "search", "后进先出").code == 0


def test_an_idle_process_leaves(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with serving(project, idle_exit_s=0.3):
        until = time.monotonic() + 10
        while project.socket_path.exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert not project.socket_path.exists()
        assert edu(tmp_path, "search", "括号匹配").code == 0


@pytest.mark.parametrize(
    ("greeting", "told"),
    [
        ({"edu": "9.9"}, "version 9.9"),
        ({"pid": "x"}, "does not answer"),
        ({"root": "/elsewhere"}, "started for /elsewhere"),
        (None, "takes no more connections"),
    ],
)
def test_a_process_that_does_not_fit_is_left_alone(project: Project, greeting: dict | None, told: str) -> None:
    from edu_cli import __version__

    fits = {"edu": __version__, "protocol": PROTOCOL, "pid": 1, "root": str(project.root), "environment": {}}
    with listen(project.socket_path) as listener:

        def greet() -> None:
            with listener.accept()[0] as connection:
                if greeting is not None:
                    send(connection, {**fits, **greeting})
                    receive(connection, 1000)

        thread = threading.Thread(target=greet)
        thread.start()
        done = edu(project.root, "search", "括号匹配", "-v")
        thread.join()
    project.socket_path.unlink()
    assert done.code == 0
    assert told in done.err


def test_a_program_that_searches_the_web_is_started_by_the_command_itself(project: Project) -> None:
    env = {"EDU_WEB_MCP": "searcher --stdio"}
    with serving(project) as running:
        assert "edu serve answers" in edu(project.root, "search", "括号匹配", "-v", **env).err
        done = edu(project.root, "ask", "你好", "-v", **env)
        assert "this process answers by itself" in done.err
        assert "ask" not in running.asked


def test_another_environment_of_the_libraries_is_told_and_not_used(project: Project) -> None:
    with serving(project) as running:
        done = edu(project.root, "search", "括号匹配", "-v", HF_HOME="/elsewhere")
    assert done.code == 0
    assert "another HF_HOME" in done.err
    assert not running.asked


def test_a_process_that_goes_away_in_a_request_costs_time_only(project: Project) -> None:
    from edu_cli import __version__

    def serve(listener: socket.socket) -> None:
        fits = {"edu": __version__, "protocol": PROTOCOL, "pid": 1, "root": str(project.root)}
        with listener.accept()[0] as connection:
            from edu_cli.serve.surroundings import environment

            send(connection, {**fits, "environment": environment(os.environ)})
            receive(connection, 1 << 20)
            send(connection, {"result": None})
            receive(connection, 1 << 20)

    with listen(project.socket_path) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        done = edu(project.root, "search", "括号匹配", "-v")
        thread.join()
    project.socket_path.unlink()
    assert done.code == 0
    assert "ds/栈.md" in done.out
    assert "went away" in done.err


def write_questions(project: Project) -> None:
    rows = [
        {
            "id": "1",
            "question": "括号匹配用什么做？",
            "relevant": [{"doc": "ds/栈.md"}],
            "answer": "栈",
            "route": "rag",
        },
        {"id": "2", "question": "入队在哪里？", "relevant": [{"doc": "ds/队列.md"}], "strategy": "direct"},
        {"id": "3", "question": "天气怎么样？", "answerable": False},
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (project.root / "questions.jsonl").write_text(lines, encoding="utf-8")


def test_a_report_is_the_same_with_and_without(project: Project) -> None:
    write_questions(project)
    words = ("eval", "questions.jsonl", "--json", "--compare", "modes")
    ((alone, served),) = both(project, [words])
    assert served.code == alone.code == 0, alone.err
    assert report_of(served) == report_of(alone)


def report_of(done: Done) -> dict:
    """The report without what a clock decides."""
    value = json.loads(without_times(done.out))
    value.pop("latency")
    return value


@pytest.mark.slow
def test_with_the_bundled_encoder_all_is_the_same_too(tmp_path: Path) -> None:
    corpus = Path(__file__).resolve().parents[2] / "corpus"
    for name in ("python", "database", "service"):
        shutil.copytree(corpus / name, tmp_path / "files" / name)
    done = edu(tmp_path, "ingest", "files", "--ocr", "never", "-q", EDU_ENCODER="e5-small")
    assert done.code in (0, 3), done.err
    questions = [json.loads(line) for line in (corpus / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [item["question"] for item in questions]
    words = [("search", one, "--json") for one in asked] + [("ask", one, "--json", "--no-cache") for one in asked]
    words.append(("eval", str(corpus / "questions.jsonl"), "--json", "--stage", "retrieval"))
    pairs = both(Project(tmp_path), words, EDU_ENCODER="e5-small")
    for one, (alone, served) in zip(words, pairs, strict=True):
        assert served.code == alone.code, one
        assert served.err == alone.err, one
        if one[0] == "eval":
            assert report_of(served) == report_of(alone)
        else:
            assert without_times(served.out) == without_times(alone.out), one
