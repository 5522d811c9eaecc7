"""A project -> one file, and back: catalog with the records, vectors, settings and prompts; indexes are made again."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edu_cli import __version__
from edu_cli.config import Settings
from edu_cli.errors import EduError, StoreError, UsageError
from edu_cli.index.catalog import open_catalog
from edu_cli.index.catalog_write import CatalogWriter, open_catalog_writer
from edu_cli.index.lock import writer_lock
from edu_cli.project import Project, create_state
from edu_cli.protocols import Progress
from edu_cli.types import EncoderPin
from edu_cli.types.catalog_keys import PROJECT_ID, STORE_MARK
from edu_cli.upkeep import archive, snapshot
from edu_cli.upkeep.catalog_checks import check_sources
from edu_cli.wiring.ingesting import open_ingest
from edu_cli.wiring.mending import RESTORE_PREFIX, refill, restore_drafts
from edu_cli.wiring.places import NO_ENCODER, open_reader, vectors_path


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What went into a backup; `facts` are counts, encoder and corpus hash."""

    facts: dict[str, Any]
    files: tuple[str, ...]
    n_bytes: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What came out of a backup. `missing` tells why indexes could not be made again, "" where they were."""

    created: str
    facts: dict[str, Any]
    kept: tuple[str, ...]
    warnings: tuple[str, ...]
    missing: EduError | None


def back_up(
    project: Project, settings: Settings, target: Path, *, vectors: bool, progress: Progress | None = None
) -> BackupReport:
    """Writes the project as it is at one moment to `target`, whoever uses it meanwhile. Raises StoreError."""
    with open_reader(project):
        pass  # its format is checked, and brought up to date
    with _folder(target.parent, ".edu-backup-") as draft:
        copy = draft / archive.CATALOG
        snapshot.take(project.catalog_path, copy)
        files = {archive.CATALOG: copy}
        with closing(open_catalog(copy)) as catalog:
            snapshot.examine(catalog)
            pin = catalog.encoder() or NO_ENCODER
            facts: dict[str, Any] = {
                "edu": __version__,
                **catalog.counts(),
                "records": snapshot.record_counts(catalog),
                "vectors": 0,
                "encoder": asdict(pin),
                "corpus_hash": catalog.corpus_hash(),
            }
            cache = vectors_path(project, settings)
            if vectors and pin.dim and cache.exists():
                keys = catalog.text_keys_in_use()
                facts["vectors"] = _copy_vectors(cache, draft / archive.VECTORS, pin, keys, progress)
                files[archive.VECTORS] = draft / archive.VECTORS
        own, warnings = _own_files(project, settings)
        files |= own
        created = datetime.now(UTC).isoformat(timespec="seconds")
        n_bytes = archive.write_archive(target, files, facts, created, progress)
    return BackupReport(facts, tuple(files), n_bytes, tuple(warnings))


def restore(
    source: Path,
    project: Project,
    load_settings: Callable[[], Settings],
    progress: Progress,
    *,
    force: bool,
    lock_timeout_s: float,
) -> RestoreReport:
    """Makes the project what the backup holds. A kill at any moment leaves the old project, or one that
    `edu doctor --fix` completes.

    Settings are loaded after the backup's edu.toml is in place. Raises UsageError where there is a project already and
    not `force`, StoreError for a damaged backup; nothing has changed then.
    """
    archive.read_contents(source)
    _refuse_existing(project, force)
    had_state = project.state.exists()
    create_state(project)
    try:
        with writer_lock(project.lock_path, lock_timeout_s, progress.note):
            _refuse_existing(project, force)  # one may have been made while we waited
            return _restore(source, project, load_settings, progress, force=force)
    finally:
        if not had_state and not project.catalog_path.exists():
            shutil.rmtree(project.state, ignore_errors=True)


def _refuse_existing(project: Project, force: bool) -> None:
    if project.catalog_path.exists() and not force:
        raise UsageError(
            f"{project.root} holds a knowledge base already.",
            hint="--force replaces it, records included; --project DIR restores elsewhere",
        )


def _restore(
    source: Path, project: Project, load_settings: Callable[[], Settings], progress: Progress, *, force: bool
) -> RestoreReport:
    for left in restore_drafts(project):
        shutil.rmtree(left, ignore_errors=True)
    with _folder(project.state, RESTORE_PREFIX) as draft:
        contents = archive.extract(source, draft)
        pin, keys = _made_ready(draft / archive.CATALOG, _project_id(project), source)
        aside = snapshot.put(draft / archive.CATALOG, project.catalog_path)
        warnings = [f"the damaged catalog was put aside as {aside}"] if aside else []
        kept = _place(draft, [*contents.files], project, force=force)
        settings = load_settings()
        if archive.VECTORS in contents.files and pin and pin.dim:
            _copy_vectors(draft / archive.VECTORS, vectors_path(project, settings), pin, keys, progress)
    missing = _complete(project, settings, progress) if pin else None
    with open_reader(project) as catalog:
        sources = check_sources(catalog, project.root)
    if sources.status != "pass":
        warnings.append(f"files that were ingested are not here ({sources.message}): edu ingest needs them")
    return RestoreReport(contents.created, dict(contents.facts), tuple(kept), tuple(warnings), missing)


def _complete(project: Project, settings: Settings, progress: Progress) -> EduError | None:
    """Makes vectors and indexes from catalog and cache; why not all could be made.

    What counts is back by now; the rest can be made when the cause is gone.
    """
    missing: EduError | None = None
    try:
        with open_ingest(project, settings, progress) as session:
            try:
                refill(session, None if settings.milvus.uri else project.milvus_path)
            except EduError as error:
                missing = error
            session.refresh(False)
    except EduError as error:
        return missing or error
    return missing


def _made_ready(copy: Path, project_id: str, source: Path) -> tuple[EncoderPin | None, set[str]]:
    """Examines the catalog and notes that no vector store agrees with it yet; its encoder and its text keys.

    None is the encoder of a project that holds records only.
    """
    try:
        with closing(open_catalog_writer(copy)) as catalog:
            snapshot.examine(catalog)
            catalog.remember(PROJECT_ID, project_id)
            _doubt_vectors(catalog)
            return catalog.encoder(), catalog.text_keys_in_use()
    except StoreError as error:
        message = f"The catalog in {source} cannot be used, and nothing was restored: {error.message}"
        raise StoreError(message, hint="use another backup") from error


def _doubt_vectors(catalog: CatalogWriter) -> None:
    catalog.remember(STORE_MARK, "restored")
    catalog.unsettle(sorted(catalog.child_ids()))


def _project_id(project: Project) -> str:
    """The replaced project's, whose collection on a server is filled anew; else a new one.

    It is never the backup's own: the project that it was made of may live on, and its collection is not ours.
    """
    try:
        if project.catalog_path.exists():
            with open_reader(project) as catalog:
                return catalog.meta(PROJECT_ID) or uuid.uuid4().hex
    except EduError:
        pass
    return uuid.uuid4().hex


def _copy_vectors(source: Path, target: Path, pin: EncoderPin, text_keys: set[str], progress: Progress | None) -> int:
    from edu_cli.index.vector_cache import open_vector_cache

    with (
        closing(open_vector_cache(source, pin.fingerprint)) as old,
        closing(open_vector_cache(target, pin.fingerprint)) as new,
    ):
        return snapshot.copy_vectors(old, new, sorted(text_keys), progress)


def _own_files(project: Project, settings: Settings) -> tuple[dict[str, Path], list[str]]:
    """The project's settings, prompts and user dictionary by their names in the backup, and what cannot go in."""
    names = [archive.SETTINGS, *(f"prompts/{path.name}" for path in sorted(project.prompts_path.glob("*.md")))]
    if settings.lexical.user_dict:
        names.append(Path(settings.lexical.user_dict).as_posix())
    present = [name for name in names if (project.root / name).is_file()]
    refused = [name for name in present if not archive.may_be_kept(name)]
    files = {name: project.root / name for name in present if name not in refused}
    return files, [f"{name} is not in the backup: keep a copy of it" for name in refused]


def _place(draft: Path, names: list[str], project: Project, *, force: bool) -> list[str]:
    """Puts settings, prompts and dictionary in place; those that are there and differ are kept, unless `force`."""
    kept = []
    for name in names:
        if name in (archive.CATALOG, archive.VECTORS):
            continue
        target, fresh = project.root / name, draft / name
        if not target.parent.resolve().is_relative_to(project.root.resolve()):
            kept.append(name)  # a link leads out of the project
        elif target.exists() and target.read_bytes() == fresh.read_bytes():
            continue
        elif os.path.lexists(target) and not force:
            kept.append(name)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.replace(target)
    return kept


@contextmanager
def _folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder of our own that goes away. Raises StoreError."""
    try:
        draft = tempfile.TemporaryDirectory(dir=parent, prefix=prefix, ignore_cleanup_errors=True)
    except OSError as error:
        raise StoreError(
            f"{parent} cannot be written: {error.strerror or error}.", hint="choose another place"
        ) from error
    with draft as name:
        yield Path(name)
