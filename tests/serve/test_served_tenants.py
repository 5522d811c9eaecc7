"""The warm process keeps tenants and subjects apart, whatever they are called."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from edu_runs import SETTINGS, edu
from served import serving

from edu_cli.ask.request import AskRequest
from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.serve.client import open_remote
from edu_cli.types import Scope, SearchRequest

NAMES = ("甲", "a'b", 'a"b', '" or tenant != "', "') OR 1=1 --", "%", "_", "\u202eabc", "..", "长" * 300, " 甲")
QUESTION = "本季的口令是什么？"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Mapping[str, str]]:
    """A project in which each tenant has a document, an FAQ entry and a subject of its own; their secrets."""
    root = tmp_path_factory.mktemp("tenants")
    secrets = {name: f"ZKQ{i}X{i * 7919 + 13}" for i, name in enumerate(NAMES)}
    for i, (name, secret) in enumerate(secrets.items()):
        place = root / f"corpus{i}"
        place.mkdir()
        (place / "口令.md").write_text(f"# 口令\n\n本季的口令是 {secret}，请勿外传。\n", encoding="utf-8")
        flags = ("--tenant", name, "-q")
        assert edu(root, "ingest", f"corpus{i}", "--subject", name, *flags).code == 0
        assert edu(root, "faq", "add", "谁管理口令？", f"由 {secret} 的主人管理。", "--tenant", name).code == 0
    return Project(root), secrets


def test_nobody_is_told_what_is_anothers(shared: tuple[Project, Mapping[str, str]]) -> None:
    project, secrets = shared
    with serving(project) as running:
        asker, link = open_remote(project, load_settings(project.root, {**os.environ, **SETTINGS}))
        for name, secret in secrets.items():
            for scope in (Scope(name), Scope(name, name)):
                told = [
                    repr(asker.search(SearchRequest(QUESTION, k=50, mode=mode, scope=scope)))
                    for mode in ("hybrid", "bm25")
                ]
                questions = (QUESTION, QUESTION, "谁管理口令？", "食堂几点开门？")  # the second comes from the cache
                told += [repr(asker.ask(AskRequest(one, scope=scope, session="talk"))) for one in questions]
                others = [other for other in secrets.values() if other != secret and other in "".join(told)]
                assert not others, (name, others)
                assert all(secret in said for said in told[:5]), name
        link.close()
        assert not running.faults


def test_the_commands_do_not_either(shared: tuple[Project, Mapping[str, str]]) -> None:
    project, secrets = shared
    with serving(project) as running:
        for name, secret in list(secrets.items())[:4]:
            for words in (("search", QUESTION), ("ask", QUESTION), ("ask", "谁管理口令？"), ("sessions", "list")):
                done = edu(project.root, *words, "--tenant", name, "--json")
                assert done.code in (0, 4), done.err
                assert not [other for other in secrets.values() if other != secret and other in done.out]
            hits = json.loads(edu(project.root, "search", QUESTION, "--tenant", name, "--json").out)["hits"]
            assert [secret in hit["text"] for hit in hits] == [True]
        assert running.asked["search"] >= 4


def test_an_unknown_tenant_is_told_and_finds_nothing(shared: tuple[Project, Mapping[str, str]], tmp_path: Path) -> None:
    project, secrets = shared
    with serving(project):
        done = edu(project.root, "search", QUESTION, "--tenant", "nobody", "--json")
    assert done.code == 2
    assert not any(secret in done.out + done.err for secret in secrets.values())
