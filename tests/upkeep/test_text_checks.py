from __future__ import annotations

from pathlib import Path

import pytest
from fakes import QuietProgress
from ingest_project import FakeProject

from edu_cli.upkeep.text_checks import check_texts


@pytest.fixture
def made(tmp_path: Path) -> FakeProject:
    made = FakeProject(tmp_path)
    for i in range(3):
        made.write(f"{i}.md", f"# 第{i}章\n\n内容甲乙丙丁。\n\n# 第{i}章\n\n内容甲乙丙丁。\n")  # equal parents
    made.ingest()
    return made


def _status(made: FakeProject, *changes: str) -> tuple[str, str]:
    catalog = made.catalog()
    try:
        for sql in changes:
            catalog.database.write(sql, [()])
        found = check_texts(catalog, QuietProgress())
        return found.status, found.message
    finally:
        catalog.close()


def test_texts_as_ingest_stored_them_pass(made: FakeProject) -> None:
    assert _status(made) == ("pass", "those of 3 documents are as they were stored")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE parents SET text = replace(text, '甲', '申') WHERE {}",
        "UPDATE parents SET section = '[\"第９章\"]' WHERE {}",
        "UPDATE children SET start = 1 WHERE parent_id IN (SELECT parent_id FROM parents WHERE {})",
        "UPDATE documents SET title = '另一个' WHERE {}",
        "UPDATE documents SET subject = '另一个' WHERE {}",
    ],
)
def test_whatever_a_search_depends_on_is_noticed_when_it_changes(change: str, made: FakeProject) -> None:
    where = "doc_id = (SELECT doc_id FROM documents WHERE path = '1.md')"
    status, message = _status(made, change.format(where))
    assert status == "fail"
    assert message.startswith("those of 1 of 3 documents")
    assert "1.md" in message


def test_ids_that_do_not_agree_with_sound_rows_are_another_versions(made: FakeProject) -> None:
    summed = "row_sum(doc_id, path, tenant, subject, title || '!')"
    status, message = _status(made, f"UPDATE documents SET title = title || '!', sum = {summed}")  # noqa: S608
    assert (status, "another version" in message) == ("warn", True)


def test_a_forced_ingest_mends_a_changed_text(made: FakeProject) -> None:
    assert _status(made, "UPDATE parents SET text = 'x' || substr(text, 2) WHERE ordinal = 0")[0] != "pass"
    made.ingest(force=True)
    assert _status(made)[0] == "pass"
    assert made.dump() == made.clean_dump()
