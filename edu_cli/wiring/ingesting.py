"""What an ingest works with, and the derived indexes' refresh after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from edu_cli.config import Settings, cache_dir
from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.refresh import IndexReport, refresh_lexical
from edu_cli.ingest.options import LoadOptions, PictureReader, PictureText
from edu_cli.ingest.request import IngestTools
from edu_cli.ingest.split.splitter import encoding_text
from edu_cli.ingest.workers.pool import LoadPool
from edu_cli.project import Project
from edu_cli.protocols import Progress
from edu_cli.types import ChildRow
from edu_cli.wiring.copies import refresh_vector_copy
from edu_cli.wiring.overview import lexical_place
from edu_cli.wiring.vectors import IngestVectors


@dataclass(frozen=True, slots=True)
class LoadOptionsFactory:
    """Makes a worker's load options, its OCR engine with them; it travels to the workers by pickle."""

    ocr: Literal["auto", "always", "never"]
    pdf_password: str
    ocr_cache: Path
    max_bytes: int

    def __call__(self) -> LoadOptions:
        """Options with a picture reader of their own."""
        pictures = None if self.ocr == "never" else _Pictures(self.ocr_cache)
        return LoadOptions(self.ocr, self.pdf_password, pictures, self.max_bytes)


class _Pictures:
    """ingest.options.PictureReader by OCR, which is loaded when the first picture comes: most courses have few."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._reader: PictureReader | None = None

    def read(self, data: bytes) -> PictureText:
        """As the protocol says."""
        if self._reader is None:
            from edu_cli.ingest.ocr.picture_reader import OcrPictureReader

            self._reader = OcrPictureReader(self._cache, threads=1)
        return self._reader.read(data)


@dataclass(frozen=True, slots=True)
class IngestSession:
    """A project that is being written: what the pipeline works with, and the derived indexes' refresh after it.

    `refresh_copy` is the part of `refresh` that must be whatever becomes of BM25: searches read vectors from the copy.
    """

    tools: IngestTools
    catalog: CatalogWriter
    refresh: Callable[[bool], IndexReport]
    refresh_copy: Callable[[], None]


@contextmanager
def open_ingest(
    project: Project, settings: Settings, progress: Progress, *, rebuild: bool = False, lock_timeout_s: float = 10.0
) -> Iterator[IngestSession]:
    """The catalog, loaders and vector side of a project for writing; the caller holds its lock.

    The first ingest pins the project to an encoder. Raises IndexMismatchError where another one is configured, unless
    `rebuild`, which starts the vectors afresh.
    """
    if project.bm25_path.exists() and not project.catalog_path.exists():
        progress.note(
            f"{project.catalog_path} is gone, and with it the FAQ entries, pending questions and conversations; "
            "documents are read anew. A backup brings the rest back: edu restore FILE --force"
        )
    catalog = open_catalog_writer(project.catalog_path)
    try:
        vectors = IngestVectors(project, settings, catalog, progress, lock_timeout_s)
        pin = vectors.pin(rebuild=rebuild)
        factory = LoadOptionsFactory(
            cast("Literal['auto', 'always', 'never']", settings.ingest.ocr),
            settings.ingest.pdf_password,
            cache_dir(settings) / "ocr",
            settings.ingest.max_file_mb * 2**20,
        )
        with LoadPool(settings.ingest.jobs, settings.ingest.timeout_s, factory) as pool:
            open_vectors = None if pin.name == "none" else vectors.open
            tools = IngestTools(catalog, pool.load_all, open_vectors, vectors.store_mark, progress)
            yield IngestSession(
                tools,
                catalog,
                lambda force: refresh_indexes(project, settings, catalog, progress, force=force),
                lambda: refresh_vector_copy(project, settings, catalog, progress),
            )
    finally:
        catalog.close()


@contextmanager
def open_preview(project: Project) -> Iterator[CatalogWriter]:
    """The catalog to plan with; an empty one in memory where the project has none yet."""
    path = project.catalog_path if project.catalog_path.exists() else Path(":memory:")
    catalog = open_catalog_writer(path)
    try:
        yield catalog
    finally:
        catalog.close()


def refresh_indexes(
    project: Project, settings: Settings, catalog: CatalogWriter, progress: Progress, *, force: bool = False
) -> IndexReport:
    """Brings the vector copy and the BM25 index up to date, under the project's lock; `seconds` are those of both."""
    start = time.perf_counter()
    refresh_vector_copy(project, settings, catalog, progress, force=force)
    report = refresh_lexical(catalog, lexical_place(project, settings), child_text, force=force, progress=progress)
    return replace(report, seconds=time.perf_counter() - start)


def child_text(row: ChildRow) -> str:
    """What the encoder and BM25 see of a child."""
    return encoding_text(row.title, row.parent, row.child)
