"""A folder that was ingested under another path: its documents go with it instead of standing there twice.

That is so after the folder was moved, and after the project was copied or moved and the folder was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from edu_cli.ingest.roots import Target, located
from edu_cli.ingest.scan import ScanResult
from edu_cli.types import KnownDocument, Root


def moved_roots(
    target: Target,
    found: ScanResult,
    roots: Sequence[Root],
    project: Path,
    known_of: Callable[[int], Sequence[KnownDocument]],
) -> list[tuple[Root, Sequence[KnownDocument]]]:
    """The roots that are gone and now are the target, with their documents: most of these stand here, of the same size.

    Only for a target that is new; a folder that is gone for another reason is left alone.
    """
    if target.root:
        return []
    sizes = {target.document_path(file.rel): file.size for file in found.files}
    moved = []
    for root in roots:
        if root.tenant == target.tenant and root.whole == target.whole and not located(root, project).exists():
            known = known_of(root.root_id)
            here = [document for document in known if sizes.get(document.path) == document.stamp.size]
            if 2 * len(here) > len(known):
                moved.append((root, known))
    return moved
