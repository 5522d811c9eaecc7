"""Text of documents and names, fit for a terminal."""

from __future__ import annotations

import re

# C0 and C1 controls (a document's "\x1b[2J" must not clear the screen), bidi overrides, lone surrogates
_UNSAFE = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def safe(text: str) -> str:
    """`text` with control characters, bidi overrides and lone surrogates made visible; tab and newline stay."""
    if text.replace("\n", "").isprintable():
        return text
    return re.sub(_UNSAFE, lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)
