from __future__ import annotations

from pathlib import Path

import pytest
from ingest_project import FakeProject, deny_listing

from edu_cli.errors import IndexMismatchError, UsageError
from edu_cli.ingest.receipt import Receipt


@pytest.fixture
def project(tmp_path: Path) -> FakeProject:
    return FakeProject(tmp_path)


def _statuses(receipt: Receipt) -> dict[str, str]:
    return {file.path: file.status for file in receipt.files}


def test_a_folder_goes_in_with_subjects_from_its_first_folders(project: FakeProject) -> None:
    project.write("ai/大纲.md", "# 第一章\n梯度下降是一种优化方法。\n")
    project.write("读我.md", "# 说明\n课程从周一开始。\n")
    receipt = project.ingest()
    assert _statuses(receipt) == {"ai/大纲.md": "added", "读我.md": "added"}
    assert {file.path: file.subject for file in receipt.files} == {"ai/大纲.md": "ai", "读我.md": ""}
    assert receipt.chunks.children == receipt.chunks.encoded == project.store.count() == 2


def test_nothing_changed_opens_no_store_and_encodes_nothing(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n文字。\n")
    project.ingest()
    before, opened = project.dump(), project.opened
    receipt = project.ingest()
    assert _statuses(receipt) == {"a.md": "unchanged"}
    assert project.opened == opened
    assert project.dump() == before


def test_an_edit_encodes_only_the_changed_chunk(project: FakeProject) -> None:
    file = project.write("a.md", "# 甲\n第一句。\n# 乙\n第二句。\n")
    project.ingest()
    file.write_text("# 甲\n第一句。\n# 乙\n第二句改了。\n", encoding="utf-8")
    receipt = project.ingest()
    assert _statuses(receipt) == {"a.md": "updated"}
    assert (receipt.chunks.encoded, receipt.chunks.deleted) == (1, 1)
    assert project.dump() == project.clean_dump()


def test_a_renamed_file_is_told_as_renamed_and_encodes_nothing(project: FakeProject) -> None:
    file = project.write("a.md", "# 甲\n文字。\n")
    project.ingest()
    file.rename(file.with_name("b.md"))
    receipt = project.ingest()
    assert _statuses(receipt) == {"b.md": "renamed"}
    assert receipt.files[0].reason == "was a.md"
    assert receipt.chunks.encoded == 0
    assert project.dump() == project.clean_dump()


def test_files_that_swap_their_names_swap_their_texts(project: FakeProject) -> None:
    a, b = project.write("a.md", "# 甲\n一。\n"), project.write("b.md", "# 乙\n二。\n")
    project.ingest()
    a.rename(a.with_name("c.md"))
    b.rename(a)
    a.with_name("c.md").rename(b)
    receipt = project.ingest()
    assert _statuses(receipt) == {"a.md": "updated", "b.md": "updated"}
    assert project.dump() == project.clean_dump()


def test_a_vanished_file_is_removed_unless_it_is_kept(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n一。\n")
    gone = project.write("b.md", "# 乙\n二。\n")
    project.ingest()
    gone.unlink()
    assert _statuses(project.ingest(prune=False)) == {"a.md": "unchanged"}
    assert project.store.count() == 2
    assert _statuses(project.ingest()) == {"a.md": "unchanged", "b.md": "removed"}
    assert project.dump() == project.clean_dump()


def test_a_touched_file_is_unchanged(project: FakeProject) -> None:
    file = project.write("a.md", "# 甲\n一。\n")
    project.ingest()
    file.write_text("# 甲\n一。\n", encoding="utf-8")
    assert _statuses(project.ingest()) == {"a.md": "unchanged"}


def test_one_bad_file_costs_itself_only_and_what_it_said_before(project: FakeProject) -> None:
    bad = project.write("bad.md", "# 甲\n一。\n")
    project.write("good.md", "# 乙\n二。\n")
    project.ingest()
    bad.write_text(" \n", encoding="utf-8")
    receipt = project.ingest()
    assert _statuses(receipt) == {"bad.md": "failed", "good.md": "unchanged"}
    assert next(f for f in receipt.files if f.path == "bad.md").error == ("empty", "bad.md is empty.")
    assert project.store.count() == 1
    assert project.dump() == project.clean_dump()
    assert _statuses(project.ingest())["bad.md"] == "failed", "a failure is told until it is mended"
    bad.write_text("# 甲\n好了。\n", encoding="utf-8")
    assert _statuses(project.ingest())["bad.md"] == "added"
    assert project.dump() == project.clean_dump()


def test_a_folder_inside_an_earlier_path_updates_its_part_only(project: FakeProject) -> None:
    project.write("ai/一.md", "# 甲\n一。\n")
    other = project.write("ml/二.md", "# 乙\n二。\n")
    project.ingest()
    other.unlink()
    project.write("ai/三.md", "# 丙\n三。\n")
    receipt = project.ingest(project.files / "ai")
    assert _statuses(receipt) == {"ai/一.md": "unchanged", "ai/三.md": "added"}
    assert project.store.count() == 3
    project.ingest()
    assert project.dump() == project.clean_dump()


def test_a_folder_around_an_earlier_path_absorbs_it(project: FakeProject) -> None:
    project.write("ai/章/一.md", "# 甲\n一。\n")
    gone = project.write("ai/章/二.md", "# 乙\n二。\n")
    project.ingest(project.files / "ai")
    gone.unlink()
    receipt = project.ingest()
    assert _statuses(receipt) == {"ai/章/一.md": "renamed", "章/二.md": "removed"}
    assert receipt.chunks.encoded == 0
    assert project.dump() == project.clean_dump()


def test_a_file_alone_touches_and_prunes_only_itself(project: FakeProject) -> None:
    one, two = project.write("a/一.md", "# 甲\n一。\n"), project.write("a/二.md", "# 乙\n二。\n")
    assert _statuses(project.ingest(one)) == {"一.md": "added"}
    assert _statuses(project.ingest(two)) == {"二.md": "added"}
    one.unlink()
    assert _statuses(project.ingest(two)) == {"二.md": "unchanged"}
    assert _statuses(project.ingest(one)) == {"一.md": "removed"}
    assert _statuses(project.ingest(project.files / "a")) == {"二.md": "unchanged"}, "its folder keeps the same paths"


def test_a_folder_beside_a_file_given_alone_is_a_root_of_its_own(project: FakeProject) -> None:
    project.ingest(project.write("a.md", "# 甲\n一。\n"))
    project.write("ai/b.md", "# 乙\n二。\n")
    assert _statuses(project.ingest(project.files / "ai")) == {"b.md": "added"}
    assert _statuses(project.ingest()) == {"a.md": "unchanged", "ai/b.md": "renamed"}
    assert project.dump() == project.clean_dump()


def test_a_path_that_does_not_exist_is_an_error_that_names_it(project: FakeProject) -> None:
    with pytest.raises(UsageError, match=r"没有\.md does not exist"):
        project.ingest(project.files / "没有.md")


def test_two_tenants_hold_the_same_files_apart(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n一。\n")
    project.ingest(tenant="一班")
    receipt = project.ingest(tenant="二班")
    assert receipt.chunks.encoded == 0
    assert sorted(row.tenant for row in project.store.rows.values()) == ["一班", "二班"]


def test_another_subject_moves_every_row(project: FakeProject) -> None:
    project.write("ai/a.md", "# 甲\n一。\n")
    project.ingest()
    receipt = project.ingest(subject="数学")
    assert _statuses(receipt) == {"ai/a.md": "updated"}
    assert [row.subject for row in project.store.rows.values()] == ["数学"]
    assert project.dump() == project.clean_dump(subject="数学")


def test_a_subject_given_for_a_folder_is_kept_by_later_runs(project: FakeProject) -> None:
    project.write("ch1/a.md", "# 甲\n一。\n")
    project.write("ch2/b.md", "# 乙\n二。\n")
    project.ingest(subject="数学")
    project.write("ch2/c.md", "# 丙\n三。\n")
    assert _statuses(project.ingest(project.files / "ch2")) == {"ch2/b.md": "unchanged", "ch2/c.md": "added"}
    assert {row.subject for row in project.store.rows.values()} == {"数学"}
    project.ingest(project.files / "ch1", subject="几何")
    assert sorted(row.subject for row in project.store.rows.values()) == ["几何", "数学", "数学"]


def test_no_path_means_every_path_given_before(project: FakeProject) -> None:
    with pytest.raises(UsageError, match="no PATH was given"):
        project.ingest_again()
    project.write("folder/a.md", "# 甲\n一。\n")
    alone = project.write("b.md", "# 乙\n二。\n")
    project.write("not-given.md", "# 丙\n三。\n")
    project.ingest(project.files / "folder")
    project.ingest(alone)
    project.write("folder/new.md", "# 丁\n四。\n")
    alone.unlink()
    assert _statuses(project.ingest_again()) == {"a.md": "unchanged", "new.md": "added", "b.md": "removed"}


def test_no_path_keeps_the_documents_of_a_folder_that_is_gone_and_says_so(project: FakeProject) -> None:
    project.write("one/a.md", "# 甲\n一。\n")
    project.write("two/b.md", "# 乙\n二。\n")
    project.ingest(project.files / "one")
    project.ingest(project.files / "two")
    (project.files / "one").rename(project.folder / "unplugged")
    receipt = project.ingest_again()
    assert _statuses(receipt) == {"b.md": "unchanged"}
    assert "is gone; its documents are kept" in receipt.warnings[0]
    assert project.store.count() == 2


def test_the_documents_of_a_folder_that_was_moved_go_with_it(project: FakeProject) -> None:
    for name in ("ai/a.md", "ai/b.md", "c.md"):
        project.write(name, f"# {name}\n\n说明。\n")
    project.ingest()
    there = project.files.rename(project.files.with_name("elsewhere"))
    (there / "c.md").write_text("# 新\n\n改过。\n", encoding="utf-8")
    receipt = project.ingest(there)
    assert receipt.counts()["renamed"] == 2
    assert any("is gone; its documents are now those of" in warning for warning in receipt.warnings)
    assert project.dump() == project.clean_dump(there)


def test_a_folder_that_is_gone_is_not_taken_for_another_one(project: FakeProject, tmp_path: Path) -> None:
    project.write("a.md", "# 甲\n\n说明。\n")
    project.write("b.md", "# 乙\n\n说明。\n")
    project.ingest()
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# 甲\n\n说明。\n", encoding="utf-8")
    project.files.rename(project.files.with_name("elsewhere"))
    assert project.ingest(other).warnings == ()
    assert len(project.dump()["documents"]) == 3


def test_rows_that_the_store_lost_are_put_back_without_encoding(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n一。\n# 乙\n二。\n")
    project.ingest()
    project.store.rows.clear()
    project.write("b.md", "# 丙\n三。\n")
    receipt = project.ingest()
    assert receipt.chunks.encoded == 1
    assert "2 missing vectors were put back" in receipt.warnings[0]
    assert project.dump() == project.clean_dump()


def test_rows_that_the_store_lost_are_encoded_again_when_the_cache_is_gone_too(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n一。\n# 乙\n二。\n")
    project.ingest()
    project.store.rows.clear()
    (project.state / "vectors.sqlite").unlink()
    project.write("b.md", "# 丙\n三。\n")
    assert project.ingest().chunks.encoded == 3
    assert project.dump() == project.clean_dump()


def test_vectors_of_another_version_of_the_encoder_are_never_mixed_in(project: FakeProject) -> None:
    project.write("a.md", "# 甲\n一。\n")
    project.ingest()
    project.write("b.md", "# 乙\n二。\n")
    project.pinned = "hash-1"
    project.encoder.fingerprint = "hash-2"
    with pytest.raises(IndexMismatchError, match="another version of hash"):
        project.ingest()


def test_a_text_that_stands_in_many_files_is_encoded_once(project: FakeProject) -> None:
    for i in range(5):
        project.write(f"{i}.md", "# 甲\n一样的话。\n")
    assert project.ingest().chunks.encoded == 1
    assert project.store.count() == 5


@pytest.mark.parametrize("denied", ["", "锁"])
def test_documents_in_a_folder_that_cannot_be_listed_stay_and_the_folder_is_told_as_failed(
    project: FakeProject, monkeypatch: pytest.MonkeyPatch, denied: str
) -> None:
    project.write("锁/a.md", "# 甲\n文字。\n")
    gone = project.write("b.md", "# 乙\n别的文字。\n")
    project.ingest()
    gone.unlink()
    with monkeypatch.context() as patch:
        deny_listing(patch, project.files / denied)
        receipt = project.ingest()
    assert _statuses(receipt) == ({"锁": "failed", "b.md": "removed"} if denied else {".": "failed"})
    assert [file.error[0] for file in receipt.files if file.error] == ["permission"]
    assert project.store.count() == (1 if denied else 2)
    assert _statuses(project.ingest())["锁/a.md"] == "unchanged"


def test_the_projects_own_settings_and_prompts_are_no_material(project: FakeProject) -> None:
    for path in ("edu.toml", "prompts/answer.md", "prompts/讲义.md", "课/edu.toml"):
        file = project.folder / project.name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("[search]\nk = 8\n" if path.endswith(".toml") else "# 甲\n文字。\n", encoding="utf-8")
    told = {file.path: file.reason or file.status for file in project.ingest(project.folder / project.name).files}
    assert told == {
        "edu.toml": "a file of edu's own",
        "prompts/answer.md": "a file of edu's own",
        "prompts/讲义.md": "added",
        "课/edu.toml": "added",
    }
