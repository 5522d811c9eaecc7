"""The verbs of `edu`: each is a module of this package with an `app`; the text is its line in `edu --help`."""

VERBS: dict[str, str] = {
    "ingest": "Load files and folders into the knowledge base.",
    "index": "Bring the BM25 index up to date.",
    "search": "Find passages, without an answer.",
    "ask": "Answer a question with citations, or decline.",
    "eval": "Score a data set; exit 5 when a gate fails.",
    "docs": "List, show, remove and export documents.",
    "status": "What is in the project.",
    "config": "The settings in force and where each came from.",
}
