"""The catalog as ingest changes it: a batch of documents is swapped from old to new in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from edu_cli.index.catalog import Catalog
from edu_cli.index.database import Database
from edu_cli.index.row_sums import insert
from edu_cli.index.schema import APPLICATION_ID, CATALOG_STEPS
from edu_cli.types import CatalogDocument, EncoderPin, FileStamp, Root
from edu_cli.types.catalog_keys import ENCODER

_DOCUMENT_SQL = """INSERT INTO documents VALUES
  (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
   strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), row_sum(?1, ?3, ?4, ?5, ?14))"""


class CatalogWriter(Catalog):
    """Writes of the catalog, by the holder of the project's lock.

    `unsettled` is what makes a kill harmless: ids stand there from before they go to the vector store, or come out of
    it, until the store has flushed. What is left there by a run that was cut off is what must be looked at again.
    """

    def swap(self, documents: Sequence[CatalogDocument], gone: Sequence[str] = ()) -> list[str]:
        """Puts documents in the place of those with the same ids and drops the `gone`, all or nothing.

        Returns the ids of children that no longer exist; they are unsettled until `settle`.
        """
        with self.database.transaction() as connection:
            doc_ids = [document.doc_id for document in documents]
            old = self.children_of([*doc_ids, *gone])
            connection.executemany("DELETE FROM documents WHERE doc_id = ?", [(i,) for i in (*doc_ids, *gone)])
            for document in documents:
                _insert(connection, document)
            new = {c.child_id for d in documents for p in d.parents for c in p.children}
            dropped = sorted(old - new)
            self.unsettle(dropped)
        return dropped

    def restamp(self, stamps: Mapping[str, FileStamp]) -> None:
        """New stamps for documents (by id) whose file was touched but holds the same."""
        rows = [(*_stamp(stamp), doc_id) for doc_id, stamp in stamps.items()]
        sql = "UPDATE documents SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE doc_id = ?"
        self.database.write(sql, rows)

    def unsettle(self, child_ids: Sequence[str]) -> None:
        """Notes children whose vectors are about to be written or deleted."""
        self.database.write("INSERT OR IGNORE INTO unsettled VALUES (?)", [(i,) for i in child_ids])

    def settle(self, child_ids: Sequence[str]) -> None:
        """The store has flushed: these children are in it, or out of it, as the catalog says."""
        self.database.write("DELETE FROM unsettled WHERE child_id = ?", [(i,) for i in child_ids])

    def add_root(self, tenant: str, path: str, *, whole: bool, subject: str | None = None) -> Root:
        """The root of that tenant and path, made where there is none; once whole it stays whole.

        A `subject` replaces the one that the root had; None leaves it.
        """
        with self.database.transaction() as connection:
            connection.execute(
                """INSERT INTO roots (tenant, path, whole, subject) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
                   SET whole = max(whole, excluded.whole), subject = coalesce(excluded.subject, subject)""",
                (tenant, path, whole, subject),
            )
        return next(r for r in self.roots() if (r.tenant, r.path) == (tenant, path))

    def drop_empty_roots(self) -> None:
        """Forgets roots without documents."""
        with self.database.transaction() as connection:
            connection.execute("DELETE FROM roots WHERE root_id NOT IN (SELECT root_id FROM documents)")

    def pin(self, encoder: EncoderPin) -> None:
        """Binds the project to an encoder."""
        self.remember(ENCODER, json.dumps(asdict(encoder)))

    def remember(self, key: str, value: str) -> None:
        """Keeps a fact for later runs."""
        self.database.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(key, value)])


def open_catalog_writer(path: Path) -> CatalogWriter:
    """The catalog for writing, made where there is none. Raises as `open_catalog` does."""
    return CatalogWriter(Database(path, CATALOG_STEPS, APPLICATION_ID))


def _stamp(stamp: FileStamp) -> tuple[int, int, int, int]:
    return stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode


def _insert(connection: sqlite3.Connection, document: CatalogDocument) -> None:
    d = document
    values: tuple[Any, ...] = (
        *(d.doc_id, d.root_id, d.path, d.tenant, d.subject, *_stamp(d.stamp), d.content_hash, d.recipe, d.digest),
        *(d.format, d.title, d.encoding, d.pages, _json([asdict(page) for page in d.pages_ocr]), _json(d.warnings)),
        *(_json(dict(d.metadata)), d.profile, *(d.error or (None, None))),
    )
    connection.execute(_DOCUMENT_SQL, values)
    connection.executemany(
        insert("parents", 7, n_after=1),
        [
            (
                *(p.parent_id, d.doc_id, i, _json(p.parent.section), p.parent.page, p.parent.page_end, p.parent.text),
                len(p.children),
            )
            for i, p in enumerate(d.parents)
        ],
    )
    connection.executemany(insert("children", 9), _child_values(document))
    connection.executemany(
        insert("document_faq", 6),
        [(d.doc_id, i, e.question, e.answer, e.subject, e.line) for i, e in enumerate(d.faq)],
    )


def _child_values(document: CatalogDocument) -> Iterator[tuple[Any, ...]]:
    for parent in document.parents:
        for i, c in enumerate(parent.children):
            at = c.child
            yield parent.parent_id, i, c.child_id, at.start, at.end, at.page, at.page_end, at.lead, c.text_key


def _json(value: Any) -> str:
    """JSON with Chinese as it is; all ASCII where a lone surrogate (from a file's metadata) could not be stored."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
