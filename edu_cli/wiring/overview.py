"""What `edu status` tells of a project. No model, no Milvus and no index is opened."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli.config import cache_dir
from edu_cli.index.generations import facts_of
from edu_cli.index.lexical_place import LexicalPlace, lexical_fingerprint
from edu_cli.index.lock import holder
from edu_cli.index.overview import corpus_hash, open_catalog_file, outcomes, overview

if TYPE_CHECKING:
    from edu_cli.config import Settings
    from edu_cli.project import Project


def lexical_place(project: Project, settings: Settings) -> LexicalPlace:
    """Where the BM25 index is and what it is built with."""
    user_dict = settings.lexical.user_dict
    place = (project.root / user_dict) if user_dict else None
    return LexicalPlace(project.bm25_path, settings.lexical, place, cache_dir(settings))


def project_facts(project: Project, settings: Settings) -> dict[str, Any]:
    """The facts by the names that `edu status --json` has for them. Raises StoreError, ConfigError."""
    database = open_catalog_file(project.catalog_path)
    built = facts_of(project.bm25_path)
    try:
        corpus, ended = corpus_hash(database), outcomes(database)
        is_fresh = built.get("fingerprint") == lexical_fingerprint(corpus, lexical_place(project, settings))
        known = (built["rows"], built["children"]) if is_fresh and "children" in built else None
        facts = overview(database, known)
    finally:
        database.close()
    return {
        "project": str(project.root),
        **facts,
        "milvus": settings.milvus.uri or "lite",
        "bm25": "fresh" if is_fresh else "stale",
        "corpus_hash": corpus,
        "answers": _answers(ended),
        "bytes": _size(project.state),
        "lock": holder(project.lock_path),
    }


def _answers(ended: Any) -> dict[str, Any]:
    """What the kept traces tell: how many questions, and by route and by what answered."""
    if not ended:
        return {"total": 0, "tokens": 0, "by": []}
    from edu_cli.ask.usage import usage
    from edu_cli.types import Outcome

    found = usage([Outcome(*row) for row in ended])
    return {
        "total": sum(row.answers for row in found),
        "tokens": sum(row.tokens for row in found),
        "by": [{name: getattr(row, name) for name in row.__slots__} for row in found],
    }


def _size(folder: Path) -> int:
    """Bytes of all files below; what a writer removes meanwhile, or may not be looked at, counts nothing."""
    total, todo = 0, [str(folder)]
    while todo:
        with suppress(OSError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                elif entry.is_file():
                    with suppress(OSError):
                        total += entry.stat(follow_symlinks=False).st_size
    return total
