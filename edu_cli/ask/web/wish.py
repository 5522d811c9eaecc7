"""The wish to search the web, in flag or question; and pages of the web as passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edu_cli.text import clean
from edu_cli.types import Passage, WebPage

_WANTED = re.compile(r"[（(,，]?\s*(?:可以|允许|请)?联网(?:查|搜索?|查询)?(?:一下)?\s*[)）]?")
_ASKS = re.compile(r"(?:可以|允许|请)联网|联网(?:查|搜)")
_LONGEST = 4000  # characters of one page: servers that fetch whole pages send megabytes


def asks_for_web(question: str) -> bool:
    """Whether the question itself allows the web ("…可以联网")."""
    return bool(_ASKS.search(question))


def without_request(question: str) -> str:
    """The question without its wish to search the web."""
    return _WANTED.sub("", question).strip("，,。 ") or question


def as_passages(pages: Sequence[WebPage], k: int) -> tuple[Passage, ...]:
    """The first k pages that say something, their address in place of a document's path."""
    found: list[Passage] = []
    for page in pages:
        title, address, text = (_plain(part) for part in (page.title, page.address, page.text))
        if text.strip() and len(found) < k:
            n = len(found) + 1
            text = text[:_LONGEST]
            found.append(
                Passage(n, 1.0 / n, address, title, (title,), None, "", address, address, address, text, text, {})
            )
    return tuple(found)


def _passage(n: int, title: str, address: str, text: str) -> Passage:
    return Passage(n, 1.0 / n, address, title, (title,), None, "", address, address, address, text, text, {})


def _plain(text: str) -> str:
    return clean(text)[0].strip()
