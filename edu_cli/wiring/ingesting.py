"""Settings -> concrete adapters: the only file that names them."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from edu_cli.config import Settings, cache_dir
from edu_cli.errors import IndexMismatchError
from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.encoders.choose import choose_encoder, open_encoder
from edu_cli.index.lock import patiently
from edu_cli.index.refresh import IndexReport, is_sparse_fresh, refresh_lexical, refresh_sparse
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.request import IngestTools
from edu_cli.ingest.split import encoding_text
from edu_cli.ingest.storing import Encoding, Tally, TextVectors, VectorTools
from edu_cli.ingest.workers import LoadPool
from edu_cli.project import Project
from edu_cli.protocols import Encoder, Progress
from edu_cli.text import content_id
from edu_cli.types import ChildRow, EncoderPin
from edu_cli.wiring.places import NO_ENCODER, lexical_place, milvus_target, vectors_path

if TYPE_CHECKING:
    from edu_cli.index.vector_cache import VectorCache

_SPARE_VECTORS = 10_000  # vectors of texts that stand nowhere now, kept besides as many as there are children
_MOST_SHARED = 1_000_000  # some 3 GB of the bundled encoder's vectors


@dataclass(frozen=True, slots=True)
class LoadOptionsFactory:
    """Makes a worker's load options, its OCR engine with them; it travels to the workers by pickle."""

    ocr: Literal["auto", "always", "never"]
    pdf_password: str
    ocr_cache: Path
    max_bytes: int

    def __call__(self) -> LoadOptions:
        """Options with a picture reader of their own, which loads its engine when the first picture comes."""
        from edu_cli.ingest.picture_reader import OcrPictureReader

        pictures = None if self.ocr == "never" else OcrPictureReader(self.ocr_cache, threads=1)
        return LoadOptions(self.ocr, self.pdf_password, pictures, self.max_bytes)


@dataclass(frozen=True, slots=True)
class IngestSession:
    """A project that is being written: what the pipeline works with, and the derived indexes' refresh after it."""

    tools: IngestTools
    catalog: CatalogWriter
    refresh: Callable[[bool], IndexReport]


@contextmanager
def open_ingest(
    project: Project, settings: Settings, progress: Progress, *, rebuild: bool = False, lock_timeout_s: float = 10.0
) -> Iterator[IngestSession]:
    """The catalog, loaders and vector side of a project for writing; the caller holds its lock.

    The first ingest pins the project to an encoder. Raises IndexMismatchError where another one is configured, unless
    `rebuild`, which starts the vectors afresh.
    """
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
                tools, catalog, lambda force: refresh_indexes(project, settings, catalog, progress, force=force)
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


