"""The warm process towards those that ask it: streaming, cancelling, crowds, and ends that are broken or hostile."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from edu_runs import SETTINGS, edu
from scripted_llm import Reply, scripted_server
from served import Running, eventually, make_project, serving

from edu_cli.ask.request import AskRequest
from edu_cli.config import load_settings
from edu_cli.errors import LockedError, UsageError
from edu_cli.project import Project
from edu_cli.serve.client import Link, RemoteAsker, ServerGoneError, open_remote, reach
from edu_cli.serve.place import connect
from edu_cli.serve.server import only_server
from edu_cli.types import Scope, SearchRequest

LONG = "在栈顶进行[1]。" * 100


@pytest.fixture
def running(project: Project) -> Iterator[Running]:
    with serving(project) as one:
        yield one


def remote(project: Project, **env: str) -> tuple[RemoteAsker, Link]:
    return open_remote(project, load_settings(project.root, {**os.environ, **SETTINGS, **env}))


def pieces_of(text: str, delay: float) -> Iterator[bytes]:
    for at in range(0, len(text), 8):
        delta = {"choices": [{"index": 0, "delta": {"content": text[at : at + 8]}}]}
        yield f"data: {json.dumps(delta)}\n\n".encode()
        time.sleep(delay)
    yield b"data: [DONE]\n\n"


class SlowLlm:
    """An endpoint that writes LONG piece by piece until its reader goes."""

    def __init__(self) -> None:
        self.is_broken_off = threading.Event()
        self.n_asked = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.n_asked += 1
            threading.Thread(target=self._write, args=(connection,), daemon=True).start()

    def _write(self, connection: socket.socket) -> None:
        with connection:
            connection.recv(1 << 16)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            try:
                connection.sendall(head)
                for piece in pieces_of(LONG, 0.03):
                    connection.sendall(piece)
            except OSError:
                self.is_broken_off.set()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def slow_llm() -> Iterator[SlowLlm]:
    llm = SlowLlm()
    yield llm
    llm.close()


def test_an_answer_is_shown_while_it_is_written(project: Project, running: Running, slow_llm: SlowLlm) -> None:
    asker, link = remote(project, OPENAI_BASE_URL=slow_llm.url, EDU_LLM_MODEL="m")
    shown: list[float] = []
    wanted = AskRequest("压栈在哪里进行？", route="rag", strategy="direct", cache=False)
    answer = asker.ask(wanted, lambda _: shown.append(time.monotonic()))
    link.close()
    assert "在栈顶进行" in answer.answer
    assert len(shown) > 10
    assert shown[-1] - shown[0] > 0.5
    assert not running.faults


def test_a_client_that_goes_takes_its_request_with_it(project: Project, running: Running, slow_llm: SlowLlm) -> None:
    asker, link = remote(project, OPENAI_BASE_URL=slow_llm.url, EDU_LLM_MODEL="m")
    wanted = AskRequest("压栈在哪里进行？", route="rag", strategy="direct", cache=False, session="gone")

    def leave(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asker.ask(wanted, leave)
    link.close()
    assert eventually(lambda: running.server.tally.active == 0)
    assert slow_llm.is_broken_off.wait(60)
    assert edu(project.root, "sessions", "show", "gone").code != 0
    assert not running.faults
    assert edu(project.root, "search", "括号匹配").code == 0


def test_many_ask_at_once_and_all_are_answered(project: Project, running: Running) -> None:
    found: list[str] = []

    def ask() -> None:
        asker, link = remote(project)
        found.extend(asker.search(SearchRequest("括号匹配", k=1)).passages[0].doc for _ in range(5))
        link.close()

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == ["ds/栈.md"] * 80
    assert running.warm.facts()["opened"] == 1


def test_questions_go_on_while_the_index_changes(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    stop = threading.Event()
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            asker, link = remote(project)
            while not stop.is_set():
                assert asker.search(SearchRequest("括号匹配用栈", k=3)).passages
            link.close()
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    with serving(project) as running:
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for n in range(6):
            (tmp_path / "files" / f"{n}.md").write_text(f"# 第{n}讲\n\n这是第 {n} 讲的内容。\n", encoding="utf-8")
            assert edu(tmp_path, "ingest", "files", "-q").code == 0
        stop.set()
        for thread in threads:
            thread.join(60)
        assert not failures
        assert not running.faults
        assert edu(tmp_path, "search", "第 5 讲的内容", "--json").out.count("5.md")


def test_only_its_owner_may_use_the_socket(project: Project, running: Running) -> None:
    assert project.socket_path.stat().st_mode & 0o777 == 0o600


def test_a_second_process_is_refused(project: Project, running: Running) -> None:
    with pytest.raises(LockedError, match=rf"PID {os.getpid()}"), only_server(project):
        pass
    done = edu(project.root, "serve", "--json")
    assert done.code == 6
    assert "served already" in done.err


def raw(project: Project, data: bytes, *, close: bool = True) -> socket.socket:
    connection = connect(project.socket_path, 5)
    connection.sendall(data)
    if close:
        connection.close()
    return connection


def framed(value: Any) -> bytes:
    body = json.dumps(value).encode()
    return struct.pack(">I", len(body)) + body


HOSTILE = [
    b"",
    b"\0",
    b"GET / HTTP/1.1\r\n\r\n",
    struct.pack(">I", 1 << 31) + b"x",
    struct.pack(">I", 5) + b"hello",
    framed([]),
    framed({}),
    framed({"op": None}),
    framed({"op": "search"}),
    framed({"op": "settings"}),
    framed({"op": "settings", "settings": {"llm": {"api_key": 7}}}),
    framed({"op": "settings", "settings": {}}) + framed({"op": "search", "question": "x", "k": "many"}),
    framed({"op": "settings", "settings": {}}) + framed({"op": "ask", "request": {"question": "x", "k": -1}}),
    framed({"op": "settings", "settings": {}}) + b"[" * 100_000,
    framed({"op": "settings", "settings": {}}) + struct.pack(">I", 200_000) + b"[" * 200_000,
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_a_broken_or_hostile_end_harms_nobody_else(project: Project, running: Running, data: bytes) -> None:
    connection = raw(project, data, close=False)
    time.sleep(0.05)
    connection.close()
    assert edu(project.root, "search", "括号匹配", "-v").err.count("edu serve answers") == 1
    assert eventually(lambda: running.server.tally.active == 0)


@pytest.mark.parametrize(
    "request_", [{"question": "栈", "k": 0}, {"question": "栈", "k": -3}, {"question": "栈", "mode": "?"}]
)
def test_a_search_that_cannot_be_made_fails_alone(project: Project, running: Running, request_: dict[str, Any]) -> None:
    asker, link = remote(project)
    wish = {"k": 1, "mode": "hybrid", "scope": {}, "rerank": True, **request_}
    with suppress(ServerGoneError, UsageError):
        link.call("search", **wish)
    assert asker.search(SearchRequest("括号匹配", k=1, scope=Scope())).passages
    link.close()


def test_ends_that_say_nothing_do_not_keep_others_waiting(project: Project, running: Running) -> None:
    silent = [connect(project.socket_path, 5) for _ in range(20)]
    assert "edu serve answers" in edu(project.root, "search", "括号匹配", "-v").err
    for connection in silent:
        connection.close()
    assert eventually(lambda: not running.server._connections)


def test_a_full_process_turns_commands_away_and_they_work_alone(project: Project, running: Running) -> None:
    held = [connect(project.socket_path, 5) for _ in range(128)]
    assert eventually(lambda: len(running.server._connections) == 128)
    done = edu(project.root, "search", "括号匹配", "-v")
    assert done.code == 0
    assert "takes no more connections" in done.err
    for connection in held:
        connection.close()


def test_a_fault_of_the_process_is_mended_by_the_command(project: Project, running: Running) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("out of paper")

    running.warm.searcher = break_down  # type: ignore[assignment, method-assign]
    done = edu(project.root, "search", "括号匹配", "-v")
    assert done.code == 0
    assert "ds/栈.md" in done.out
    assert "out of paper" in done.err
    assert "out of paper" in running.faults[0]


def test_status_and_stop_tell_what_they_find(project: Project) -> None:
    assert edu(project.root, "serve", "status").code == 1
    assert json.loads(edu(project.root, "serve", "status", "--json").out)["running"] is False
    assert edu(project.root, "serve", "stop").code == 0
    with serving(project):
        edu(project.root, "search", "括号匹配")
        value = json.loads(edu(project.root, "serve", "status", "--json").out)
        assert (value["schema"], value["running"], value["pid"]) == (1, True, os.getpid())
        assert value["requests"]["search"] == 1
        assert "1 search" in edu(project.root, "serve", "status").out
        stopped = json.loads(edu(project.root, "serve", "stop", "--json").out)
        assert stopped == {"schema": 1, "stopped": True, "pid": os.getpid()}
    assert not project.socket_path.exists()


def test_a_deep_project_is_served(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["一个很深的文件夹"] * 8)
    deep.mkdir(parents=True)
    project = make_project(deep)
    assert len(os.fsencode(project.socket_path)) > 200
    with serving(project):
        assert "edu serve answers" in edu(deep, "search", "括号匹配", "-v").err


def test_without_proc_a_deep_project_is_served_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from edu_cli.serve import place

    deep = tmp_path.joinpath(*["d" * 40] * 5)
    deep.mkdir(parents=True)
    monkeypatch.setattr(place, "FDS", tmp_path / "no proc here")
    before = Path.cwd()
    with place.listen(deep / "s.sock"), place.connect(deep / "s.sock", 5) as connection:
        assert place.is_mine(connection)
    assert Path.cwd() == before


def test_a_connection_that_is_gone_is_told(project: Project) -> None:
    with serving(project) as running:
        link = reach(project)
        running.server.stop()
        assert eventually(lambda: not project.socket_path.exists())
        eventually(lambda: not running.server._connections)
        with pytest.raises(ServerGoneError):
            link.call("status")


def test_an_llm_behind_the_warm_process_is_called_once(project: Project, running: Running) -> None:
    with scripted_server(Reply("在栈顶进行[1]。")) as server:
        asker, link = remote(project, OPENAI_BASE_URL=server.url, EDU_LLM_MODEL="m")
        asker.ask(AskRequest("压栈在哪里进行？", route="rag", strategy="direct", cache=False))
        link.close()
        assert len(server.requests) == 1
