"""Documents as people name them: listings, and scopes from globs and filters."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edu_cli.errors import UsageError
from edu_cli.text import nearest
from edu_cli.types import OcrPage, Scope

if TYPE_CHECKING:
    from edu_cli.index.catalog import Catalog

_ALL = """SELECT d.doc_id, d.path, r.path, d.tenant, d.subject, d.format, d.title, d.encoding, d.pages, d.pages_ocr,
    d.warnings, d.metadata, d.profile, d.error_code, d.error_message, d.size, d.updated_at,
    (SELECT count(*) FROM parents p WHERE p.doc_id = d.doc_id),
    (SELECT count(*) FROM children c JOIN parents p USING (parent_id) WHERE p.doc_id = d.doc_id)
  FROM documents d JOIN roots r USING (root_id)
  WHERE (:tenant IS NULL OR d.tenant = :tenant) AND (:subject IS NULL OR d.subject = :subject)
    AND (:glob IS NULL OR d.path GLOB :glob OR d.path = :glob OR d.doc_id = :glob)
  ORDER BY d.tenant, d.path, d.doc_id"""
_FEW = 20  # names that are told in a hint
_COLUMNS = (
    *("doc_id", "path", "root", "tenant", "subject", "format", "title", "encoding", "pages", "pages_ocr", "warnings"),
    *("metadata", "profile", "error_code", "error_message", "size", "updated_at", "parents", "children"),
)
_IDS = """SELECT d.doc_id FROM documents d WHERE d.tenant = :tenant AND d.error_code IS NULL
    AND (:glob IS NULL OR d.path GLOB :glob OR d.path = :glob)"""
_BY_METADATA = """SELECT d.doc_id FROM documents d, json_each(d.metadata) m
  WHERE d.tenant = ? AND m.value = ? AND m.key = ?"""
_BY_COLUMN = {
    "format": "SELECT doc_id FROM documents WHERE tenant = ? AND format = ?",
    "subject": "SELECT doc_id FROM documents WHERE tenant = ? AND subject = ?",
    "profile": "SELECT doc_id FROM documents WHERE tenant = ? AND profile = ?",
    "title": "SELECT doc_id FROM documents WHERE tenant = ? AND title = ?",
    "encoding": "SELECT doc_id FROM documents WHERE tenant = ? AND encoding = ?",
}
_IS_TENANT = """SELECT 1 FROM documents WHERE tenant = :tenant AND error_code IS NULL
  UNION ALL SELECT 1 FROM faq WHERE tenant = :tenant LIMIT 1"""
_KEYS = "SELECT DISTINCT m.key FROM documents d, json_each(d.metadata) m WHERE d.tenant = ?"


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document of the catalog. `root` is the PATH it came by, relative to the project; sizes are in bytes."""

    doc_id: str
    path: str
    root: str
    tenant: str
    subject: str
    format: str
    title: str
    encoding: str | None
    pages: int | None
    pages_ocr: tuple[OcrPage, ...]
    warnings: tuple[str, ...]
    metadata: Mapping[str, str]
    profile: str
    error: tuple[str, str] | None
    size: int
    updated_at: str
    parents: int
    children: int


def documents(
    catalog: Catalog, *, tenant: str | None = None, subject: str | None = None, glob: str | None = None
) -> list[DocumentRecord]:
    """Documents by path, failed ones included. `glob` matches paths (`*` also across `/`), or is a path or an id."""
    rows = catalog.database.rows(_ALL, {"tenant": tenant, "subject": subject, "glob": glob})
    return [_record(row) for row in rows]


def check_names(catalog: Catalog, tenant: str | None, subject: str | None) -> None:
    """Raises UsageError for a tenant or subject that no document has, with the nearest; None is any."""
    known = tenants(catalog)
    if tenant is not None and known and tenant not in known:
        raise _unknown_tenant(tenant, known)
    if subject is not None:
        wanted = known if tenant is None else [tenant]
        _check_subject([name for one in wanted for name in subjects(catalog, one)], subject)


