"""Settings -> concrete adapters: the only package that names them. `ingesting` writes a project, `asking` reads it."""

from __future__ import annotations

from edu_cli.wiring.asking import eval_corpus, find_scope, open_ask, open_reader, open_searcher
from edu_cli.wiring.ingesting import IngestSession, check_indexes, open_ingest, open_preview

__all__ = [
    "IngestSession",
    "check_indexes",
    "eval_corpus",
    "find_scope",
    "open_ask",
    "open_ingest",
    "open_preview",
    "open_reader",
    "open_searcher",
]
