"""Mends the vector store after a run that was cut off, and after the store itself has lost or kept rows wrongly.

A row is determined by its child's id, so the store is right when it holds exactly the ids of the catalog's children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from edu_cli.ingest.split.splitter import encoding_text
from edu_cli.ingest.storing import SLICE, Encoding, Tally, VectorTools
from edu_cli.protocols import IngestCatalog, Progress
from edu_cli.types import ChildRow, VectorRow


def settle(catalog: IngestCatalog, tools: VectorTools, progress: Progress, tally: Tally) -> int:
    """Brings the children that a killed run left unsettled in or out, as the catalog says; how many there were."""
    unsettled = list(catalog.unsettled())
    if unsettled:
        _write(catalog, tools, unsettled, progress, tally)
    return len(unsettled)


def reconcile(catalog: IngestCatalog, tools: VectorTools, progress: Progress, tally: Tally) -> tuple[int, int]:
    """Counts the store's rows and, where the number is wrong, compares all ids and mends it.

    Returns how many rows were missing and how many were too many.
    """
    if tools.store.count() == catalog.n_children():
        return 0, 0
    wanted, present = catalog.child_ids(), set(tools.store.ids())
    missing, surplus = sorted(wanted - present), sorted(present - wanted)
    _write(catalog, tools, [*missing, *surplus], progress, tally)
    return len(missing), len(surplus)


def _write(
    catalog: IngestCatalog, tools: VectorTools, child_ids: Sequence[str], progress: Progress, tally: Tally
) -> None:
    """Puts those of the children that the catalog has into the store, and the others out of it."""
    encoding = Encoding(tools.texts, progress, tally)
    kept: set[str] = set()
    progress.start("encode", len(child_ids))
    for rows in _pieces(catalog.child_rows(child_ids), SLICE):
        kept.update(row.child_id for row in rows)
        vectors = encoding.vectors({row.text_key: _text(row) for row in rows})
        tools.store.upsert(
            [
                VectorRow(r.child_id, r.parent_id, r.doc_id, r.subject, r.tenant, v.dense, v.sparse)
                for r in rows
                for v in (vectors[r.text_key],)
            ]
        )
    surplus = [child_id for child_id in child_ids if child_id not in kept]
    if surplus:
        tools.store.delete(surplus)
    tools.store.flush()
    catalog.settle(child_ids)


def _text(row: ChildRow) -> str:
    return encoding_text(row.title, row.parent, row.child)


def _pieces(items: Iterable[ChildRow], size: int) -> Iterator[list[ChildRow]]:
    source = iter(items)
    while piece := list(islice(source, size)):
        yield piece
