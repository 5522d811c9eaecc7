"""A Milvus server behind TLS that is down, slow, forgetful or dying: one sentence each, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from milvus_servers import LOGIN, Certificates, Gate, free_port, make_certificates, milvus_server
from small_course import COURSE, EDITED, write
from warm_edu import Ran, WarmEdu
from worlds import seen

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long

SEARCH = ("search", "怎样减少死锁", "--json", "-k", "3")
FAQ = ("ask", "教室在哪里？", "--json")
NEEDING = (
    SEARCH,
    ("ask", "死锁的四个必要条件是什么？", "--json"),
    ("ingest", "course", "--force"),
    ("eval", "q.jsonl"),
)
GOING_ON = (
    FAQ,
    ("status", "--json"),
    ("docs", "list", "--json"),
    ("faq", "list"),
    ("search", "死锁", "--mode", "bm25"),
)


@pytest.fixture
def project(edu: WarmEdu, guarded: Gate, certificates: Certificates, tmp_path: Path) -> Path:
    """The small course on the server; its settings stand in a file, as a user's would."""
    folder = tmp_path / "p"
    write(folder / "course", COURSE)
    (folder / "q.jsonl").write_text(json.dumps({"id": "1", "question": "死锁是什么？"}), encoding="utf-8")
    (folder / "other").mkdir()
    make_certificates(folder / "other")
    lines = {"URI": guarded.uri, "TOKEN": LOGIN, "CA": str(certificates.ca), "TIMEOUT_S": "2"}
    text = "".join(f"EDU_MILVUS_{name}={value}\n" for name, value in lines.items())
    (folder / ".env").write_text(text, encoding="utf-8")
    for args in (("ingest", "course"), ("faq", "add", "教室在哪里？", "在三楼 302。")):
        ran = edu.run(folder, *args)
        assert ran.code == 0, ran.err
    return folder


def hits(ran: Ran) -> list[tuple[str, str]]:
    assert ran.code == 0, ran.err
    assert not ran.err, ran.err
    return [(hit["doc"], hit["text"]) for hit in json.loads(ran.out)["hits"]]


def sentence(ran: Ran) -> str:
    """The one sentence that a failed run says, with its hint."""
    said = json.loads(ran.out)["error"] if ran.out.startswith("{") else None
    assert ran.code == 1, ran.err
    assert "Traceback" not in ran.err
    if said:
        assert said["hint"]
        return f"{said['message']} {said['hint']}"
    lines = ran.err.strip().splitlines()
    assert [line.split(":")[0] for line in lines[-2:]] == ["error", "hint"], ran.err
    assert ran.err.count("error: ") == 1, ran.err
    return " ".join(lines[-2:])


def is_sound(edu: WarmEdu, project: Path) -> bool:
    """Whether doctor finds the vectors of all children on the server, and no others."""
    checks = json.loads(edu.run(project, "doctor", "--json").out)["checks"]
    return {one["status"] for one in checks if one["name"] in ("vectors", "catalog", "last run")} == {"pass"}


