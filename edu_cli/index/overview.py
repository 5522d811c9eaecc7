"""What `edu status` tells of a catalog, by queries over its whole tables; no row of text is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edu_cli.index.database import Database
from edu_cli.index.schema import APPLICATION_ID, CATALOG_STEPS
from edu_cli.text import content_id
from edu_cli.types.catalog_keys import ENCODER, RUN

_COUNTS = """SELECT (SELECT count(*) FROM documents WHERE error_code IS NULL),
  (SELECT count(*) FROM documents WHERE error_code IS NOT NULL),
  (SELECT count(*) FROM document_faq) + (SELECT count(*) FROM faq)"""
_TEXT_COUNTS = "SELECT (SELECT count(*) FROM parents), (SELECT count(*) FROM children)"
_SUBJECTS = """SELECT tenant, subject, count(*) FROM documents WHERE error_code IS NULL
  GROUP BY tenant, subject ORDER BY tenant, subject"""
_OUTCOMES = """SELECT route, mode, coalesce(json_extract(answer, '$.refused'), 0),
  json_extract(answer, '$.error') IS NOT NULL, seconds, calls, tokens FROM traces ORDER BY trace_id"""


def open_catalog_file(path: Path) -> Database:
    """The catalog's file. Raises StoreError, and IndexMismatchError for a newer format."""
    return Database(path, CATALOG_STEPS, APPLICATION_ID)


def counts(database: Database, texts: tuple[int, int] | None = None) -> dict[str, int]:
    """Numbers of documents (failed ones apart), parents, children and FAQ entries.

    `texts` are those of parents and children where they are known: counting them takes 10 ms for 100,000.
    """
    ((documents, failed, faq),) = database.rows(_COUNTS)
    ((parents, children),) = [texts] if texts else database.rows(_TEXT_COUNTS)
    return {"documents": documents, "failed": failed, "parents": parents, "children": children, "faq": faq}


def corpus_hash(database: Database) -> str:
    """Depends on every text, path, subject and tenant that can be found; equal corpora have equal hashes."""
    rows = database.rows("SELECT digest FROM documents WHERE error_code IS NULL ORDER BY digest")
    return content_id(*(row[0] for row in rows))


def outcomes(database: Database) -> Sequence[tuple[Any, ...]]:
    """How each kept question of any tenant ended, the oldest first, as the fields of types.Outcome."""
    return [(row[0], row[1], bool(row[2]), bool(row[3]), *row[4:]) for row in database.rows(_OUTCOMES)]


def overview(database: Database, texts: tuple[int, int] | None) -> dict[str, Any]:
    """What is in the catalog: numbers, paths, tenants with their subjects, and the encoder that it is bound to.

    `texts` as for `counts`.
    """
    subjects: dict[str, dict[str, int]] = {}
    for tenant, subject, n in database.rows(_SUBJECTS):
        subjects.setdefault(tenant, {})[subject] = n
    pin = database.one("SELECT value FROM meta WHERE key = ?", (ENCODER,))
    pinned = json.loads(pin) if pin else None
    return {
        **counts(database, texts),
        "roots": [
            {"path": path, "tenant": tenant}
            for path, tenant in database.rows("SELECT path, tenant FROM roots ORDER BY path, tenant")
        ],
        "tenants": {tenant: sum(found.values()) for tenant, found in subjects.items()},
        "subjects": subjects,
        "encoder": {"name": pinned["name"], "dim": pinned["dim"], "sparse": pinned["dim"] > 0} if pinned else None,
        "unsettled": database.one("SELECT count(*) FROM unsettled"),
        "cut_off": bool(database.one("SELECT value FROM meta WHERE key = ?", (RUN,))),
    }