class IngestVectors:
    """The vector side of a project that is being written."""

    def __init__(
        self, project: Project, settings: Settings, catalog: CatalogWriter, progress: Progress, lock_timeout_s: float
    ) -> None:
        self._project = project
        self._lock_timeout_s = lock_timeout_s
        self._settings = settings
        self._catalog = catalog
        self._progress = progress
        self._encoder: Encoder | None = None

    def pin(self, *, rebuild: bool) -> EncoderPin:
        """The encoder that the project is bound to from now on. Raises IndexMismatchError and EncoderError."""
        pinned = self._catalog.encoder()
        wanted = self._settings.encoder.name
        if pinned and not rebuild:
            if wanted in ("auto", pinned.name):
                return pinned
            holds = "has no vectors" if pinned.name == "none" else f"has vectors made by {pinned.name}"
            raise IndexMismatchError(
                f"{self._project.root} {holds}, and the encoder {wanted} is configured.",
                hint=f"`edu ingest PATH --rebuild` encodes everything by {wanted}; EDU_ENCODER={pinned.name} keeps it",
            )
        choice = choose_encoder(self._settings.encoder)
        self._progress.note(f"encoder: {choice.name} ({choice.reason})")
        pin = NO_ENCODER
        if choice.name != "none":
            encoder = self._load(choice.name)
            pin = EncoderPin(choice.name, encoder.fingerprint, encoder.dim)
        if rebuild and pinned:
            self._start_afresh(pinned)
        self._catalog.pin(pin)
        if rebuild and pinned == pin != NO_ENCODER:
            _, cache = self.texts()
            cache.forget(self._catalog.text_keys_in_use())
            cache.close()
        return pin

    def open(self) -> VectorTools:
        """Vector cache and store of the pinned encoder."""
        from edu_cli.index.milvus import MilvusStore

        pin = self._pinned()
        texts, cache = self.texts()
        target = milvus_target(self._project, self._settings, self._project_id(), pin)
        store = patiently(
            lambda: MilvusStore(target, sparse_path=None, uses_idf=False), self._lock_timeout_s, self._progress.note
        )

        def close() -> None:
            store.close()
            most = _MOST_SHARED if self._settings.cache.dir else 2 * self._catalog.n_children() + _SPARE_VECTORS
            cache.prune(most, self._catalog.text_keys_in_use)
            cache.close()

        return VectorTools(texts, store, close)

    def texts(self) -> tuple[TextVectors, VectorCache]:
        """Where texts' vectors come from, and the cache, which is to be closed."""
        from edu_cli.index.vector_cache import open_vector_cache

        pin = self._pinned()
        cache = open_vector_cache(vectors_path(self._project, self._settings), pin.fingerprint)
        if cache.set_aside:
            self._progress.note(f"the vector cache was damaged; it was put aside as {cache.set_aside} and is made anew")
        return TextVectors(cache, lambda: self._load(pin.name), pin.fingerprint), cache

    def store_mark(self) -> str:
        """Collection, names, sizes and times of Milvus Lite's files; "" for a server, which shows nothing outside."""
        if self._settings.milvus.uri:
            return ""
        target = milvus_target(self._project, self._settings, self._project_id(), self._pinned())
        return content_id(target.collection, files_mark(self._project.milvus_path))

    def _project_id(self) -> str:
        found = self._catalog.meta("project_id")
        if found is None:
            self._catalog.remember("project_id", found := uuid.uuid4().hex)
        return found

    def _load(self, name: str) -> Encoder:
        if self._encoder is None:
            self._encoder = open_encoder(name, self._settings.encoder, cache_dir(self._settings))
        return self._encoder

    def _pinned(self) -> EncoderPin:
        pin = self._catalog.encoder()
        if pin is None:
            raise AssertionError("the project is pinned before its vectors are opened")
        return pin

    def _start_afresh(self, pinned: EncoderPin) -> None:
        """Removes the vectors of the encoder before; the mark makes the next run fill the store, come what may."""
        self._catalog.remember("store_mark", "rebuild")
        if not self._settings.milvus.uri:
            shutil.rmtree(self._project.milvus_path, ignore_errors=True)
        elif pinned.name != "none":
            from edu_cli.index.milvus import MilvusStore

            target = milvus_target(self._project, self._settings, self._project_id(), pinned)
            store = MilvusStore(target, sparse_path=None, uses_idf=False)
            store.drop()
            store.close()


def refresh_indexes(
    project: Project, settings: Settings, catalog: CatalogWriter, progress: Progress, *, force: bool = False
) -> IndexReport:
    """Brings the sparse copy and the BM25 index up to date, under the project's lock."""
    pin = catalog.encoder()
    if pin and pin.name != "none" and not is_sparse_fresh(catalog, project.sparse_path, pin.fingerprint):
        vectors = IngestVectors(project, settings, catalog, progress, 0.0)
        texts, cache = vectors.texts()
        try:
            encoding = Encoding(texts, progress, Tally())
            refresh_sparse(catalog, project.sparse_path, encoding.vectors, child_text, encoder=pin.fingerprint)
        finally:
            cache.close()
    return refresh_lexical(catalog, lexical_place(project, settings), child_text, force=force)


def files_mark(folder: Path) -> str:
    """Names, sizes and times of all files below a folder, as one hash."""
    found = []
    for base, _, names in os.walk(folder):
        for name in names:
            stat = Path(base, name).stat()
            found.append(f"{base}/{name} {stat.st_size} {stat.st_mtime_ns}")
    return content_id(*sorted(found))


def child_text(row: ChildRow) -> str:
    """What the encoder and BM25 see of a child."""
    return encoding_text(row.title, row.parent, row.child)
