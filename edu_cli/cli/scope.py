"""The flags that narrow a search, the same on `search`, `ask`, `chat` and `eval`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from edu_cli.errors import UsageError

if TYPE_CHECKING:
    from edu_cli.types import Scope

ScopeFor = Callable[["str | None"], "Scope"]


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


def scope_by_subject(find_scope: Callable[[ScopeFlags], Scope], flags: ScopeFlags) -> ScopeFor:
    """The scope of the flags with another subject, or with their own (None); each is looked up once."""
    return cache(lambda subject: find_scope(flags if subject is None else replace(flags, subject=subject)))
