from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edu_cli.errors import IndexMismatchError, StoreError, UsageError
from edu_cli.index import schema
from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.database import Database
from edu_cli.index.documents import documents, scope_of, subjects
from edu_cli.types import (
    CatalogChild,
    CatalogDocument,
    CatalogParent,
    Child,
    FaqEntry,
    FileStamp,
    OcrPage,
    Parent,
)


@pytest.fixture
def catalog(tmp_path: Path) -> CatalogWriter:
    return open_catalog_writer(tmp_path / "catalog.sqlite")


def _document(
    doc_id: str, path: str = "", *, texts: tuple[str, ...] = ("一。", "二。"), **fields: object
) -> CatalogDocument:
    parents = []
    for i, text in enumerate(texts):
        parent = Parent(("第一章", f"{i}"), text, 1, 2, (Child(0, len(text), 1, 2, "| 表头 |"),))
        child = CatalogChild(f"{doc_id}-c{i}", parent.children[0], f"key-{text}")
        parents.append(CatalogParent(f"{doc_id}-p{i}", parent, (child,)))
    base = CatalogDocument(
        doc_id=doc_id,
        root_id=1,
        path=path or f"{doc_id}.md",
        tenant="",
        subject="",
        stamp=FileStamp(1, 2, 3, 4),
        content_hash="hash",
        recipe="recipe",
        format="md",
        digest=f"digest-{doc_id}-{texts}",
        title="标题",
        parents=tuple(parents),
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def _filled(catalog: CatalogWriter, *found: CatalogDocument) -> CatalogWriter:
    catalog.add_root("", "../files", whole=True)
    catalog.swap(found)
    return catalog


def test_what_is_swapped_in_comes_back_as_it_was(catalog: CatalogWriter) -> None:
    document = _document(
        "d", pages=2, pages_ocr=(OcrPage(1, "no_text", 0.5),), warnings=("小心",), metadata={"作者": "王"}
    )
    _filled(catalog, document)
    (stored,) = catalog.parents(["d-p1"]).values()
    assert (stored.doc, stored.section, stored.text, stored.page, stored.page_end) == (
        "d.md",
        ("第一章", "1"),
        "二。",
        1,
        2,
    )
    assert stored.text[stored.children[0].start : stored.children[0].end] == "二。"
    (record,) = documents(catalog)
    assert (record.pages, record.pages_ocr, record.warnings) == (2, document.pages_ocr, ("小心",))
    assert (record.metadata, record.parents, record.children) == ({"作者": "王"}, 2, 2)
    rows = list(catalog.child_rows())
    assert [row.child.lead for row in rows] == ["| 表头 |", "| 表头 |"]
    assert [row.child_id for row in catalog.child_rows(["d-c1", "nobody"])] == ["d-c1"]


def test_parents_come_in_the_order_asked_and_absent_ones_are_left_out(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("a"), _document("b"))
    assert list(catalog.parents(["b-p0", "nobody", "a-p1"])) == ["b-p0", "a-p1"]


def test_the_sections_of_one_document_come_in_reading_order(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("b", texts=("三。", "一。", "二。")), _document("a"))
    assert catalog.sections("b") == [("第一章", "0"), ("第一章", "1"), ("第一章", "2")]
    assert catalog.sections("nobody") == []


def test_a_swap_returns_the_children_that_are_no_more_and_keeps_them_unsettled(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("a"), _document("b"))
    dropped = catalog.swap([_document("a", texts=("一。",))], gone=["b"])
    assert dropped == ["a-c1", "b-c0", "b-c1"]
    assert sorted(catalog.unsettled()) == dropped
    catalog.settle(dropped)
    assert catalog.unsettled() == []
    assert catalog.counts() == {"documents": 1, "failed": 0, "parents": 1, "children": 1, "faq": 0}


def test_a_swap_that_fails_changes_nothing(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("a"))
    clash = _document("x", path="a.md")
    with pytest.raises(StoreError):
        catalog.swap([_document("new"), clash])
    assert [record.doc_id for record in documents(catalog)] == ["a"]


def test_the_corpus_hash_depends_on_what_can_be_found_only(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("a"), _document("b"))
    before = catalog.corpus_hash()
    catalog.swap([_document("c", error=("empty", "c.md is empty."), parents=(), digest="")])
    assert catalog.corpus_hash() == before
    catalog.swap([], gone=["b"])
    assert catalog.corpus_hash() != before
    catalog.swap([_document("b")])
    assert catalog.corpus_hash() == before


def test_faq_entries_take_the_subject_of_their_document_unless_they_have_one(catalog: CatalogWriter) -> None:
    faq = (FaqEntry("怎么退费？", "找老师。", "", 2), FaqEntry("几点上课？", "八点。", "教务", 3))
    _filled(catalog, _document("a", faq=faq, subject="服务"))
    assert [(path, entry.question, entry.subject) for path, entry in catalog.faq("")] == [
        ("a.md", "怎么退费？", "服务"),
        ("a.md", "几点上课？", "教务"),
    ]
    assert [entry.question for _, entry in catalog.faq("", "教务")] == ["几点上课？"]
    assert catalog.faq("别班") == []


def test_a_scope_without_a_tenant_names_one_where_each_document_has_one(catalog: CatalogWriter) -> None:
    assert scope_of(catalog, "空班").doc_ids is None, "a project without documents has any tenant"
    _filled(catalog, _document("c", "ml/三.md", tenant="别班"))
    with pytest.raises(UsageError, match="Each document here belongs to a tenant") as told:
        scope_of(catalog)
    assert "--tenant 别班" in told.value.hint


def test_a_scope_holds_to_tenant_glob_and_filters(catalog: CatalogWriter) -> None:
    _filled(
        catalog,
        _document("a", "ai/一.md", subject="ai", metadata={"作者": "王"}),
        _document("b", "ai/深/二.pdf", subject="ai", format="pdf", metadata={"作者": "李"}),
        _document("c", "ml/三.md", subject="ml", tenant="别班"),
        _document("d", "[草稿].md"),
    )
    assert scope_of(catalog, subject="ai").doc_ids is None
    assert scope_of(catalog, doc_glob="ai/*").doc_ids == {"a", "b"}
    assert scope_of(catalog, doc_glob="[草稿].md").doc_ids == {"d"}, "a path is a path before it is a pattern"
    assert scope_of(catalog, filters=["作者=王", "作者=李", "format=pdf"]).doc_ids == {"b"}
    with pytest.raises(UsageError, match=r"No document matches 'mi/\*'") as told:
        scope_of(catalog, "别班", doc_glob="mi/*")
    assert told.value.hint == "did you mean 'ml/*'?"
    with pytest.raises(UsageError, match=r"No document matches 'ml/\*'") as told:
        scope_of(catalog, doc_glob="ml/*")
    assert "ml" not in told.value.hint, "another tenant's"
    with pytest.raises(UsageError, match="No document has the key '做者'") as told:
        scope_of(catalog, filters=["做者=王"])
    assert "作者" in told.value.hint
    with pytest.raises(UsageError, match="not of the form key=value"):
        scope_of(catalog, filters=["pdf"])
    with pytest.raises(UsageError, match="No document has the tenant '别般'") as told:
        scope_of(catalog, "别般")
    assert "did you mean '别班'?" in told.value.hint
    assert subjects(catalog) == {"": 1, "ai": 2}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
def test_no_name_of_a_tenant_or_subject_shows_another_ones_documents(tmp_path: Path, names: list[str]) -> None:
    names = [name.encode("utf-8", "replace").decode() for name in names]
    (tmp_path / "c.sqlite").unlink(missing_ok=True)
    catalog = open_catalog_writer(tmp_path / "c.sqlite")
    _filled(catalog, *(_document(str(i), tenant=name, subject=name) for i, name in enumerate(names)))
    for i, name in enumerate(names):
        same = {str(j) for j, other in enumerate(names) if other == name}
        assert {record.doc_id for record in documents(catalog, tenant=name)} == same
        assert scope_of(catalog, name, doc_glob="*").doc_ids == same
        assert scope_of(catalog, name, filters=[f"subject={name}"]).doc_ids == same
        assert str(i) in same
    catalog.close()


def test_metadata_with_a_lone_surrogate_is_kept(catalog: CatalogWriter) -> None:
    _filled(catalog, _document("a", metadata={"author": "\ud800"}))
    assert documents(catalog)[0].metadata == {"author": "\ud800"}


def test_a_damaged_catalog_is_named_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"\0" * 5000)
    with pytest.raises(StoreError, match=r"catalog\.sqlite is damaged") as told:
        open_catalog_writer(path)
    assert "move" in told.value.hint


