"""Names in Milvus: how subjects and tenants are stored within its limits, and the one place that quotes values."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

from edu_cli.errors import StoreError
from edu_cli.text import content_id
from edu_cli.types import Scope

NAME_BYTES = 256  # max_length of a name: a server counts UTF-8 bytes, Lite characters


def stored_name(name: str) -> str:
    """A subject or tenant as it is stored: itself, or `#` and its hash where it is too long or not plain text.

    Two names are never stored alike: one that begins with `#` is hashed as well.
    """
    plain = not name.startswith("#") and not any(unicodedata.category(c) in ("Cc", "Cs") for c in name)
    if plain and len(name.encode()) <= NAME_BYTES:
        return name
    return f"#{content_id(name)}"


def scope_filter(scope: Scope) -> str:
    """The Milvus expression for a scope."""
    parts = [f"tenant == {quoted(stored_name(scope.tenant))}"]
    if scope.subject is not None:
        parts.append(f"subject == {quoted(stored_name(scope.subject))}")
    if scope.doc_ids is not None:
        parts.append(f"doc_id in {quoted_list(sorted(scope.doc_ids))}")
    return " and ".join(parts)


def quoted_list(values: Iterable[str]) -> str:
    """The values as a list literal of a Milvus expression."""
    return f"[{', '.join(map(quoted, values))}]"


def quoted(value: str) -> str:
    """`value` as a string literal of a Milvus expression, since Lite knows no expression templates.

    JSON quoting without ASCII escapes is what its parser reads back unchanged, except for control characters, which
    are refused. Raises StoreError.
    """
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise StoreError(f"The name {value!r} has control characters, which Milvus cannot look up.")
    return json.dumps(value, ensure_ascii=False)