def test_every_verb_works_over_tls_with_a_token(edu: WarmEdu, project: Path, guarded: Gate, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    write(alone / "course", COURSE)
    assert edu.run(alone, "ingest", "course").code == 0
    assert hits(edu.run(project, *SEARCH)) == hits(edu.run(alone, *SEARCH))
    assert edu.run(project, "index", "--force").code == 0
    assert edu.run(project, "docs", "remove", "python/*").code == 0
    assert edu.run(project, "backup", str(tmp_path / "b.zip")).code == 0
    assert edu.run(project, "restore", str(tmp_path / "b.zip"), "--force").code == 0
    assert is_sound(edu, project)
    assert not (project / ".edu" / "milvus.db").exists()
    assert {"Upsert", "Search", "Delete"} <= set(guarded.calls)
    kept = b"".join(path.read_bytes() for path in (project / ".edu").rglob("*") if path.is_file())
    assert b"root:secret" not in kept


Trouble = Callable[[Gate], Mapping[str, str]]


def _down(_: Gate) -> Mapping[str, str]:
    return {"EDU_MILVUS_URI": "http://127.0.0.1:9"}


def _unknown(_: Gate) -> Mapping[str, str]:
    return {"EDU_MILVUS_URI": "https://no-such-host.invalid:19530"}


def _refusing(_: Gate) -> Mapping[str, str]:
    return {"EDU_MILVUS_TOKEN": "root:guessed"}


def _untrusted(_: Gate) -> Mapping[str, str]:
    return {"EDU_MILVUS_CA": "other/ca.pem"}


def _hanging(one: Gate) -> Mapping[str, str]:
    one.delay_s = 4.0
    return {}


def _leaving(one: Gate) -> Mapping[str, str]:
    one.refuses = lambda name: name != "Connect"
    return {}


TROUBLES: Mapping[str, tuple[Trouble, str]] = {
    "down": (_down, "cannot be reached: Failed to connect"),
    "unknown": (_unknown, "cannot be reached"),
    "refusing": (_refusing, "refuses the login: auth check failure"),
    "untrusted": (_untrusted, "is not trusted"),
    "hanging": (_hanging, "no answer within 2 seconds"),
    "leaving": (_leaving, "failed: "),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_server_in_trouble_is_one_sentence_and_loses_nothing(
    name: str, edu: WarmEdu, project: Path, guarded: Gate
) -> None:
    trouble, said = TROUBLES[name]
    before, truth = seen(project), hits(edu.run(project, *SEARCH))
    env = trouble(guarded)
    for args in NEEDING:
        ran = edu.run(project, *args, env=env)
        assert said in sentence(ran), args
        assert "guessed" not in ran.out + ran.err
        assert ran.seconds < 60, args
    for args in GOING_ON:
        ran = edu.run(project, *args, env=env)
        assert ran.code == 0, (args, ran.err)
    doctor = edu.run(project, "doctor", "--json", env=env)
    assert doctor.code == 1
    (vectors,) = [one for one in json.loads(doctor.out)["checks"] if one["name"] == "vectors"]
    assert (vectors["status"], said in vectors["message"], bool(vectors["fix"])) == ("fail", True, True), vectors
    guarded.delay_s, guarded.refuses = 0.0, lambda _: False
    assert seen(project) == before
    assert edu.run(project, "ingest", "course").code == 0
    assert hits(edu.run(project, *SEARCH)) == truth
    assert is_sound(edu, project)


def test_a_server_that_goes_at_any_call_of_an_ingest_loses_nothing(edu: WarmEdu, project: Path, guarded: Gate) -> None:
    versions: list[Mapping[str, Any]] = [EDITED, {**dict.fromkeys(EDITED), **COURSE}]
    truths: list[list[tuple[str, str]]] = []
    n_calls = 0
    for version in versions:
        write(project / "course", _changes(project, version))
        before = len(guarded.calls)
        assert edu.run(project, "ingest", "course").code == 0
        n_calls = max(n_calls, len(guarded.calls) - before)
        truths.append(hits(edu.run(project, *SEARCH)))
    assert n_calls > 5
    n_failed = 0
    for n in range(n_calls):
        write(project / "course", _changes(project, versions[n % 2]))
        numbers = count()
        guarded.refuses = lambda _, n=n, numbers=numbers: next(numbers) >= n
        ran = edu.run(project, "ingest", "course")
        guarded.refuses = lambda _: False
        if ran.code != 0:
            sentence(ran)
            n_failed += 1
        assert edu.run(project, "ingest", "course").code == 0
        assert hits(edu.run(project, *SEARCH)) == truths[n % 2], f"gone from call {n} on"
        assert is_sound(edu, project), f"gone from call {n} on"
    assert n_failed > 3


def _changes(project: Path, version: Mapping[str, Any]) -> dict[str, str | None]:
    """The version, without the removal of what is not there."""
    return {name: text for name, text in version.items() if text is not None or (project / "course" / name).exists()}


@pytest.mark.parametrize(
    ("mending", "said"),
    [
        (("ingest", "course"), "6 missing vectors were put back"),
        (("doctor", "--fix"), "mended: 6 vectors were put back and 0 stray ones removed"),
    ],
    ids=["ingest", "doctor"],
)
def test_a_collection_that_is_gone_is_told_and_filled_again(
    mending: tuple[str, ...], said: str, edu: WarmEdu, project: Path, guarded: Gate, port: int
) -> None:
    from pymilvus import MilvusClient

    truth = hits(edu.run(project, *SEARCH))
    client = MilvusClient(f"http://127.0.0.1:{port}")
    for name in client.list_collections():
        client.drop_collection(name)
    client.close()
    assert "holds no vectors of this project. run `edu ingest PATH`" in sentence(edu.run(project, *SEARCH))
    doctor = edu.run(project, "doctor")
    assert (doctor.code, "fix: edu doctor --fix" in doctor.out) == (1, True), doctor.out
    guarded.calls.clear()
    mended = edu.run(project, *mending)
    assert (mended.code, said in mended.err) == (0, True), mended.out + mended.err
    assert "Upsert" in guarded.calls
    assert hits(edu.run(project, *SEARCH)) == truth
    assert is_sound(edu, project)


def test_a_warm_process_lends_no_commands_login_or_authority_to_another(
    edu: WarmEdu, project: Path, guarded: Gate
) -> None:
    environ = {**os.environ, "XDG_CACHE_HOME": str(edu.cache)}
    environ.pop("EDU_CACHE_DIR", None)
    command = [sys.executable, "-m", "edu_cli", "serve", "--json"]
    serving = subprocess.Popen(command, cwd=project, env=environ, stdout=-1, text=True)
    try:
        assert serving.stdout
        assert json.loads(serving.stdout.readline())["running"] is True
        for _ in range(2):
            warm = edu.run(project, *SEARCH, "-v")
            assert (warm.code, "edu serve answers" in warm.err) == (0, True), warm.err
            for trouble in (_refusing, _untrusted):
                ran = edu.run(project, *SEARCH, env=trouble(guarded))
                assert TROUBLES[trouble.__name__.strip("_")][1] in sentence(ran)
    finally:
        serving.kill()
        serving.communicate()


def test_a_server_that_restarts_is_found_again_by_the_warm_process_too(
    edu: WarmEdu, certificates: Certificates, tmp_path: Path
) -> None:
    free, folder = free_port(), tmp_path / "p"
    write(folder / "course", COURSE)
    environ = {**os.environ, "EDU_MILVUS_URI": f"http://127.0.0.1:{free}", "XDG_CACHE_HOME": str(edu.cache)}
    environ.pop("EDU_CACHE_DIR", None)

    def cold(*args: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "edu_cli", *args], cwd=folder, env=environ, capture_output=True, encoding="utf-8"
        )
        return Ran(done.returncode, done.stdout, done.stderr, (), 0.0)

    serving = None
    try:
        with milvus_server(tmp_path, free):
            assert cold("ingest", "course").code == 0
            serving = subprocess.Popen(
                [sys.executable, "-m", "edu_cli", "serve", "--json"], cwd=folder, env=environ, stdout=-1, text=True
            )
            assert serving.stdout
            assert json.loads(serving.stdout.readline())["running"] is True
            truth = hits(cold(*SEARCH))
            assert "edu serve answers" in cold(*SEARCH, "-v").err
        assert "the Milvus server" in sentence(cold(*SEARCH))
        with milvus_server(tmp_path, free):
            until = time.monotonic() + 120
            while (again := cold(*SEARCH, "-v")).code and time.monotonic() < until:
                time.sleep(0.2)  # it takes calls a little later than connections
            assert "edu serve answers" in again.err
            assert [(hit["doc"], hit["text"]) for hit in json.loads(again.out)["hits"]] == truth
    finally:
        if serving:
            serving.kill()
            serving.communicate()


def test_nothing_but_the_sentence_reaches_stderr(guarded: Gate, project: Path) -> None:
    """gRPC's core writes to stderr by itself; a process of its own shows it."""
    environ = {**os.environ, "EDU_MILVUS_CA": "other/ca.pem"}
    command = [sys.executable, "-m", "edu_cli", "search", "死锁"]
    ran = subprocess.run(command, cwd=project, env=environ, capture_output=True, encoding="utf-8")
    assert [line.split(":")[0] for line in ran.stderr.splitlines()] == ["error", "hint"], ran.stderr
