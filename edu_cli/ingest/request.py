"""What an ingest is asked to do, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from edu_cli.config import SplitSettings
from edu_cli.ingest import FORMAT
from edu_cli.ingest.plan import Recipe
from edu_cli.ingest.storing import VectorTools
from edu_cli.ingest.workers.pool import Loaded
from edu_cli.protocols import IngestCatalog, Progress
from edu_cli.text import content_id
from edu_cli.types import Profile


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What is to be ingested, and how. No paths are all the earlier ones; `profile` None chooses one a document.

    `subject` None is the one that was given for the root before, else the first folder.
    """

    paths: tuple[Path, ...]
    project: Path
    split: SplitSettings
    tenant: str = ""
    subject: str | None = None
    profile: Profile | None = None
    ocr: str = "auto"
    force: bool = False
    prune: bool = True
    rebuild: bool = False

    def recipe(self) -> Recipe:
        """What makes documents of unchanged files differ."""
        sizes = (str(self.split.parent_chars), str(self.split.child_chars))
        text = content_id(FORMAT, self.profile or "auto", self.ocr, *sizes)
        return Recipe(text, self.subject, self.force, self.prune)


@dataclass(frozen=True, slots=True)
class IngestTools:
    """What ingest works with. `open_vectors` is None without an encoder.

    `store_mark` describes the store's files from outside: as long as it stays as the last run left it, the store is not
    opened when nothing has changed. "" says that it cannot be seen from outside: it is opened and counted each time.
    """

    catalog: IngestCatalog
    load_all: Callable[[Sequence[Path]], Iterator[Loaded]]
    open_vectors: Callable[[], VectorTools] | None
    store_mark: Callable[[], str]
    progress: Progress
