"""The flags that narrow a search, the same on `search`, `ask`, `chat` and `eval`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from edu_cli.errors import UsageError

SubjectOption = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Search only this subject.")]
TenantOption = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Search this tenant's documents.")]
DocOption = Annotated[
    str | None, typer.Option("--doc", metavar="GLOB", help="Search only documents whose path matches, as 'ai/*.md'.")
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="KEY=VALUE", help="Search only documents with this property (repeatable)."),
]


@dataclass(frozen=True, slots=True)
class ScopeFlags:
    """What the flags say; `filters` are (key, value) pairs."""

    tenant: str = ""
    subject: str | None = None
    doc: str | None = None
    filters: tuple[tuple[str, str], ...] = ()


def scope_flags(tenant: str, subject: str | None, doc: str | None, filters: Sequence[str] | None) -> ScopeFlags:
    """The flags, checked. Raises UsageError for a filter without `=`."""
    pairs = []
    for text in filters or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--filter takes KEY=VALUE, not {text!r}.", hint="for example --filter format=pdf")
        pairs.append((key.strip(), value.strip()))
    return ScopeFlags(tenant, subject, doc, tuple(pairs))
