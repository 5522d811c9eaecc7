"""PATHs -> targets: which root each belongs to, so that a document keeps its path however its folder is named again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import UsageError
from edu_cli.ingest.scan import ScanResult, Skipped, scan, shown
from edu_cli.prompts import is_override
from edu_cli.types import Root


@dataclass(frozen=True, slots=True)
class Target:
    """A PATH as it will be ingested.

    `root_path` is relative to the project (so that both may move together); `part` is the PATH below the root, "" for
    the root itself. `absorbed` are earlier roots below it, whose documents it takes over, each with its path below it.
    """

    location: Path
    tenant: str
    root_path: str
    part: str
    is_file: bool
    root: Root | None
    absorbed: tuple[tuple[Root, str], ...]

    @property
    def whole(self) -> bool:
        """Whether the root is a folder that was given as such."""
        return not self.is_file

    def covers(self, path: str) -> bool:
        """Whether a document path of the root belongs to this target."""
        return not self.part or path == self.part or (not self.is_file and path.startswith(self.part + "/"))

    def document_path(self, rel: str) -> str:
        """The document path of a file that `scan` found at `rel`."""
        if self.is_file:
            return self.part
        return f"{self.part}/{rel}" if self.part else rel


def targets_of(paths: Sequence[Path], project: Path, tenant: str, roots: Sequence[Root]) -> list[Target]:
    """One target a PATH; a PATH that lies in another one given, or comes twice, is left out.

    A PATH inside an earlier root is a part of it, one around earlier roots absorbs them, and a file has its folder as
    root. Raises UsageError for a PATH that does not exist and belongs to no earlier root.
    """
    mine = [root for root in roots if root.tenant == tenant]
    targets: list[Target] = []
    real = dict.fromkeys(_real(path) for path in paths)
    for path in sorted(real, key=lambda p: (len(p.parts), str(p))):
        if not any(_within(path, other.location) and not other.is_file for other in targets):
            targets.append(_target(path, project, tenant, mine))
    return targets


def earlier_paths(
    project: Path, tenant: str, roots: Sequence[Root], files_of: Callable[[int], list[str]]
) -> tuple[list[Path], list[str]]:
    """Every PATH that the tenant has ingested before, and a warning for each folder of them that is gone.

    `files_of` gives the document paths of a root of which only files were given.
    """
    found: list[Path] = []
    warnings: list[str] = []
    for root in roots:
        if root.tenant != tenant:
            continue
        folder = located(root, project)
        if not root.whole:
            found += [folder / path for path in files_of(root.root_id)]
        elif folder.is_dir():
            found.append(folder)
        else:
            warnings.append(f"{folder} is gone; its documents are kept until `edu docs remove` or an ingest of it")
    return found, warnings


def scan_target(target: Target) -> ScanResult:
    """The files of a target; none where it was deleted, since what is gone is to be removed.

    Where the project's folder is ingested itself, its settings and prompts are left out.
    """
    if not os.path.lexists(target.location):
        return ScanResult((), ())
    found = scan(target.location)
    others = [s for s in found.skipped if s.rel.rsplit("/", 1)[-1] != ".edu"]  # our own: nobody expects it to go in
    own = [file.rel for file in found.files if _is_own(target, file.rel)]
    files = tuple(file for file in found.files if file.rel not in own)
    others += [Skipped(rel, "a file of edu's own") for rel in own]
    return ScanResult(files, _below_root(target, others), _below_root(target, found.unseen))


def _is_own(target: Target, rel: str) -> bool:
    path = target.document_path(rel)
    return target.root_path == "." and not target.is_file and (path == "edu.toml" or is_override(path))


def _below_root(target: Target, skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
    """With document paths; the target's own folder has its own, "" for the root."""
    return tuple(Skipped(target.document_path(s.rel) if s.rel else target.part, s.reason) for s in skipped)


def located(root: Root, project: Path) -> Path:
    """Where a root is now, whether it exists or not."""
    return Path(os.path.normpath(project / root.path))


def _target(path: Path, project: Path, tenant: str, roots: Sequence[Root]) -> Target:
    at = {root.path: root for root in roots}
    exists = os.path.lexists(path)
    is_folder = path.is_dir()
    for folder in (path, *path.parents):
        root = at.get(_root_path(folder, project))
        if root and (root.whole or folder == path or (folder == path.parent and not is_folder)):
            part = "" if folder == path else shown(path.relative_to(folder).as_posix())
            if not exists and not part:
                break
            is_file = not is_folder and bool(part)
            return Target(path, tenant, root.path, part, is_file, root, _below(path, root, project, roots))
    if not exists:
        raise UsageError(
            f"{shown(str(path))} does not exist.",
            hint="name an existing file or folder; `edu docs remove` forgets documents whose folder is gone",
        )
    if not is_folder:
        return Target(path, tenant, _root_path(path.parent, project), shown(path.name), True, None, ())
    return Target(path, tenant, _root_path(path, project), "", False, None, _below(path, None, project, roots))


def _below(path: Path, own: Root | None, project: Path, roots: Sequence[Root]) -> tuple[tuple[Root, str], ...]:
    inner = [(root, located(root, project)) for root in roots if root != own]
    return tuple((root, at.relative_to(path).as_posix()) for root, at in inner if path in at.parents)


def _real(path: Path) -> Path:
    """Absolute, with links resolved in its folder but not in itself: a link to a file keeps its own name."""
    whole = path.expanduser().absolute()
    return whole.resolve() if whole.is_dir() else whole.parent.resolve() / whole.name


def _root_path(folder: Path, project: Path) -> str:
    try:
        return shown(Path(os.path.relpath(folder, project)).as_posix())
    except ValueError:  # another drive on Windows
        return shown(folder.as_posix())


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents
