"""The vector side of a project that is being written: its encoder, cache and store."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.config import Settings, cache_dir
from edu_cli.errors import StoreError
from edu_cli.index.catalog_write import CatalogWriter
from edu_cli.index.database import damaged_path
from edu_cli.index.encoders.choose import choose_encoder, open_encoder
from edu_cli.index.lock import patiently
from edu_cli.ingest.storing import TextVectors, VectorTools
from edu_cli.project import Project
from edu_cli.protocols import Encoder, Progress, VectorStore
from edu_cli.text import content_id
from edu_cli.types import EncoderPin
from edu_cli.types.catalog_keys import PROJECT_ID, STORE_MARK
from edu_cli.wiring.places import NO_ENCODER, check_encoder, milvus_target, vectors_path

if TYPE_CHECKING:
    from edu_cli.index.milvus_connect import MilvusTarget
    from edu_cli.index.vector_cache import VectorCache

_SPARE_VECTORS = 10_000  # vectors of texts that stand nowhere now, kept besides as many as there are children
_MOST_SHARED = 1_000_000  # some 3 GB of the bundled encoder's vectors


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
        if pinned and not rebuild:
            check_encoder(self._project, pinned, self._settings.encoder.name)
            return pinned
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
        pin = self._pinned()
        texts, cache = self.texts()
        target = milvus_target(self._project, self._settings, self._project_id(), pin)
        store = patiently(lambda: self._open_store(target), self._lock_timeout_s, self._progress.note)

        def close() -> None:
            store.close()
            most = _MOST_SHARED if self._settings.cache.dir else 2 * self._catalog.n_children() + _SPARE_VECTORS
            cache.prune(most, self._catalog.text_keys_in_use)
            cache.close()

        return VectorTools(texts, store, close)

    def _open_store(self, target: MilvusTarget) -> VectorStore:
        """The store; a database of Milvus Lite that cannot be opened is put aside, since the cache can fill another."""
        from edu_cli.index.milvus import MilvusStore
        from edu_cli.index.milvus_connect import release
        from edu_cli.index.milvus_volumes import LiteVolumes

        if not target.is_lite:
            return MilvusStore(target)
        database = Path(target.uri)
        # by something else, or by a run that was killed
        changed = database.exists() and self.store_mark() != self._catalog.meta(STORE_MARK)
        try:
            return LiteVolumes(target, check=changed, trusted=not changed)
        except StoreError as error:
            if not database.exists():
                raise
            release(database)
            aside = put_aside(database)
            self._progress.note(f"{error.message} It was put aside as {aside} and is filled again.")
            return LiteVolumes(target)

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
        found = self._catalog.meta(PROJECT_ID)
        if found is None:
            self._catalog.remember(PROJECT_ID, found := uuid.uuid4().hex)
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
        self._catalog.remember(STORE_MARK, "rebuild")
        if not self._settings.milvus.uri:
            shutil.rmtree(self._project.milvus_path, ignore_errors=True)
        elif pinned.name != "none":
            from edu_cli.index.milvus import MilvusStore

            target = milvus_target(self._project, self._settings, self._project_id(), pinned)
            store = MilvusStore(target)
            store.drop()
            store.close()


def files_mark(folder: Path) -> str:
    """Names, sizes and times of all files below a folder, as one hash."""
    found = []
    for base, _, names in os.walk(folder):
        for name in names:
            stat = Path(base, name).stat()
            found.append(f"{base}/{name} {stat.st_size} {stat.st_mtime_ns}")
    return content_id(*sorted(found))


def put_aside(path: Path) -> Path:
    """Renames a damaged database out of the way; one that was put aside before goes."""
    aside = damaged_path(path)
    if aside.is_dir() and not aside.is_symlink():
        shutil.rmtree(aside)
    else:
        aside.unlink(missing_ok=True)
    path.replace(aside)
    return aside
