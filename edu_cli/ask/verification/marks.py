"""The marks behind what the material does not bear out."""

from __future__ import annotations

MARK = {"zh": "（资料未证实）", "en": " (not borne out by the material)"}


def unmarked(text: str) -> str:
    """An answer without its marks: a model copies them from the conversation into what it writes next."""
    for mark in MARK.values():
        text = text.replace(mark, "")
    return text
