"""The catalog's longer queries; where they read summed tables the last column says whether the row is sound."""

# every piece is a constant of ours, values are bound:
# ruff: noqa: S608
from __future__ import annotations

from edu_cli.index.row_sums import sound

_SOUND_PARENT = f"{sound('parents', 'p')} AND {sound('documents', 'd')}"
_PARENTS = f"""SELECT p.parent_id, d.doc_id, d.path, d.title, d.subject, p.section, p.page, p.page_end, p.text,
  {_SOUND_PARENT} AND p.n_children IS (SELECT count(*) FROM children c WHERE c.parent_id = p.parent_id)
  FROM parents p JOIN documents d USING (doc_id)"""
PARENTS_BY_ID = _PARENTS + " WHERE p.parent_id IN (SELECT value FROM json_each(?))"
PARENTS_OF = _PARENTS + " WHERE p.doc_id = ? ORDER BY p.ordinal"
SECTIONS_OF = f"SELECT p.section, {sound('parents', 'p')} FROM parents p WHERE p.doc_id = ? ORDER BY p.ordinal"
_SPANS = f"""SELECT c.parent_id, c.child_id, c.start, c."end", c.page, c.page_end, {sound("children", "c")}
  FROM children c WHERE c.parent_id IN"""
SPANS_BY_ID = _SPANS + " (SELECT value FROM json_each(?)) ORDER BY c.ordinal"
SPANS_OF = _SPANS + " (SELECT parent_id FROM parents WHERE doc_id = ?) ORDER BY c.ordinal"
_CHILDREN = f"""SELECT c.parent_id, c.child_id, c.start, c."end", c.page, c.page_end, c.lead, c.text_key,
  d.doc_id, d.path, d.title, d.subject, d.tenant, p.section, p.page, p.page_end, p.text,
  {sound("children", "c")} AND {_SOUND_PARENT}
  FROM children c JOIN parents p USING (parent_id) JOIN documents d USING (doc_id)"""
CHILDREN_BY_ID = (
    _CHILDREN
    + """ WHERE c.child_id IN (SELECT value FROM json_each(?))
  ORDER BY d.tenant, d.path, d.doc_id, p.ordinal, c.ordinal"""
)
CHILDREN_OF = _CHILDREN + " WHERE d.doc_id = ? ORDER BY p.ordinal, c.ordinal"
FAQ = f"""SELECT d.path, f.question, f.answer, f.subject, d.subject, f.line,
  {sound("document_faq", "f")} AND {sound("documents", "d")}
  FROM document_faq f JOIN documents d USING (doc_id) WHERE d.tenant = ? ORDER BY d.path, f.ordinal"""
KNOWN = """SELECT doc_id, root_id, path, size, mtime_ns, ctime_ns, inode, content_hash, recipe, subject, digest,
  error_code IS NOT NULL FROM documents WHERE root_id = ? ORDER BY path"""
PARENT_IDS_SCANNED = (
    "SELECT parent_id FROM parents NOT INDEXED WHERE parent_id || '' IN (SELECT value FROM json_each(?))"
)
PARENTS_SCANNED = f"SELECT p.parent_id, {sound('parents', 'p')} FROM parents p NOT INDEXED"
OWN_FAQ = f"""SELECT f.faq_id, f.subject, f.question, f.answer, f.source, {sound("faq", "f")} FROM faq f
  WHERE f.tenant = ? ORDER BY f.question, f.faq_id"""
ANSWER = f"SELECT a.value FROM answers a WHERE a.tenant = ? AND a.key = ? AND {sound('answers', 'a')}"
UNSOUND_PATHS = f"""SELECT path FROM documents WHERE doc_id IN (
    SELECT d.doc_id FROM documents d WHERE NOT ({sound("documents", "d")})
    UNION SELECT p.doc_id FROM parents p WHERE NOT ({sound("parents", "p")})
      OR p.n_children IS NOT (SELECT count(*) FROM children c WHERE c.parent_id = p.parent_id)
    UNION SELECT p.doc_id FROM children c JOIN parents p USING (parent_id) WHERE NOT ({sound("children", "c")})
    UNION SELECT f.doc_id FROM document_faq f WHERE NOT ({sound("document_faq", "f")})) ORDER BY path"""
UNSOUND_FAQ = f"SELECT f.faq_id FROM faq f WHERE NOT ({sound('faq', 'f')}) ORDER BY f.faq_id"
