"""The project directory: find or create `.edu/`, name its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import NoProjectError, StoreError


@dataclass(frozen=True, slots=True)
class Project:
    """A project directory; every path that `edu` writes below it is named here."""

    root: Path

    @property
    def state(self) -> Path:
        """`.edu/`: everything that `edu` writes."""
        return self.root / ".edu"

    @property
    def catalog_path(self) -> Path:
        """Documents, parents, children and the records (SQLite)."""
        return self.state / "catalog.sqlite"

    @property
    def vectors_path(self) -> Path:
        """The vector cache (SQLite), by encoder fingerprint and text."""
        return self.state / "vectors.sqlite"

    @property
    def milvus_path(self) -> Path:
        """Milvus Lite's database (a directory)."""
        return self.state / "milvus.db"

    @property
    def copy_path(self) -> Path:
        """The memory-mapped copy of the vectors, which searches read (a directory)."""
        return self.state / "vectors"

    @property
    def bm25_path(self) -> Path:
        """The BM25 index and its fingerprint (a directory)."""
        return self.state / "bm25"

    @property
    def classifier_path(self) -> Path:
        """The project's own classifier, which takes the bundled one's place."""
        return self.state / "classifier.npz"

    @property
    def eval_path(self) -> Path:
        """What `edu eval` computed for each question, for --resume (a directory)."""
        return self.state / "eval"

    @property
    def lock_path(self) -> Path:
        """Who is writing."""
        return self.state / "lock"

    @property
    def socket_path(self) -> Path:
        """Where the warm process listens."""
        return self.state / "serve.sock"

    @property
    def serve_lock_path(self) -> Path:
        """Who is the warm process."""
        return self.state / "serve.lock"

    @property
    def prompts_path(self) -> Path:
        """The project's own prompts, which override the built-in ones."""
        return self.root / "prompts"


def find_project(chosen: str | None, environ: Mapping[str, str], cwd: Path) -> Project | None:
    """The project named by --project or EDU_PROJECT, else the nearest parent of `cwd` that holds `.edu/`, else None."""
    named = chosen or environ.get("EDU_PROJECT")
    if named:
        return Project((cwd / Path(named).expanduser()).resolve())
    for folder in (cwd, *cwd.parents):
        if (folder / ".edu").is_dir():
            return Project(folder)
    return None


def require_project(project: Project | None) -> Project:
    """The project, where it exists already. Raises NoProjectError."""
    if project is None:
        raise NoProjectError("No .edu/ was found in this folder or above it.", hint="run `edu ingest PATH` first")
    if not project.catalog_path.exists():
        raise NoProjectError(f"{project.state} holds no knowledge base.", hint="run `edu ingest PATH` first")
    return project


def create_state(project: Project) -> None:
    """Makes `.edu/` with a .gitignore that ignores all of it. Raises StoreError."""
    try:
        project.state.mkdir(parents=True, exist_ok=True)
        ignore = project.state / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{project.state} cannot be created: {error.strerror or error}.",
            hint="choose another folder with --project DIR",
        ) from error
