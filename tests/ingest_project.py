"""A project in a temporary folder, ingested with fakes, whose whole state can be compared with a clean build's."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import HashEncoder, MemoryStore, QuietProgress, load_plainly

from edu_cli.config import SplitSettings
from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.vector_cache import open_vector_cache
from edu_cli.ingest.pipeline import ingest
from edu_cli.ingest.receipt import Receipt
from edu_cli.ingest.request import IngestRequest, IngestTools
from edu_cli.ingest.storing import TextVectors, VectorTools
from edu_cli.ingest.workers.pool import Loaded

_TABLES = {
    "documents": "SELECT doc_id, path, tenant, subject, content_hash, digest, title, error_code FROM documents",
    "parents": "SELECT parent_id, doc_id, ordinal, section, page, text FROM parents",
    "children": 'SELECT parent_id, ordinal, child_id, start, "end", text_key FROM children',
    "unsettled": "SELECT child_id FROM unsettled",
}


@dataclass
class FakeProject:
    """`folder/NAME` is the project, `folder/files` what is ingested."""

    folder: Path
    name: str = "project"
    encoder: HashEncoder = field(default_factory=HashEncoder)
    store: MemoryStore = field(default_factory=MemoryStore)
    load_all: Callable[[Sequence[Path]], Iterator[Loaded]] = load_plainly
    open_catalog: Callable[[Path], CatalogWriter] = open_catalog_writer
    pinned: str = ""
    opened: int = 0

    def __post_init__(self) -> None:
        self.state.mkdir(parents=True, exist_ok=True)
        self.files.mkdir(exist_ok=True)

    @property
    def state(self) -> Path:
        return self.folder / self.name / ".edu"

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def write(self, path: str, text: str) -> Path:
        file = self.files / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def ingest(self, *paths: Path, **options: Any) -> Receipt:
        return self._ingest(paths or (self.files,), **options)

    def ingest_again(self) -> Receipt:
        return self._ingest(())

    def _ingest(self, paths: tuple[Path, ...], **options: Any) -> Receipt:
        catalog = self.catalog()
        try:
            request = IngestRequest(paths, self.state.parent, SplitSettings(), **options)
            tools = IngestTools(catalog, self.load_all, self._open, lambda: "same", QuietProgress())
            return ingest(request, tools)
        finally:
            catalog.close()

    def catalog(self) -> CatalogWriter:
        return self.open_catalog(self.state / "catalog.sqlite")

    def _open(self) -> VectorTools:
        self.opened += 1
        fingerprint = self.pinned or self.encoder.fingerprint
        cache = open_vector_cache(self.state / "vectors.sqlite", fingerprint)
        return VectorTools(TextVectors(cache, lambda: self.encoder, fingerprint), self.store, cache.close)

    def dump(self) -> dict[str, Any]:
        """All that searches depend on."""
        catalog = self.catalog()
        try:
            tables = {name: sorted(catalog.database.rows(sql), key=repr) for name, sql in _TABLES.items()}
        finally:
            catalog.close()
        rows = {
            i: (r.parent_id, r.doc_id, r.subject, r.tenant, r.dense.tolist(), r.sparse.indices.tolist())
            for i, r in sorted(self.store.rows.items())
        }
        return {**tables, "vectors": rows}

    def clean_dump(self, *paths: Path, **options: Any) -> dict[str, Any]:
        """The dump of a project that ingests the same files for the first time."""
        shutil.rmtree(self.folder / "clean", ignore_errors=True)
        clean = FakeProject(self.folder, "clean", load_all=self.load_all)
        clean.ingest(*paths, **options)
        return clean.dump()


def deny_listing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Listing `folder` fails as it does for a user who may not, whoever runs the tests."""
    listing = os.scandir

    def denied(path: Any) -> Any:
        if Path(path) == folder:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return listing(path)

    monkeypatch.setattr(os, "scandir", denied)