def test_a_folder_in_the_place_of_the_catalog_is_named(tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite").mkdir()
    with pytest.raises(StoreError) as told:
        open_catalog_writer(tmp_path / "catalog.sqlite")
    assert "remove the folder" in told.value.hint


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
        other.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match="is not a file of edu"):
        open_catalog_writer(path)


def test_a_newer_format_is_an_index_mismatch(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    open_catalog_writer(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(IndexMismatchError, match="has format 99"):
        open_catalog_writer(path)


def test_a_migration_runs_once_and_leaves_a_copy_of_the_file_before(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    steps = (
        *schema.CATALOG_STEPS,
        "CREATE TABLE later (x); INSERT INTO later VALUES (';');\nINSERT INTO later VALUES (2);",
    )
    open_catalog_writer(path).close()
    for _ in range(2):
        grown = Database(path, steps, schema.APPLICATION_ID)
        assert grown.rows("SELECT x FROM later") == [(";",), (2,)]
        grown.close()
    before = Database(
        tmp_path / f"catalog.sqlite.format-{len(schema.CATALOG_STEPS)}", schema.CATALOG_STEPS, schema.APPLICATION_ID
    )
    assert before.rows("SELECT name FROM sqlite_master WHERE name = 'later'") == []


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    open_catalog_writer(path).close()
    with pytest.raises(StoreError):
        Database(path, (*schema.CATALOG_STEPS, "CREATE TABLE later (x);\nnonsense;"), schema.APPLICATION_ID)
    catalog = open_catalog_writer(path)
    assert catalog.database.rows("SELECT name FROM sqlite_master WHERE name = 'later'") == []
