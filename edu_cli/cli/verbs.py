"""The verbs of `edu`: each is a module of this package with an `app`; the text is its line in `edu --help`."""

VERBS: dict[str, str] = {
    "ingest": "Load files and folders into the knowledge base.",
    "index": "Bring the BM25 index up to date.",
    "search": "Find passages, without an answer.",
    "ask": "Answer a question with citations, or decline.",
    "chat": "Ask in a conversation.",
    "eval": "Score a data set; exit 5 when a gate fails.",
    "docs": "List, show, remove and export documents.",
    "faq": "The questions with approved answers that ask looks at first.",
    "pending": "Questions that had no answer, for a teacher to settle.",
    "sessions": "Conversations.",
    "trace": "How an answer came about.",
    "classifier": "Train and score what tells course questions from general ones.",
    "doctor": "Check the machine, the settings and the project.",
    "models": "Which models are on this machine, and fetching one.",
    "backup": "Write the project to one file.",
    "restore": "Bring back a project from a backup.",
    "serve": "Keep models and indexes warm for this project's commands.",
    "status": "What is in the project.",
    "config": "The settings in force and where each came from.",
}
