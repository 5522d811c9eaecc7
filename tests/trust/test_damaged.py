"""Each file of `.edu` damaged in each way: a sentence that names it, or a repair that is told."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from damage import DAMAGES, answer_of, fault, files_of, flip, found
from warm_edu import Ran, WarmEdu

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # beside other work it takes many times as long

SEARCH = ("search", "死锁的四个必要条件是什么？", "--json", "-k", "3")
ASK = ("ask", "死锁的四个必要条件是什么？", "--json", "--no-cache")
FAQ = ("ask", "教室在哪里？", "--json", "--no-cache")
TABLE_FAQ = ("ask", "怎么请假？", "--json", "--no-cache")
EXPORT = ("docs", "export")
READING = (("status", "--json"), SEARCH, ASK, FAQ, ("docs", "list", "--json"), EXPORT)
GROUPS = ("catalog.sqlite", "vectors.sqlite", "bm25/*", "vectors/*", "milvus.db/*", "other")


@pytest.fixture(scope="session")
def truth(edu: WarmEdu, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, ...], Any]:
    """What each verb says over whole files."""
    project = tmp_path_factory.mktemp("truth") / "p"
    shutil.copytree(built, project)
    return {args: answer_of(edu.run(project, *args)) for args in (*READING, TABLE_FAQ)}


def _members(built: Path, group: str) -> list[str]:
    named = {
        name: next((g for g in GROUPS if Path(name).match(g) or name.startswith(g.strip("*"))), "other")
        for name in files_of(built)
    }
    return [name for name, its_group in named.items() if its_group == group]


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("group", GROUPS)
def test_damage_is_told_or_mended(
    group: str, how: str, edu: WarmEdu, built: Path, truth: Mapping[tuple[str, ...], Any], tmp_path: Path
) -> None:
    members = _members(built, group)
    assert members, group
    for name in members:
        project = tmp_path / "p"
        shutil.copytree(built, project)
        DAMAGES[how](found(project, name), random.Random(name + how))
        faults = [_judged(edu.run(project, *args), truth[args], args) for args in READING]
        faults.append(_without_traceback(edu.run(project, "doctor", "--json")))
        ingested = edu.run(project, "ingest", "course")
        faults.append(fault(ingested, answer_of(ingested)))
        if ingested.code == 0:
            faults += [
                _judged(ran, truth[args], args) or _differs(ran, truth[args])
                for args in (SEARCH, EXPORT)
                for ran in (edu.run(project, *args),)
            ]
        assert not any(faults), f"{name}: {how}: {[text for text in faults if text]}"
        shutil.rmtree(project)


@pytest.mark.parametrize("seed", range(4))
def test_a_bit_that_flips_anywhere_in_the_catalog_never_changes_an_answer_silently(
    seed: int, edu: WarmEdu, built: Path, truth: Mapping[tuple[str, ...], Any], tmp_path: Path
) -> None:
    rng = random.Random(seed)
    project = tmp_path / "p"
    for n in range(25):
        shutil.copytree(built, project)
        flip(project / ".edu" / "catalog.sqlite", rng)
        # every text is in what is exported; what is asked besides goes from flip to flip
        for args in (EXPORT, (SEARCH, ASK)[n % 2], (FAQ, TABLE_FAQ)[n // 2 % 2]):
            assert not _judged(edu.run(project, *args), truth[args], args)
        shutil.rmtree(project)


def _judged(ran: Ran, truth: Any, args: tuple[str, ...]) -> str:
    told = fault(ran, truth)
    if args[0] == "status" and ran.code == 0 and '"bm25": "stale"' in ran.out:
        return ""  # which is how status tells it
    return f"{' '.join(args)}: {told}" if told else ""


def _differs(ran: Ran, truth: Any) -> str:
    return "" if answer_of(ran) == truth else f"after an ingest it is not what it was: {ran.err}{ran.out[:300]}"


def _without_traceback(ran: Ran) -> str:
    """Doctor tells by its checks."""
    sound = ran.code in (0, 1) and ran.out.startswith("{") and "Traceback" not in ran.out + ran.err
    return "" if sound else f"doctor: {ran.code} {ran.err[-500:]}"