def scope_of(
    catalog: Catalog,
    tenant: str = "",
    *,
    subject: str | None = None,
    doc_glob: str | None = None,
    filters: Sequence[str] = (),
) -> Scope:
    """The scope of a search. Each filter is `key=value`; values of one key are alternatives, keys must all hold.

    Raises UsageError for a tenant, subject, glob or key that no document has, and for a filter that is none. A tenant
    may have FAQ entries alone.
    """
    if not catalog.database.rows(_IS_TENANT, {"tenant": tenant}) and (known := tenants(catalog)):
        raise _unknown_tenant(tenant, known)
    if subject is not None:
        _check_subject(subjects(catalog, tenant), subject)
    if doc_glob is None and not filters:
        return Scope(tenant, subject)
    ids = {row[0] for row in catalog.database.rows(_IDS, {"tenant": tenant, "glob": doc_glob})}
    if doc_glob is not None and not ids:
        raise UsageError(f"No document matches {doc_glob!r}.", hint=_near_path(catalog, tenant, doc_glob))
    by_key: dict[str, set[str]] = {}
    for text in filters:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"The filter {text!r} is not of the form key=value.", hint="such as --filter format=pdf")
        by_key.setdefault(key, set()).update(_matching(catalog, tenant, key, value))
    for found in by_key.values():
        ids &= found
    return Scope(tenant, subject, frozenset(ids))


def _near_path(catalog: Catalog, tenant: str, glob: str) -> str:
    paths = [record.path for record in documents(catalog, tenant=tenant) if not record.error]
    folders = {f"{path.rsplit('/', 1)[0]}/*" for path in paths if "/" in path}
    near = nearest(glob, [*paths, *sorted(folders)])
    return f"did you mean {near!r}?" if near else "`edu docs list` lists them all"


def _meant(wanted: str, known: Iterable[str]) -> str:
    """What to write instead: the nearest name, else all of them where they are few."""
    names = sorted(filter(None, known))
    if near := nearest(wanted, names):
        return f"did you mean {near!r}? `edu status` lists them"
    if not names:
        return "none has any here; leave the flag out"
    return f"there are: {', '.join(names)}" if len(names) <= _FEW else "`edu status` lists them"


def _unknown_tenant(tenant: str, known: Collection[str]) -> UsageError:
    if not tenant:
        hint = f"name one: --tenant {min(known)}; `edu status` lists them"
        return UsageError("Each document here belongs to a tenant.", hint=hint)
    return UsageError(f"No document has the tenant {tenant!r}.", hint=_meant(tenant, known))


def _check_subject(known: Collection[str], subject: str) -> None:
    if known and subject not in known:
        raise UsageError(f"No document has the subject {subject!r}.", hint=_meant(subject, known))


def subjects(catalog: Catalog, tenant: str = "") -> dict[str, int]:
    """Documents by subject, failed ones left out."""
    rows = catalog.database.rows(
        """SELECT subject, count(*) FROM documents WHERE tenant = ? AND error_code IS NULL
           GROUP BY subject ORDER BY subject""",
        (tenant,),
    )
    return dict(rows)


def tenants(catalog: Catalog) -> dict[str, int]:
    """Documents by tenant, failed ones left out."""
    rows = catalog.database.rows(
        "SELECT tenant, count(*) FROM documents WHERE error_code IS NULL GROUP BY tenant ORDER BY tenant"
    )
    return dict(rows)


def _matching(catalog: Catalog, tenant: str, key: str, value: str) -> set[str]:
    if key in _BY_COLUMN:
        return {row[0] for row in catalog.database.rows(_BY_COLUMN[key], (tenant, value))}
    known = sorted({*_BY_COLUMN, *(row[0] for row in catalog.database.rows(_KEYS, (tenant,)))})
    if key not in known:
        meant = f"did you mean {near!r}? " if (near := nearest(key, known)) else ""
        raise UsageError(f"No document has the key {key!r} to filter by.", hint=f"{meant}There are: {', '.join(known)}")
    return {row[0] for row in catalog.database.rows(_BY_METADATA, (tenant, value, key))}


def _record(row: tuple[Any, ...]) -> DocumentRecord:
    values: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    code, message = values.pop("error_code"), values.pop("error_message")
    for name in ("warnings", "metadata", "pages_ocr"):
        values[name] = json.loads(values[name])
    values["pages_ocr"] = tuple(OcrPage(**page) for page in values["pages_ocr"])
    values["warnings"] = tuple(values["warnings"])
    return DocumentRecord(**values, error=(code, message) if code else None)
