"""The rows of a derived index as memory-mapped columns: who each one is, and the masks of a scope.

Rows stand in the order of their child ids, so that "equal scores by child id" is "equal scores by row".
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.index.arrays import write_array
from edu_cli.types import Hit, IndexRow, Scope

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
_BATCH = 10_000  # rows turned into columns at once
_NAMES = ("doc_id", "subject", "tenant")
_COLUMNS = ("child_ids", "parent_ids", "keys", "doc_ids", "digests", "docs", "subjects", "tenants")


@dataclass(frozen=True, slots=True)
class RowTable:
    """Ids as fixed-width UTF-8 bytes; `docs`, `subjects` and `tenants` are positions in the tables of their names.

    `digests` are those of the documents in `doc_ids`: a document with the same one has the same rows.
    """

    child_ids: npt.NDArray[np.bytes_]
    parent_ids: npt.NDArray[np.bytes_]
    keys: npt.NDArray[np.bytes_]
    doc_ids: npt.NDArray[np.bytes_]
    digests: npt.NDArray[np.bytes_]
    docs: Ints
    subjects: Ints
    tenants: Ints
    subject_names: Sequence[str]
    tenant_names: Sequence[str]

    def __len__(self) -> int:
        return len(self.child_ids)

    def mask(self, scope: Scope) -> Mask | None:
        """Rows that `scope` may see; None means all of them."""
        masks = [
            _named(self.tenants, self.tenant_names, scope.tenant),
            None if scope.subject is None else _named(self.subjects, self.subject_names, scope.subject),
            None if scope.doc_ids is None else self._of_documents(scope.doc_ids),
        ]
        kept = [mask for mask in masks if mask is not None]
        return np.logical_and.reduce(kept) if kept else None

    def rows(self, rows: Sequence[int]) -> list[IndexRow]:
        """Rows as values, in the order given."""
        at = np.asarray(rows, np.int64)
        ids = (self.child_ids[at], self.parent_ids[at], self.doc_ids[self.docs[at]], self.keys[at])
        child_ids, parent_ids, doc_ids, keys = (map(_text, column.tolist()) for column in ids)
        subjects = (self.subject_names[subject] for subject in self.subjects[at].tolist())
        tenants = (self.tenant_names[tenant] for tenant in self.tenants[at].tolist())
        return list(map(IndexRow, child_ids, parent_ids, doc_ids, subjects, tenants, keys))

    def hits(self, rows: npt.NDArray[np.intp], scores: npt.NDArray[np.float32]) -> list[Hit]:
        """The rows as a ranking, in the order given."""
        docs = self.doc_ids[self.docs[rows]]
        ids = zip(self.child_ids[rows].tolist(), self.parent_ids[rows].tolist(), docs.tolist(), strict=True)
        return [
            Hit(_text(child), _text(parent), _text(doc), score, rank)
            for rank, ((child, parent, doc), score) in enumerate(zip(ids, scores.tolist(), strict=True), start=1)
        ]

    def _of_documents(self, doc_ids: frozenset[str]) -> Mask:
        wanted = np.zeros(len(self.doc_ids), dtype=np.bool_)
        found = positions(self.doc_ids, as_bytes(sorted(doc_ids)))
        wanted[found[found >= 0]] = True
        return wanted[self.docs]


def top_rows(scores: npt.NDArray[np.float32], k: int, mask: Mask | None) -> npt.NDArray[np.intp]:
    """At most k rows with a score above 0 that the mask lets through: best first, equal scores by row."""
    rows = np.flatnonzero(scores > 0 if mask is None else (scores > 0) & mask)
    if k <= 0:
        return rows[:0]
    found = scores[rows]
    if len(rows) > k:
        worst = np.partition(found, len(rows) - k)[len(rows) - k]
        kept = found >= worst
        rows, found = rows[kept], found[kept]
    return rows[np.argsort(-found, kind="stable")][:k]


def table_of(rows: Iterable[IndexRow], digests: Mapping[str, str]) -> RowTable:
    """The rows, in any order, as a table; a child that comes twice counts once (the last).

    `digests` has those of the documents, by id.
    """
    ids: dict[str, list[npt.NDArray[np.bytes_]]] = {}
    codes: dict[str, array[int]] = {name: array("i") for name in _NAMES}
    names: dict[str, dict[str, int]] = {name: {} for name in _NAMES}
    for batch in _batches(rows):  # columns a batch at a time, so that the rows themselves need not be held
        for name, column in zip(IndexRow._fields, zip(*batch, strict=True), strict=True):
            if name in names:
                known = names[name]
                codes[name].extend([known.setdefault(value, len(known)) for value in column])
            else:
                ids.setdefault(name, []).append(as_bytes(column))
    child_ids, parent_ids, keys = (_joined(ids.get(name, [])) for name in ("child_id", "parent_id", "key"))
    order = _last_of_each(child_ids)
    docs, doc_ids = _renumbered(names["doc_id"], codes["doc_id"], order)
    subjects, subject_names = _renumbered(names["subject"], codes["subject"], order)
    tenants, tenant_names = _renumbered(names["tenant"], codes["tenant"], order)
    documents = as_bytes(doc_ids), as_bytes([digests[doc_id] for doc_id in doc_ids])
    columns = (child_ids[order], parent_ids[order], keys[order], *documents, docs, subjects, tenants)
    return RowTable(*columns, subject_names, tenant_names)


def merge_tables(
    old: RowTable, stays: Mask, fresh: RowTable
) -> tuple[RowTable, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The rows of `old` that stay and the fresh ones, which are others; where those and where these stand in it."""
    kept = np.asarray(old.child_ids)[stays]
    kept_at = np.searchsorted(fresh.child_ids, kept) + np.arange(len(kept))
    fresh_at = np.searchsorted(kept, fresh.child_ids) + np.arange(len(fresh))

    def both(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
        column = np.empty(len(kept) + len(fresh), np.promote_types(one.dtype, other.dtype))
        column[kept_at], column[fresh_at] = one, other
        return column

    used = np.unique(old.docs[stays])
    doc_ids = np.union1d(old.doc_ids[used], fresh.doc_ids)
    digests = np.empty(len(doc_ids), np.promote_types(old.digests.dtype, fresh.digests.dtype))
    digests[np.searchsorted(doc_ids, old.doc_ids[used])] = old.digests[used]
    digests[np.searchsorted(doc_ids, fresh.doc_ids)] = fresh.digests
    place = np.searchsorted(doc_ids, old.doc_ids), np.searchsorted(doc_ids, fresh.doc_ids)
    docs = both(place[0][old.docs[stays]], place[1][fresh.docs]).astype(np.int32)
    subjects, subject_names = _names_of_both(
        old.subjects[stays], old.subject_names, fresh.subjects, fresh.subject_names, both
    )
    tenants, tenant_names = _names_of_both(
        old.tenants[stays], old.tenant_names, fresh.tenants, fresh.tenant_names, both
    )
    parents, keys = both(old.parent_ids[stays], fresh.parent_ids), both(old.keys[stays], fresh.keys)
    columns = (both(kept, fresh.child_ids), parents, keys, doc_ids, digests, docs, subjects, tenants)
    return RowTable(*columns, subject_names, tenant_names), kept_at, fresh_at


def _names_of_both(
    old: Ints,
    old_names: Sequence[str],
    fresh: Ints,
    fresh_names: Sequence[str],
    both: Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]],
) -> tuple[Ints, list[str]]:
    """Codes of the rows of two tables in the table of both, and the names in use, sorted."""
    used = [old_names[int(code)] for code in np.unique(old)]
    names = sorted({*used, *fresh_names})
    place = {name: code for code, name in enumerate(names)}
    recoded = [np.array([place.get(name, -1) for name in some], np.int32) for some in (old_names, fresh_names)]
    return both(recoded[0][old], recoded[1][fresh]), names


