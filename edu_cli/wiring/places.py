"""Where a project's derived stores are, for those who write and those who read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.config import cache_dir
from edu_cli.errors import IndexMismatchError
from edu_cli.index.catalog import open_catalog
from edu_cli.index.refresh import check_lexical
from edu_cli.types import EncoderPin
from edu_cli.wiring.overview import lexical_place

if TYPE_CHECKING:
    from edu_cli.config import Settings
    from edu_cli.index.catalog import Catalog
    from edu_cli.index.milvus_connect import MilvusTarget
    from edu_cli.index.refresh import IndexReport
    from edu_cli.project import Project

NO_ENCODER = EncoderPin("none", "", 0)


def vectors_path(project: Project, settings: Settings) -> Path:
    """The vector cache: the project's own, or the one that projects share where EDU_CACHE_DIR is set."""
    return cache_dir(settings) / "vectors.sqlite" if settings.cache.dir else project.vectors_path


def milvus_target(project: Project, settings: Settings, project_id: str, pin: EncoderPin) -> MilvusTarget:
    """Where the project's vectors are kept; `project_id` tells it apart on a server that projects share."""
    from edu_cli.index.milvus import collection_name
    from edu_cli.index.milvus_connect import MilvusTarget

    milvus = settings.milvus
    return MilvusTarget(
        milvus.uri or str(project.milvus_path),
        collection_name(project_id if milvus.uri else "", pin.fingerprint),
        pin.dim,
        milvus.token,
        milvus.database,
        milvus.timeout_s,
        project.root / Path(milvus.ca).expanduser() if milvus.ca else None,
    )


def check_indexes(project: Project, settings: Settings, catalog: Catalog) -> IndexReport:
    """Whether the BM25 index is up to date."""
    return check_lexical(catalog, lexical_place(project, settings))


@contextmanager
def open_reader(project: Project) -> Iterator[Catalog]:
    """The catalog for reading."""
    catalog = open_catalog(project.catalog_path)
    try:
        yield catalog
    finally:
        catalog.close()


def check_encoder(project: Project, pinned: EncoderPin, wanted: str) -> None:
    """Raises IndexMismatchError where another encoder is configured than the project is bound to."""
    if wanted in ("auto", pinned.name):
        return
    holds = "has no vectors" if pinned.name == "none" else f"has vectors made by {pinned.name}"
    raise IndexMismatchError(
        f"{project.root} {holds}, and the encoder {wanted} is configured.",
        hint=f"`edu ingest PATH --rebuild` encodes everything by {wanted}; EDU_ENCODER={pinned.name} keeps it",
    )
