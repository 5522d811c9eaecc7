"""The flags that narrow a search, the same on `search`, `ask`, `chat` and `eval`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edu_cli.errors import UsageError


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
