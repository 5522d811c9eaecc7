"""The vector copy of a project: kept up to date by those who write, opened by those who search."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from edu_cli.config import cache_dir
from edu_cli.errors import StoreError
from edu_cli.types.catalog_keys import PROJECT_ID
from edu_cli.wiring.places import NO_ENCODER, milvus_target, vectors_path

if TYPE_CHECKING:
    from edu_cli.config import Settings
    from edu_cli.index.catalog import Catalog
    from edu_cli.index.vector_copy import VectorCopy
    from edu_cli.project import Project
    from edu_cli.protocols import Progress, VectorSearch
    from edu_cli.types import CachedVectors, ChildRow, EncoderPin

_READER_WAIT_S = 10.0  # for a writer, where a reader must make the copy itself


def refresh_vector_copy(
    project: Project, settings: Settings, catalog: Catalog, progress: Progress, *, force: bool = False
) -> None:
    """Brings the copy to what the catalog holds, from the vector cache; under the project's lock.

    A server searches the dense vectors itself, so that they are not copied then. Raises StoreError and EncoderError.
    """
    from edu_cli.index.encoders.choose import open_encoder
    from edu_cli.index.refresh import VectorSource, is_copy_fresh, refresh_copy
    from edu_cli.index.vector_cache import open_vector_cache
    from edu_cli.ingest.split.splitter import encoding_text
    from edu_cli.ingest.storing import Encoding, Tally, TextVectors

    pin = catalog.encoder() or NO_ENCODER
    dense = not settings.milvus.uri
    if pin.name == "none" or (is_copy_fresh(catalog, project.copy_path, pin, dense=dense) and not force):
        return
    with closing(open_vector_cache(vectors_path(project, settings), pin.fingerprint)) as cache:

        def encoded(rows: Mapping[str, ChildRow]) -> Mapping[str, CachedVectors]:
            texts = TextVectors(
                cache, lambda: open_encoder(pin.name, settings.encoder, cache_dir(settings)), pin.fingerprint
            )
            named = {key: encoding_text(row.title, row.parent, row.child) for key, row in rows.items()}
            return Encoding(texts, progress, Tally()).vectors(named)

        source = VectorSource(cache.find, encoded)
        refresh_copy(catalog, project.copy_path, source, pin, dense=dense, afresh=force, progress=progress)


def open_vector_search(
    stack: ExitStack,
    catalog: Catalog,
    pin: EncoderPin,
    project: Project,
    settings: Settings,
    warnings: list[str],
    *,
    uses_idf: bool,
) -> VectorSearch:
    """The dense and sparse legs for reading; `stack` closes them, and what is wrong with them is added to `warnings`.

    Without a server both are read from the copy, so that readers neither load Milvus Lite nor wait for it. A copy that
    is missing or damaged is made again. Raises StoreError and LockedError.
    """
    copy = None
    if uses_idf or not settings.milvus.uri:
        copy = _open_copy(catalog, pin, project, settings, warnings, uses_idf=uses_idf)
    if copy is not None and not settings.milvus.uri:
        return copy
    from edu_cli.index.milvus import MilvusStore

    wanted = catalog.n_children()
    target = milvus_target(project, settings, catalog.meta(PROJECT_ID) or "", pin)
    store = MilvusStore(target, sparse=copy, create=wanted == 0)
    stack.callback(store.close)
    held = store.count()
    if held != wanted:
        warnings.append(f"{target.name} holds {held} vectors of {wanted}: run `edu ingest PATH` to restore the rest.")
    return store


def _open_copy(
    catalog: Catalog, pin: EncoderPin, project: Project, settings: Settings, warnings: list[str], *, uses_idf: bool
) -> VectorCopy:
    """The copy; one that is older than the catalog is told."""
    from edu_cli.index.refresh import is_copy_fresh
    from edu_cli.index.vector_copy import open_copy

    dense = not settings.milvus.uri
    try:
        copy, why = open_copy(project.copy_path, uses_idf=uses_idf), "was missing"
        if copy is not None and copy.dim != (pin.dim if dense else 0):
            copy, why = None, "was made for other settings"
    except StoreError:
        copy, why = None, "was damaged"
    if copy is None:
        _make_again(project, settings, catalog)
        copy = open_copy(project.copy_path, uses_idf=uses_idf)
        if copy is None:
            raise StoreError(f"{project.copy_path} holds no vectors.", hint="run `edu index`")
        warnings.append(f"The vector index {why}; it was made again from the catalog and the vector cache.")
    elif not is_copy_fresh(catalog, project.copy_path, pin, dense=dense):
        warnings.append(
            "The indexes are older than the catalog: an ingest is running or was cut off; `edu index` completes them."
        )
    return copy


def _make_again(project: Project, settings: Settings, catalog: Catalog) -> None:
    from edu_cli.index.lock import writer_lock

    with writer_lock(project.lock_path, _READER_WAIT_S, lambda _: None):
        refresh_vector_copy(project, settings, catalog, _Unseen(), force=True)


class _Unseen:
    """protocols.Progress that nobody watches."""

    def start(self, stage: str, total: int | None) -> None:
        """Shows nothing."""

    def advance(self, stage: str, n: int = 1) -> None:
        """Shows nothing."""

    def note(self, message: str) -> None:
        """Shows nothing."""
