"""Where nothing can be written, what only reads works, and says what is not kept."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from damage import answer_of
from warm_edu import WarmEdu

pytestmark = pytest.mark.slow

READING = (
    ("pending", "list", "--json"),
    ("status", "--json"),
    ("search", "死锁的四个必要条件是什么？", "--json"),
    ("ask", "死锁的四个必要条件是什么？", "--json"),
    ("ask", "教室在哪里？", "--json"),
    ("ask", "食堂几点开门？", "--json"),
    ("docs", "list", "--json"),
    ("docs", "export"),
    ("faq", "list", "--json"),
    ("index", "--check", "--json"),
)
WRITING = (
    ("ingest", "course", "--force"),
    ("index", "--force"),
    ("faq", "add", "问？", "答。"),
    ("docs", "remove", "*"),
    ("faq", "import", "course/service/常见问题.csv"),
    ("pending", "answer", "{pending}", "十一点半。"),
    ("pending", "reject", "{pending}"),
    ("serve",),
)


@pytest.fixture
def frozen(built: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the project on a mount (as root) or with permissions that let nobody write."""
    project = tmp_path / "p"
    shutil.copytree(built, project)
    if os.geteuid() != 0:
        subprocess.run(["chmod", "-R", "a-w", project], check=True)
        yield project
        subprocess.run(["chmod", "-R", "u+w", project], check=True)
        return
    for command in (["mount", "--bind", project, project], ["mount", "-o", "remount,ro,bind", project]):
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip("this system lets nobody mount, and root may write everywhere else")
    yield project
    subprocess.run(["umount", project], check=True)


def test_reading_verbs_say_the_same_as_where_they_may_write(
    edu: WarmEdu, built: Path, frozen: Path, tmp_path: Path
) -> None:
    writable = tmp_path / "w"
    shutil.copytree(built, writable)
    for args in READING:
        there, here = edu.run(writable, *args), edu.run(frozen, *args)
        assert here.code == there.code, (args, here.err)
        assert answer_of(here) == answer_of(there), args


def test_an_answer_that_is_not_kept_says_so(edu: WarmEdu, frozen: Path) -> None:
    for question, code in (("死锁的四个必要条件是什么？", 0), ("食堂今天几点开门？", 4)):
        ran = edu.run(frozen, "ask", question)
        assert ran.code == code
        assert "catalog.sqlite cannot be written" in ran.err + ran.out
        assert "not" in ran.err + ran.out


def test_writing_verbs_fail_with_one_sentence_and_change_nothing(edu: WarmEdu, frozen: Path) -> None:
    (pending,) = json.loads(edu.run(frozen, "pending", "list", "--json").out)["pending"]
    before = edu.run(frozen, "faq", "list", "--json").out, edu.run(frozen, "docs", "export").out
    for args in WRITING:
        ran = edu.run(frozen, *(arg.format(pending=pending["id"]) for arg in args))
        assert ran.code == 1, (args, ran.err)
        assert ran.err.count("error: ") == 1, ran.err
        assert "cannot be written" in ran.err or "cannot be made" in ran.err, ran.err
        assert "hint: " in ran.err
    assert (edu.run(frozen, "faq", "list", "--json").out, edu.run(frozen, "docs", "export").out) == before


def test_an_eval_runs_and_doctor_tells(edu: WarmEdu, frozen: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(
        json.dumps({"id": "1", "question": "怎样减少死锁？", "relevant": [{"doc": "database/锁.md"}]}), encoding="utf-8"
    )
    ran = edu.run(frozen, "eval", str(tmp_path / "q.jsonl"), "--json", "--stage", "retrieval")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["questions"] == 1
    doctor = edu.run(frozen, "doctor", "--json")
    assert doctor.code in (0, 1)
    assert "Traceback" not in doctor.err
    assert edu.run(frozen, "backup", str(tmp_path / "b.zip")).code == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that every user may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="edu-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_what_a_killed_run_left_in_the_log_is_read_as_well(edu: WarmEdu, built: Path, open_folder: Path) -> None:
    project, kept = open_folder / "p", open_folder / "kept"
    kept.mkdir()
    shutil.copytree(built, project)
    assert edu.run(project, "faq", "add", "图书馆在哪里？", "在二楼。").code == 0
    catalog = project / ".edu" / "catalog.sqlite"
    held = sqlite3.connect(catalog)  # while it is open nobody moves the log into the file
    held.execute("SELECT count(*) FROM faq").fetchone()
    assert edu.run(project, "faq", "add", "食堂在哪里？", "在一楼。").code == 0
    for name in ("catalog.sqlite", "catalog.sqlite-wal"):
        shutil.copyfile(catalog.with_name(name), kept / name)
    held.close()
    shutil.copyfile(kept / "catalog.sqlite", catalog)
    shutil.copyfile(kept / "catalog.sqlite-wal", catalog.with_name("catalog.sqlite-wal"))
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", "65534", project], check=True)
    subprocess.run(["chmod", "-R", "a-w,a+rX", project], check=True)
    ran = edu.run(project, "faq", "list", "--json", uid=65534 if os.geteuid() == 0 else None)
    subprocess.run(["chmod", "-R", "u+w", project], check=True)
    assert ran.code == 0, ran.err
    assert {"图书馆在哪里？", "食堂在哪里？"} <= {entry["question"] for entry in json.loads(ran.out)["entries"]}


def test_a_cache_folder_that_cannot_be_written_is_told(edu: WarmEdu, built: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("a file where the folder should be")
    env = {"EDU_CACHE_DIR": str(tmp_path / "plain" / "cache")}
    project = tmp_path / "p"
    shutil.copytree(built, project)
    ran = edu.run(project, "search", "死锁的四个必要条件是什么？", "--json", env=env)
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
    assert json.loads(ran.out)["hits"][0]["doc"] == "database/锁.md"


def test_a_project_that_one_may_not_enter_is_told(edu: WarmEdu, built: Path, open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs another user")
    shutil.copytree(built, open_folder / "p")
    (open_folder / "p" / ".edu").chmod(0o700)
    for args in (("status",), ("search", "死锁"), ("ingest", "course"), ("docs", "list")):
        ran = edu.run(open_folder / "p", *args, uid=65534)
        assert ran.code in (1, 2), args
        assert "went wrong inside" not in ran.err + ran.out
        assert ".edu" in ran.err + ran.out
