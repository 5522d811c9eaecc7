from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import HashEncoder
from ingest_project import FakeProject

from edu_cli.config import LexicalSettings
from edu_cli.index import lexical
from edu_cli.index.lexical_place import LexicalPlace
from edu_cli.index.refresh import (
    VectorSource,
    check_lexical,
    is_copy_fresh,
    refresh_copy,
    refresh_lexical,
)
from edu_cli.index.vector_cache import open_vector_cache
from edu_cli.index.vector_copy import VectorCopy, open_copy
from edu_cli.types import CachedVectors, ChildRow, EncoderPin, Scope


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


PIN = EncoderPin("hash", "hash-1", HashEncoder().dim)


def _copied(project: FakeProject, *, dense: bool = True, forget: bool = False) -> tuple[VectorCopy, list[str]]:
    """The copy after a refresh, and the text keys that the cache did not have."""
    encoded: list[str] = []
    catalog = project.catalog()
    cache = open_vector_cache(project.state / "vectors.sqlite", "hash-1")
    if forget:
        cache.forget(list(catalog.text_keys_in_use())[:1])

    def encode(rows: Mapping[str, ChildRow]) -> dict[str, CachedVectors]:
        encoded.extend(rows)
        dual = HashEncoder().encode_passages([row.parent.text for row in rows.values()])
        return {key: CachedVectors(dual.dense[i], dual.sparse[i]) for i, key in enumerate(rows)}

    refresh_copy(catalog, project.state / "copy", VectorSource(cache.find, encode), PIN, dense=dense)
    cache.close()
    catalog.close()
    copy = open_copy(project.state / "copy", uses_idf=False)
    assert copy is not None
    return copy, encoded


def test_the_copy_holds_the_children_and_is_fresh_until_they_change(project: FakeProject) -> None:
    path = project.state / "copy"

    def is_fresh(pin: EncoderPin = PIN, *, dense: bool = True) -> bool:
        catalog = project.catalog()
        try:
            return is_copy_fresh(catalog, path, pin, dense=dense)
        finally:
            catalog.close()

    assert not is_fresh()
    copy, encoded = _copied(project)
    assert encoded == []
    assert is_fresh()
    assert not is_fresh(EncoderPin("hash", "hash-2", PIN.dim))
    assert not is_fresh(dense=False)
    catalog = project.catalog()
    assert len(copy) == catalog.n_children()
    catalog.close()
    project.write("c.md", "# 丙\n新的。\n")
    project.ingest()
    assert not is_fresh()


def test_what_the_cache_has_lost_is_encoded_again(project: FakeProject) -> None:
    copy, encoded = _copied(project, forget=True)
    assert len(encoded) == 1
    assert copy.dim == PIN.dim


def test_a_server_needs_no_dense_copy(project: FakeProject) -> None:
    assert _copied(project, dense=False)[0].dim == 0
    assert _copied(project)[0].dim == PIN.dim
