"""Making again what can be made from the catalog and the vector cache: the vector store, the indexes."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from edu_cli.config import Settings
from edu_cli.errors import EduError, StoreError
from edu_cli.index.catalog_write import CatalogWriter
from edu_cli.index.database import damaged_path
from edu_cli.index.lock import writer_lock
from edu_cli.ingest.repair import settle
from edu_cli.ingest.storing import Tally, VectorTools
from edu_cli.project import Project
from edu_cli.protocols import Progress
from edu_cli.types.catalog_keys import STORE_MARK
from edu_cli.upkeep import store_checks
from edu_cli.wiring.ingesting import IngestSession, open_ingest
from edu_cli.wiring.places import vectors_path
from edu_cli.wiring.vectors import put_aside

RESTORE_PREFIX = "restore-"


@dataclass(frozen=True, slots=True)
class Refill:
    """How many vectors the store lacked and had too many, and where a damaged database went."""

    missing: int
    stray: int
    put_aside: Path | None = None


def mend(
    project: Project, settings: Settings, names: Collection[str], progress: Progress, lock_timeout_s: float
) -> list[str]:
    """Makes again what the checks in `names` found wrong, from the catalog and the vector cache; what was done.

    Vectors that cannot be mended are told to `progress`. Raises LockedError, StoreError, and IndexMismatchError where
    the configured encoder is not the project's.
    """
    with (
        writer_lock(project.lock_path, lock_timeout_s, progress.note),
        open_ingest(project, settings, progress, lock_timeout_s=lock_timeout_s) as session,
    ):
        for draft in restore_drafts(project):
            shutil.rmtree(draft, ignore_errors=True)
        done, cache = [], vectors_path(project, settings)
        before = _identity(damaged_path(cache))
        if {store_checks.VECTORS, "last run"} & set(names):
            try:
                done = _sentences(refill(session, None if settings.milvus.uri else project.milvus_path))
            except EduError as error:  # the indexes can be mended without a server
                progress.note(f"the vectors could not be mended: {error.message}")
        if aside := _put_aside_since(before, cache):
            done.insert(0, f"the damaged vector cache was put aside as {aside}")
        if store_checks.COPY in names:
            shutil.rmtree(project.copy_path, ignore_errors=True)
        if {store_checks.BM25, store_checks.WORDS} & set(names):
            shutil.rmtree(project.bm25_path, ignore_errors=True)
        if session.refresh(False).status == "rebuilt":
            done.append("the BM25 index was built anew")
        if store_checks.COPY in names:
            done.append("the vector index was built anew")
        return done


def restore_drafts(project: Project) -> list[Path]:
    """Folders that restores work in; whoever holds the project's lock may remove those that others left behind."""
    return sorted(project.state.glob(f"{RESTORE_PREFIX}*"))


def refill(session: IngestSession, lite: Path | None) -> Refill:
    """Brings the vector store to exactly the catalog's children; a Lite database that fails is put aside for a new one.

    The caller holds the project's lock. Raises StoreError, LockedError, and EncoderError where a vector must be made
    and cannot.
    """
    if session.tools.open_vectors is None:
        return Refill(0, 0)
    before = _identity(damaged_path(lite)) if lite else None
    try:
        counts = _refilled(session)
    except StoreError:
        if lite is None or not lite.exists():
            raise
        put_aside(lite)
        counts = _refilled(session)
    session.catalog.remember(STORE_MARK, session.tools.store_mark())
    return Refill(*counts, _put_aside_since(before, lite) if lite else None)


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file or folder from another that takes its place; None where there is none."""
    try:
        stat = path.lstat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns


def _put_aside_since(before: tuple[int, int] | None, path: Path) -> Path | None:
    """Where the database went, if it did: whoever opened it may have put it aside."""
    aside = damaged_path(path)
    return aside if _identity(aside) not in (None, before) else None


def _sentences(refilled: Refill) -> list[str]:
    done = []
    if refilled.put_aside:
        done.append(f"the damaged vector store was put aside as {refilled.put_aside}")
    if refilled.missing or refilled.stray:
        done.append(f"{refilled.missing} vectors were put back and {refilled.stray} stray ones removed")
    return done


def _refilled(session: IngestSession) -> tuple[int, int]:
    """How many rows were missing and how many too many. Ids are noted as unsettled first, so a kill loses nothing."""
    open_vectors = session.tools.open_vectors
    if open_vectors is None:
        return 0, 0
    tools = open_vectors()
    try:
        return _settle_all(session.catalog, tools, session.tools.progress)
    finally:
        tools.close()


def _settle_all(catalog: CatalogWriter, tools: VectorTools, progress: Progress) -> tuple[int, int]:
    wanted, held = catalog.child_ids(), set(tools.store.ids())
    missing, stray = wanted - held, held - wanted
    catalog.unsettle(sorted(missing | stray))
    settle(catalog, tools, progress, Tally())
    return len(missing), len(stray)
