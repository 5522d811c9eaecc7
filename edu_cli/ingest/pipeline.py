"""Paths -> catalog and stores, convergent: afterwards they hold what a clean build of the files on disk would hold.

1. scan the PATHs and compare with the catalog: what is new, changed, moved or gone
2. mend what an earlier run that was killed left unsettled
3. load and split the changed files, ahead of
4. encoding what the vector cache lacks, ahead of
5. storing, a batch of documents at a time (`storing.py`)
6. remove what is gone, and count the store's rows against the catalog's
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from edu_cli.errors import LoadError, UsageError
from edu_cli.ingest.moved import moved_roots
from edu_cli.ingest.plan import Plan, PlannedFile, plan_target
from edu_cli.ingest.prepare import Place, Prepared, prepare, prepare_failed
from edu_cli.ingest.receipt import ChunkCounts, FileReceipt, Receipt, receipt_of, receipts_of
from edu_cli.ingest.repair import reconcile, settle
from edu_cli.ingest.request import IngestRequest, IngestTools
from edu_cli.ingest.roots import Target, earlier_paths, located, scan_target, targets_of
from edu_cli.ingest.storing import LazyVectors, Storing, Tally, VectorTools, batches
from edu_cli.ingest.workers.ahead import Ahead
from edu_cli.protocols import IngestCatalog
from edu_cli.types import KnownDocument
from edu_cli.types.catalog_keys import RUN, STORE_MARK

_AHEAD = 32  # documents loaded before they are encoded


def paths_of(request: IngestRequest, catalog: IngestCatalog) -> tuple[Sequence[Path], list[str]]:
    """The PATHs given, else all earlier ones, with a warning for each that is gone. Raises UsageError for none."""
    if request.paths:
        return request.paths, []
    paths, warnings = earlier_paths(
        request.project,
        request.tenant,
        catalog.roots(),
        lambda root_id: [known.path for known in catalog.known(root_id)],
    )
    if not paths and not warnings:
        raise UsageError(
            "There is nothing to ingest: no PATH was given, and no earlier one holds a document.",
            hint="edu ingest PATH",
        )
    return paths, warnings


def plan(request: IngestRequest, catalog: IngestCatalog) -> tuple[list[Plan], list[str]]:
    """What an ingest would do, and warnings; nothing is changed. Raises UsageError for a PATH that does not exist."""
    paths, warnings = paths_of(request, catalog)
    recipe, roots = request.recipe(), catalog.roots()
    plans = []
    for target in targets_of(paths, request.project, request.tenant, roots):
        found = scan_target(target)
        known = catalog.known(target.root.root_id) if target.root else ()
        subject = request.subject if request.subject is not None or not target.root else target.root.subject
        taken_over = _absorbed(target, catalog)
        for root, documents in moved_roots(target, found, roots, request.project, catalog.known):
            taken_over |= {document.path: document for document in documents}
            warnings.append(
                f"{located(root, request.project)} is gone; its documents are now those of {target.location}"
            )
        plans.append(plan_target(target, found, known, taken_over, replace(recipe, subject=subject)))
    return plans, warnings


def preview(request: IngestRequest, catalog: IngestCatalog) -> Receipt:
    """The receipt of what an ingest would do, as far as that can be told without loading; nothing is changed."""
    start = time.perf_counter()
    plans, warnings = plan(request, catalog)
    files = sorted(receipts_of(plans, dry=True), key=_order)
    seconds = {"total": time.perf_counter() - start}
    return Receipt(tuple(files), ChunkCounts(), catalog.encoder(), catalog.corpus_hash(), seconds, tuple(warnings))


def ingest(request: IngestRequest, tools: IngestTools) -> Receipt:
    """Brings catalog and store to what is on disk under the PATHs. The caller holds the project's lock.

    A file that fails is told in the receipt and never ends the run; StoreError and EncoderError do, and lose nothing.
    """
    start = time.perf_counter()
    plans, warnings = plan(request, tools.catalog)
    tally = Tally()
    prepared: list[FileReceipt] = []
    places = [_place(one.target, request, tools.catalog) for one in plans]
    for one in plans:
        tools.catalog.restamp(one.restamp)
    if any(one.load or one.gone for one in plans) or _is_suspect(tools):
        work = _Work(plans, places, tally, prepared)
        tools.catalog.remember(RUN, "begun")
        warnings += _run(request, tools, work)
    if tools.catalog.meta(RUN):
        tools.catalog.remember(RUN, "")
    tools.catalog.drop_empty_roots()
    files = sorted([*prepared, *receipts_of(plans)], key=_order)
    chunks = ChunkCounts(
        sum(f.parents for f in prepared), sum(f.children for f in prepared), tally.encoded, tally.reused, tally.deleted
    )
    seconds = {**tally.seconds, "total": time.perf_counter() - start}
    pin = tools.catalog.encoder()
    return Receipt(tuple(files), chunks, pin, tools.catalog.corpus_hash(), seconds, tuple(warnings))


def remove(doc_ids: Sequence[str], tools: IngestTools) -> int:
    """Takes documents out of catalog and store; how many chunks went. The caller holds the project's lock."""
    tally = Tally()
    with _vectors(tools) as vectors, Storing(tools.catalog, vectors, tools.progress, tally) as storing:
        storing.remove(doc_ids)
        storing.finish()
        if vectors and vectors.opened:
            reconcile(tools.catalog, vectors.get(), tools.progress, tally)
    tools.catalog.drop_empty_roots()
    return tally.deleted


