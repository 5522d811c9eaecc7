"""The catalog as readers see it: documents, parents, children, scopes. It is the truth; stores are made from it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edu_cli import types
from edu_cli.index import overview, queries
from edu_cli.index.row_sums import checked, damaged
from edu_cli.text import content_id
from edu_cli.types.catalog_keys import ENCODER

if TYPE_CHECKING:
    from edu_cli.index.database import Database
    from edu_cli.types import (
        ChildRow,
        EncoderPin,
        FaqEntry,
        IndexRow,
        KnownDocument,
        Root,
        StoredChild,
        StoredParent,
    )

_PAGE = 500  # parents a query when the whole corpus is walked: memory stays flat
_INDEX_CHILDREN = """SELECT c.child_id, c.parent_id, d.doc_id, d.subject, d.tenant, c.text_key
  FROM documents d JOIN parents p USING (doc_id) JOIN children c USING (parent_id)
  WHERE d.doc_id IN (SELECT value FROM json_each(?))"""
_INDEX_PARENTS = """SELECT p.parent_id, d.doc_id, d.subject, d.tenant, d.title
  FROM documents d JOIN parents p USING (doc_id) WHERE d.doc_id IN (SELECT value FROM json_each(?))"""


class Catalog:
    """Reads of the catalog; `CatalogWriter` adds the writes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # --- what retrieval reads

    def parents(self, parent_ids: Sequence[str]) -> dict[str, StoredParent]:
        """The parents that exist, by id, in the order asked for. Raises StoreError for damaged ones."""
        wanted = json.dumps(list(dict.fromkeys(parent_ids)))
        rows = self._sound_rows(queries.PARENTS_BY_ID, wanted)
        children = _grouped(self._sound_rows(queries.SPANS_BY_ID, wanted))
        if len(rows) < len(set(parent_ids)):
            self._check_absent(wanted)
        found = {row[0]: _stored_parent(row, children.get(row[0], ())) for row in rows}
        return {parent_id: found[parent_id] for parent_id in parent_ids if parent_id in found}

    def sections(self, doc_id: str) -> list[tuple[str, ...]]:
        """The section path of each of a document's parents, in order. Raises StoreError for damaged ones."""
        return [tuple(json.loads(row[0])) for row in self._sound_rows(queries.SECTIONS_OF, doc_id)]

    def text_keys(self, child_ids: Sequence[str]) -> dict[str, str]:
        """Keys of the children's encoding texts in the vector cache, by child id."""
        wanted = json.dumps(list(child_ids))
        rows = self.database.rows(
            "SELECT child_id, text_key FROM children WHERE child_id IN (SELECT value FROM json_each(?))", (wanted,)
        )
        return dict(rows)

    def export(self, doc_ids: Sequence[str] | None = None) -> Iterator[StoredParent]:
        """Every parent in document order (path, then place in the document), read a piece at a time."""
        for doc_id in self._ordered_ids() if doc_ids is None else doc_ids:
            children = _grouped(self._sound_rows(queries.SPANS_OF, doc_id))
            for row in self._sound_rows(queries.PARENTS_OF, doc_id):
                yield _stored_parent(row, children.get(row[0], ()))

    # --- what the stores are made from

    def child_rows(self, child_ids: Sequence[str] | None = None) -> Iterator[ChildRow]:
        """Children (all, or those of the given ids that exist) in document order, read a piece at a time."""
        if child_ids is None:
            for doc_id in self._ordered_ids():
                yield from map(_child_row, self._sound_rows(queries.CHILDREN_OF, doc_id))
            return
        for start in range(0, len(child_ids), _PAGE):
            wanted = json.dumps(list(child_ids[start : start + _PAGE]))
            yield from map(_child_row, self._sound_rows(queries.CHILDREN_BY_ID, wanted))

    def digests(self) -> dict[str, str]:
        """Of every document that can be found, by id, a hash that depends on all that was stored of it."""
        return dict(self.database.rows("SELECT doc_id, digest FROM documents WHERE error_code IS NULL"))

    def index_children(self, doc_ids: Sequence[str]) -> Iterator[IndexRow]:
        """The children of some documents as rows of a derived index; no text is read."""
        return map(types.IndexRow._make, self._rows_of(_INDEX_CHILDREN, doc_ids))

    def index_parents(self, doc_ids: Sequence[str]) -> Iterator[IndexRow]:
        """The parents of some documents as rows of a derived index, their ids in the place of a child's.

        No text is read: a parent's id depends on its section and text, so that with the title it is the key of what is
        indexed.
        """
        for p, doc, subject, tenant, title in self._rows_of(_INDEX_PARENTS, doc_ids):
            yield types.IndexRow(p, p, doc, subject, tenant, content_id(p, title))

    def _rows_of(self, sql: str, doc_ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query over documents, a piece at a time."""
        for start in range(0, len(doc_ids), _PAGE):
            yield from self.database.rows(sql, (json.dumps(list(doc_ids[start : start + _PAGE])),))

    def child_ids(self) -> set[str]:
        """The ids of all children."""
        return {row[0] for row in self.database.rows("SELECT child_id FROM children")}

    def text_keys_in_use(self) -> set[str]:
        """Keys of all children's encoding texts."""
        return {row[0] for row in self.database.rows("SELECT DISTINCT text_key FROM children")}

    def corpus_hash(self) -> str:
        """Depends on every text, path, subject and tenant that can be found; equal corpora have equal hashes."""
        return overview.corpus_hash(self.database)

    # --- what planning reads

    def roots(self) -> list[Root]:
        """Every PATH that was ingested."""
        rows = self.database.rows("SELECT root_id, tenant, path, whole, subject FROM roots ORDER BY path, tenant")
        return [
            types.Root(root_id, tenant, path, bool(whole), subject) for root_id, tenant, path, whole, subject in rows
        ]

    def known(self, root_id: int) -> list[KnownDocument]:
        """All documents of a root, failed ones included, by path."""
        rows = self.database.rows(queries.KNOWN, (root_id,))
        return [
            types.KnownDocument(
                r[0], r[1], r[2], types.FileStamp(r[3], r[4], r[5], r[6]), r[7], r[8], r[9], r[10], r[11] == 1
            )
            for r in rows
        ]

    def unsettled(self) -> list[str]:
        """Ids of children that the vector store may hold or lack wrongly, since a run was cut off."""
        return [row[0] for row in self.database.rows("SELECT child_id FROM unsettled")]

    def children_of(self, doc_ids: Sequence[str]) -> set[str]:
        """Ids of the children of some documents."""
        rows = self.database.rows(
            """SELECT child_id FROM children JOIN parents USING (parent_id)
               WHERE doc_id IN (SELECT value FROM json_each(?))""",
            (json.dumps(list(doc_ids)),),
        )
        return {row[0] for row in rows}

    # --- small facts

    def counts(self) -> dict[str, int]:
        """Numbers of documents (failed ones apart), parents, children and FAQ entries."""
        return overview.counts(self.database)

    def n_children(self) -> int:
        """How many vectors the store must hold."""
        return self.database.one("SELECT count(*) FROM children")

    def encoder(self) -> EncoderPin | None:
        """The encoder that the project is pinned to, None before the first ingest."""
        value = self.meta(ENCODER)
        return types.EncoderPin(**json.loads(value)) if value else None

    def meta(self, key: str) -> str | None:
        """A remembered fact, such as the state of the store after the last ingest."""
        return self.database.one("SELECT value FROM meta WHERE key = ?", (key,))

    def faq(self, tenant: str, subject: str | None = None) -> list[tuple[str, FaqEntry]]:
        """Entries of ingested FAQ tables, each with its document's path, in document order."""
        rows = self._sound_rows(queries.FAQ, tenant)
        entries = [(path, types.FaqEntry(q, a, own or outer, line)) for path, q, a, own, outer, line, _ in rows]
        return [(path, entry) for path, entry in entries if subject is None or entry.subject == subject]

    def close(self) -> None:
        """Closes the file."""
        self.database.close()

    def _sound_rows(self, sql: str, parameter: str) -> list[tuple[Any, ...]]:
        return checked(self.database.rows(sql, (parameter,)), self.database.path)

    def _check_absent(self, wanted: str) -> None:
        """Raises StoreError where parents that are not found are there all the same: an index of SQLite's is damaged.

        Those that an ingest has just removed are not there in either way.
        """
        if len(self.database.rows(queries.PARENT_IDS_SCANNED, (wanted,))) > len(
            self.database.rows(queries.PARENTS_BY_ID, (wanted,))
        ):
            raise damaged(self.database.path, "passages that it holds are not found")
        checked(self.database.rows(queries.PARENTS_SCANNED), self.database.path)

    def _ordered_ids(self) -> list[str]:
        sql = "SELECT doc_id FROM documents ORDER BY tenant, path, doc_id"
        return [row[0] for row in self.database.rows(sql)]


def open_catalog(path: Path) -> Catalog:
    """The catalog for reading. Raises StoreError, and IndexMismatchError for a newer format."""
    return Catalog(overview.open_catalog_file(path))


def _stored_parent(row: tuple[Any, ...], children: tuple[StoredChild, ...]) -> StoredParent:
    parent_id, doc_id, doc, title, subject, section, page, page_end, text, _sound = row
    return types.StoredParent(
        parent_id, doc_id, doc, title, subject, tuple(json.loads(section)), page, page_end, text, children
    )


def _grouped(spans: list[tuple[Any, ...]]) -> dict[str, tuple[StoredChild, ...]]:
    grouped: dict[str, list[StoredChild]] = defaultdict(list)
    for parent_id, *span, _sound in spans:
        grouped[parent_id].append(types.StoredChild(*span))
    return {parent_id: tuple(children) for parent_id, children in grouped.items()}


def _child_row(row: tuple[Any, ...]) -> ChildRow:
    parent_id, child_id, start, end, page, page_end, lead, key = row[:8]
    doc_id, doc, title, subject, tenant, section, first, last, text = row[8:17]
    parent = types.Parent(tuple(json.loads(section)), text, first, last, ())
    child = types.Child(start, end, page, page_end, lead)
    return types.ChildRow(child_id, parent_id, doc_id, doc, title, subject, tenant, parent, child, key)
