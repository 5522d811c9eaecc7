"""The flags that verbs share, for Typer. Only their annotations name them: see commands.py."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Mode = Literal["hybrid", "dense", "sparse", "bm25"]

# --- every verb

ProjectOption = Annotated[
    str | None,
    typer.Option("--project", metavar="DIR", help="The project directory. [default: nearest parent with .edu/]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result and warnings.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Print more.")]
NoProgressOption = Annotated[bool, typer.Option("--no-progress", help="No progress bars.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]

# --- a question, and what narrows a search

QuestionArgument = Annotated[
    str | None,
    typer.Argument(metavar="QUESTION", help="The question; - reads it from stdin.", show_default=False),
]

SubjectOption = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Search only this subject.")]
TenantOption = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Search this tenant's documents.")]
DocOption = Annotated[
    str | None, typer.Option("--doc", metavar="GLOB", help="Search only documents whose path matches, as 'ai/*.md'.")
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="KEY=VALUE", help="Search only documents with this property (repeatable)."),
]

# --- writing, and records

LockTimeoutOption = Annotated[
    float, typer.Option("--lock-timeout", metavar="SECONDS", min=0, help="Longest wait for another edu that writes.")
]
RecordsTenantOption = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="The tenant whose records these are.")
]
PendingArgument = Annotated[
    str, typer.Argument(metavar="ID", help="As `edu pending list` shows it.", show_default=False)
]
SessionArgument = Annotated[
    str, typer.Argument(metavar="ID", help="As `edu sessions list` shows it.", show_default=False)
]
FaqSubjectOption = Annotated[str, typer.Option("--subject", metavar="NAME", help="The subject they belong to.")]
OnlySubjectOption = Annotated[
    str | None, typer.Option("--subject", metavar="NAME", help="Only this subject's.", show_default=False)
]

# --- documents and models

DocArgument = Annotated[str, typer.Argument(metavar="DOC", help="A path, or a glob over paths.", show_default=False)]
GlobArgument = Annotated[
    str | None, typer.Argument(metavar="GLOB", help="Only paths that match, as 'ai/*.md'.", show_default=False)
]
OfSubjectOption = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only of this subject.")]
OfTenantOption = Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="Only of this tenant.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="e5-small, cross, bge-m3 or bge-reranker.", show_default=False)
]
LabelledArgument = Annotated[
    Path, typer.Argument(metavar="DATA.jsonl", help='{"text": "…", "label": "course"} a line.')
]
