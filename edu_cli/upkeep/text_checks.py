"""Whether the catalog's texts are those that were stored, and were made by this version of edu."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from edu_cli.index.catalog import Catalog
from edu_cli.index.queries import UNSOUND_PATHS
from edu_cli.ingest.split.splitter import encoding_text
from edu_cli.protocols import Progress
from edu_cli.text import content_id
from edu_cli.types import ChildRow, StoredParent
from edu_cli.upkeep.results import TEXTS, CheckResult
from edu_cli.upkeep.watched import watched

_FIX = "edu ingest --force reads the files again"


def check_texts(catalog: Catalog, progress: Progress) -> CheckResult:
    """Compares all rows with their sums; then computes all ids again, as `ingest.prepare` does.

    Where the sums hold and ids are others, another version of edu made them, which is no damage.
    """
    n_rows = catalog.counts()
    progress.start(TEXTS, n_rows["parents"] + n_rows["children"])
    n_documents = catalog.database.one("SELECT count(DISTINCT doc_id) FROM parents")
    if damaged := [row[0] for row in catalog.database.rows(UNSOUND_PATHS)]:
        message = f"those of {len(damaged)} of {n_documents} documents are not as they were stored: {damaged[0]}"
        return CheckResult(TEXTS, "fail", message, _FIX)
    parents, children = watched(catalog.export(), TEXTS, progress), watched(catalog.child_rows(), TEXTS, progress)
    if changed := {*_changed_parents(parents), *_changed_children(children)}:
        message = f"those of {len(changed)} of {n_documents} documents were stored by another version of edu"
        return CheckResult(TEXTS, "warn", message, _FIX)
    return CheckResult(TEXTS, "pass", f"those of {n_documents} documents are as they were stored")


def _changed_parents(parents: Iterable[StoredParent]) -> Iterator[str]:
    """Paths of documents with a parent whose id is not that of its text."""
    seen: Counter[tuple[str, str]] = Counter()
    for parent in parents:
        content = content_id(json.dumps(parent.section), parent.text)
        if parent.parent_id != content_id("parent", parent.doc_id, content, str(seen[parent.doc_id, content])):
            yield parent.doc
        seen[parent.doc_id, content] += 1


def _changed_children(children: Iterable[ChildRow]) -> Iterator[str]:
    return (row.doc for row in children if row.child_id != _child_id(row))


def _child_id(row: ChildRow) -> str:
    key = content_id(encoding_text(row.title, row.parent, row.child))
    return content_id("child", row.parent_id, row.subject, str(row.child.start), str(row.child.end), key)
