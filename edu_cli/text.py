"""Pure functions over text: folding for comparison, sentences, content ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata


def fold(text: str) -> str:
    """`text` for comparing: NFKC, case folded, runs of white space as one space. Never stored."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()


def content_id(*parts: str) -> str:
    """32 hex digits that depend on the parts and on where one ends (BLAKE2b, 128 bits)."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