def _batches(rows: Iterable[IndexRow]) -> Iterator[list[IndexRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _joined(parts: Sequence[npt.NDArray[np.bytes_]]) -> npt.NDArray[np.bytes_]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.bytes_)


def _last_of_each(ids: npt.NDArray[np.bytes_]) -> npt.NDArray[np.int64]:
    """Positions in the order of the ids; of equal ones the last."""
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    return order[np.append(ordered[1:] != ordered[:-1], True)] if len(ids) else order


def _renumbered(known: dict[str, int], codes: array[int], order: npt.NDArray[np.int64]) -> tuple[Ints, list[str]]:
    """Codes in the rows' order, and their names sorted and only those in use, whatever order they came in."""
    raw = np.frombuffer(codes, dtype=np.int32)[order] if len(codes) else np.empty(0, np.int32)
    by_code = list(known)
    used = sorted(np.unique(raw).tolist(), key=by_code.__getitem__)
    place = np.zeros(len(by_code), dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return place[raw], [by_code[code] for code in used]


def write_table(table: RowTable, folder: Path) -> None:
    """Writes the columns as .npy files and the names as JSON."""
    for name in _COLUMNS:
        write_array(folder / f"{name}.npy", getattr(table, name))
    names = {"subjects": list(table.subject_names), "tenants": list(table.tenant_names)}
    (folder / "names.json").write_text(json.dumps(names), encoding="utf-8")


def read_table(folder: Path) -> RowTable:
    """The table, memory-mapped. Raises OSError, ValueError or KeyError for files that are missing or damaged."""
    names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
    columns = [read_array(folder / f"{name}.npy") for name in _COLUMNS]
    return RowTable(*columns, subject_names=names["subjects"], tenant_names=names["tenants"])


def read_array(path: Path) -> npt.NDArray[Any]:
    """An array of a .npy file, memory-mapped (an empty one cannot be)."""
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return np.asarray(array) if array.size == 0 else array


def as_bytes(ids: Sequence[str]) -> npt.NDArray[np.bytes_]:
    """Ids as UTF-8 in one fixed-width array, which sorts as the bytes do."""
    try:
        return np.array(ids, dtype=np.bytes_)  # ASCII, as ours are
    except UnicodeEncodeError:
        return np.array([text.encode("utf-8", "surrogatepass") for text in ids], dtype=np.bytes_)


def positions(table: npt.NDArray[np.bytes_], wanted: npt.NDArray[np.bytes_]) -> npt.NDArray[np.int64]:
    """Where each wanted id stands in the sorted table, -1 where it does not."""
    if not len(table):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.searchsorted(table, wanted)
    at[at == len(table)] = 0
    return np.where(table[at] == wanted, at, -1)


def _named(codes: Ints, names: Sequence[str], wanted: str) -> Mask | None:
    if wanted not in names:
        return np.zeros(len(codes), dtype=np.bool_)
    return None if len(names) == 1 else codes == names.index(wanted)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")