@dataclass(frozen=True, slots=True)
class _Work:
    """What a run does, where its documents belong, and what it has done so far."""

    plans: Sequence[Plan]
    places: Sequence[Place]
    tally: Tally
    receipts: list[FileReceipt]


def _run(request: IngestRequest, tools: IngestTools, work: _Work) -> list[str]:
    """Steps 2 to 6; the warnings that came of it."""
    tally = work.tally
    files = [(file, place) for one, place in zip(work.plans, work.places, strict=True) for file in one.load]
    tools.progress.start("load", len(files))
    with _vectors(tools) as vectors, Ahead(lambda: _prepared(request, tools, files, tally), _AHEAD) as stream:
        if vectors and tools.catalog.unsettled():
            settle(tools.catalog, vectors.get(), tools.progress, tally)
        with Storing(tools.catalog, vectors, tools.progress, tally) as storing:
            for batch in batches(_noted(stream, work.receipts)):
                storing.add(batch)
            storing.remove([doc_id for one in work.plans for doc_id in one.gone])
            storing.finish()
        if vectors and (vectors.opened or _is_suspect(tools)):
            return _mend(request, tools, vectors.get(), tally)
    return []


@contextmanager
def _vectors(tools: IngestTools) -> Iterator[LazyVectors | None]:
    """The vector side; where it was opened and all went well, how its files look from outside is noted."""
    vectors = LazyVectors(tools.open_vectors) if tools.open_vectors else None
    try:
        yield vectors
    finally:
        if vectors:
            vectors.close()
    if vectors and vectors.opened:
        tools.catalog.remember(STORE_MARK, tools.store_mark())


def _prepared(
    request: IngestRequest, tools: IngestTools, files: Sequence[tuple[PlannedFile, Place]], tally: Tally
) -> Generator[Prepared, None, None]:
    loaded = tools.load_all([file.file for file, _ in files])
    for (file, place), (_, outcome, seconds) in zip(files, loaded, strict=True):
        tools.progress.advance("load")
        tally.seconds["load"] += seconds
        start = time.perf_counter()
        if isinstance(outcome, LoadError):
            item = prepare_failed(file, outcome, place)
        else:
            item = prepare(file, outcome, place, profile=request.profile, settings=request.split)
        spent = time.perf_counter() - start
        tally.seconds["split"] += spent
        yield replace(item, seconds=seconds + spent)


def _order(file: FileReceipt) -> tuple[str, str]:
    return file.path, file.status


def _noted(stream: Iterable[Prepared], receipts: list[FileReceipt]) -> Iterator[Prepared]:
    for item in stream:
        receipts.append(receipt_of(item))
        yield item


def _mend(request: IngestRequest, tools: IngestTools, vectors: VectorTools, tally: Tally) -> list[str]:
    missing, surplus = reconcile(tools.catalog, vectors, tools.progress, tally)
    if request.rebuild or not (missing or surplus):
        return []
    return [
        f"the vector store did not agree with the catalog: {missing} missing vectors were put back and "
        f"{surplus} stray ones removed"
    ]


def _is_suspect(tools: IngestTools) -> bool:
    """Whether the store must be opened and counted although no file has changed."""
    if tools.open_vectors is None:
        return False
    mark = tools.store_mark()
    return not mark or bool(tools.catalog.unsettled()) or tools.catalog.meta(STORE_MARK) != mark


def _place(target: Target, request: IngestRequest, catalog: IngestCatalog) -> Place:
    """Where the target's documents belong; its root is made, or changed, where it must be."""
    subject = None if target.part else request.subject  # given for a part, it holds for the part alone
    whole = target.whole and not target.part
    root = target.root
    if root is None or (whole and not root.whole) or subject not in (None, root.subject):
        root = catalog.add_root(target.tenant, target.root_path, whole=whole, subject=subject)
    return Place(root.root_id, target.tenant, request.recipe().text)


def _absorbed(target: Target, catalog: IngestCatalog) -> dict[str, KnownDocument]:
    """Documents of earlier roots below the target, by the path that they have from now on."""
    return {
        target.document_path(f"{below}/{document.path}"): document
        for root, below in target.absorbed
        for document in catalog.known(root.root_id)
    }
