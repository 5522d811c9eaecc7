"""The catalog's tables, as the ordered list of steps that made them. A released step is never edited; add another."""

from __future__ import annotations

from edu_cli.index.row_sums import ADD_SUMS
from edu_cli.index.schema_records import RECORDS

APPLICATION_ID = 0x65647501  # "edu" + 1: tells our files from other SQLite files
VECTORS_ID = 0x65647502

_DOCUMENTS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE roots (
  root_id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, path TEXT NOT NULL, whole INTEGER NOT NULL, UNIQUE (tenant, path));
CREATE TABLE documents (
  doc_id TEXT PRIMARY KEY, root_id INTEGER NOT NULL REFERENCES roots, path TEXT NOT NULL,
  tenant TEXT NOT NULL, subject TEXT NOT NULL,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  content_hash TEXT NOT NULL, recipe TEXT NOT NULL, digest TEXT NOT NULL,
  format TEXT NOT NULL, title TEXT NOT NULL, encoding TEXT, pages INTEGER, pages_ocr TEXT NOT NULL,
  warnings TEXT NOT NULL, metadata TEXT NOT NULL, profile TEXT NOT NULL,
  error_code TEXT, error_message TEXT, updated_at TEXT NOT NULL, UNIQUE (root_id, path));
CREATE INDEX documents_subject ON documents (tenant, subject);
CREATE TABLE parents (
  parent_id TEXT PRIMARY KEY, doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE, ordinal INTEGER NOT NULL,
  section TEXT NOT NULL, page INTEGER, page_end INTEGER, text TEXT NOT NULL);
CREATE UNIQUE INDEX parents_document ON parents (doc_id, ordinal);
CREATE TABLE children (
  parent_id TEXT NOT NULL REFERENCES parents ON DELETE CASCADE, ordinal INTEGER NOT NULL, child_id TEXT NOT NULL UNIQUE,
  start INTEGER NOT NULL, "end" INTEGER NOT NULL, page INTEGER, page_end INTEGER, lead TEXT NOT NULL,
  text_key TEXT NOT NULL, PRIMARY KEY (parent_id, ordinal)) WITHOUT ROWID;
CREATE TABLE document_faq (
  doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE, ordinal INTEGER NOT NULL, question TEXT NOT NULL,
  answer TEXT NOT NULL, subject TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (doc_id, ordinal)) WITHOUT ROWID;
CREATE TABLE unsettled (child_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIEW parent_rows AS
  SELECT p.parent_id, d.doc_id, d.path, d.title, d.subject, p.section, p.page, p.page_end, p.text, p.ordinal
  FROM parents p JOIN documents d USING (doc_id);
CREATE VIEW child_rows AS
  SELECT c.parent_id, c.child_id, c.start, c."end", c.page, c.page_end, c.lead, c.text_key,
    d.doc_id, d.path, d.title, d.subject, d.tenant, p.section, p.page AS parent_page, p.page_end AS parent_page_end,
    p.text, p.ordinal AS parent_ordinal, c.ordinal
  FROM children c JOIN parents p USING (parent_id) JOIN documents d USING (doc_id);
"""

_VECTORS = """
CREATE TABLE encoders (encoder INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
CREATE TABLE vectors (
  vector INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, text_key TEXT NOT NULL,
  dense BLOB NOT NULL, term_ids BLOB NOT NULL, weights BLOB NOT NULL);
CREATE UNIQUE INDEX vectors_text ON vectors (encoder, text_key);
"""

_ROOT_SUBJECTS = "ALTER TABLE roots ADD COLUMN subject TEXT;"

_SUMS = "DROP VIEW parent_rows; DROP VIEW child_rows;\n" + ADD_SUMS
_SPANS = """
ALTER TABLE parents ADD COLUMN n_children INTEGER;
UPDATE parents SET n_children = (SELECT count(*) FROM children WHERE children.parent_id = parents.parent_id);
"""
_VECTOR_SUMS = """
ALTER TABLE vectors ADD COLUMN sum INTEGER;
UPDATE vectors SET sum = blob_sum(dense, term_ids, weights);
"""

CATALOG_STEPS: tuple[str, ...] = (_DOCUMENTS, RECORDS, _ROOT_SUBJECTS, _SUMS, _SPANS)
VECTOR_STEPS: tuple[str, ...] = (_VECTORS, _VECTOR_SUMS)
