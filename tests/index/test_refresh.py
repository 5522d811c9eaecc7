from __future__ import annotations

from pathlib import Path

import pytest
from ingest_project import FakeProject

from edu_cli.config import LexicalSettings
from edu_cli.index import lexical
from edu_cli.index.catalog import Catalog
from edu_cli.index.refresh import LexicalPlace, check_lexical, is_sparse_fresh, refresh_lexical, refresh_sparse
from edu_cli.index.sparse import open_sparse
from edu_cli.index.vector_cache import open_vector_cache
from edu_cli.types import ChildRow, Scope


@pytest.fixture
def project(tmp_path: Path) -> FakeProject:
    project = FakeProject(tmp_path)
    project.write("a.md", "# 甲\n梯度下降是优化方法。\n学习率太大不收敛。\n")
    project.write("b.md", "# 乙\n决策树用信息增益。\n")
    project.ingest()
    return project


def _place(project: FakeProject, **settings: float) -> LexicalPlace:
    return LexicalPlace(project.state / "bm25", LexicalSettings(**settings), None, project.folder / "cache")


class Texts:
    """Gives the encoding text of a child, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, row: ChildRow) -> str:
        self.asked.append(row.doc)
        return row.parent.text[row.child.start : row.child.end]


def _refreshed(project: FakeProject, place: LexicalPlace, texts: Texts, *, force: bool = False) -> str:
    catalog = project.catalog()
    report = refresh_lexical(catalog, place, texts, force=force)
    catalog.close()
    return report.status


def test_bm25_is_built_once_and_cuts_only_changed_parents_again(project: FakeProject) -> None:
    texts, place = Texts(), _place(project)
    assert _refreshed(project, place, texts) == "rebuilt"
    assert sorted(texts.asked) == ["a.md", "b.md"]
    texts.asked.clear()
    assert _refreshed(project, place, texts) == "fresh"
    project.write("b.md", "# 乙\n随机森林由许多树组成。\n")
    project.ingest()
    assert _refreshed(project, place, texts) == "rebuilt"
    assert texts.asked == ["b.md"]


def test_other_parameters_make_it_stale(project: FakeProject) -> None:
    _refreshed(project, _place(project), Texts())
    catalog = project.catalog()
    assert check_lexical(catalog, _place(project)).status == "fresh"
    assert check_lexical(catalog, _place(project, k1=1.2)).status == "stale"
    catalog.close()


def test_a_removed_document_leaves_the_index(project: FakeProject) -> None:
    place = _place(project)
    _refreshed(project, place, Texts())
    (project.files / "a.md").unlink()
    project.ingest()
    _refreshed(project, place, Texts())
    from edu_cli.index.tokens import open_tokenizer

    index = lexical.open_lexical(place.path, open_tokenizer(None, place.cache))
    assert index.search("梯度下降", 5, Scope()) == []
    assert len(index.search("决策树", 5, Scope())) == 1


def _sparse(project: FakeProject, catalog: Catalog) -> None:
    cache = open_vector_cache(project.state / "vectors.sqlite", "hash-1")
    refresh_sparse(catalog, project.state / "sparse", lambda texts: cache.find(list(texts)), Texts(), encoder="hash-1")
    cache.close()


def test_the_sparse_copy_holds_the_children_and_is_fresh_until_they_change(project: FakeProject) -> None:
    catalog = project.catalog()
    path = project.state / "sparse"
    assert not is_sparse_fresh(catalog, path, "hash-1")
    _sparse(project, catalog)
    assert is_sparse_fresh(catalog, path, "hash-1")
    assert not is_sparse_fresh(catalog, path, "hash-2")
    copy = open_sparse(path, uses_idf=False)
    assert copy is not None
    assert len(copy.table) == catalog.n_children()
    project.write("c.md", "# 丙\n新的。\n")
    project.ingest()
    assert not is_sparse_fresh(catalog, path, "hash-1")
    catalog.close()
