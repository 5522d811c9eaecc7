"""Passages -> the block of text that the model reads: numbered, fenced, within a budget of tokens."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from edu_cli.text import shortened

if TYPE_CHECKING:
    from edu_cli.types import Passage

_LEAST = 50  # tokens of the first passage, however small the budget
_LEVEL_CHARS = 60  # of one heading where a place is shown
# An upper estimate over the tokenizers of Qwen, DeepSeek, GLM and GPT-4o: a Chinese character costs 0.6 to 1 token,
# a Latin word one token each four letters begun, every other sign one.
_TOKEN = re.compile(r"[A-Za-z]+|\s+|[^\sA-Za-z]")


def count_tokens(text: str) -> int:
    """Tokens of `text`, rather too many than too few, without any tokenizer."""
    total = 0
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece[0].isascii() and piece[0].isalpha():
            total += -(-len(piece) // 4)
        elif not piece.isspace() or "\n" in piece:
            total += 1
    return total


@dataclass(frozen=True, slots=True)
class Context:
    """What the model is given: the passages (numbered by position, from 1) and the fenced block that holds them."""

    passages: tuple[Passage, ...]
    block: str
    fence: str
    tokens: int


def build_context(passages: Sequence[Passage], budget: int) -> Context:
    """As many passages as fit `budget` tokens, best first; the first one always, cut around its hit when too long."""
    kept: list[Passage] = []
    left = budget
    for passage in passages:
        room = left - count_tokens(heading(passage))
        whole = count_tokens(passage.context)
        if whole > room and kept and room < count_tokens(passage.text):
            continue
        fitted = passage if whole <= room else replace(passage, context=window(passage, max(room, _LEAST)))
        kept.append(fitted)
        left = room - count_tokens(fitted.context)
        if left <= 0:
            break
    return _fenced(tuple(kept), budget - left)


def window(passage: Passage, budget: int) -> str:
    """The part of the parent around the child that was hit, within about `budget` tokens, cut at sentence ends."""
    text = passage.context
    at = max(text.find(passage.text), 0)
    start, end = at, min(len(text), at + len(passage.text))
    chars = max(len(text) * budget // max(count_tokens(text), 1), 20)
    if end - start >= chars:
        return text[start : start + chars]
    spare = chars - (end - start)
    start = max(0, start - spare // 3)
    end = min(len(text), start + chars)
    start = max(0, min(start, end - chars))
    if start:
        cut = re.search(r"[。！？!?；;\n]", text[start:at])
        start = start + cut.end() if cut else start
    if end < len(text):
        cuts = list(re.finditer(r"[。！？!?；;\n]", text[at + len(passage.text) : end]))
        end = at + len(passage.text) + cuts[-1].end() if cuts else end
    return text[start:end].strip()


def page_of(passage: Passage, quote: str) -> int | None:
    """The page on which `quote` begins; that of the passage's best child where the quote is not found in it."""
    at = passage.context.find(quote.rstrip("…")) if quote.strip("…") else -1
    return next((page for start, page in reversed(passage.pages) if 0 <= start <= at), passage.page)


def heading(passage: Passage, cited: Sequence[int] = (), language: str = "zh") -> str:
    """Where a passage stands, on one line: `doc › section › section，第3页`; `cited` are the pages that matter.

    A heading that goes on for lines is shown by its beginning.
    """
    levels = [" ".join(level.split()) for level in passage.section if level.strip()]
    line = " › ".join([" ".join(passage.doc.split()), *(shortened(level, _LEVEL_CHARS) for level in levels)])
    pages = sorted(set(cited)) or ([passage.page] if passage.page else [])
    if not pages:
        return line
    if language == "zh":
        return f"{line}，第{'、'.join(map(str, pages))}页"
    return f"{line}, {'p.' if len(pages) == 1 else 'pp.'} {', '.join(map(str, pages))}"


def _fenced(passages: tuple[Passage, ...], tokens: int) -> Context:
    texts = [f"{heading(p)}\n{p.context.strip()}" for p in passages]
    fence = _fence("\n".join(texts))
    body = "\n\n".join(f"[{n}]-{fence} {text}" for n, text in enumerate(texts, 1))
    return Context(passages, f"<资料-{fence}>\n{body}\n</资料-{fence}>", fence, tokens)


def _fence(text: str) -> str:
    """A word that stands nowhere in `text`, new for each question, so that no document can close the fence."""
    while True:
        fence = secrets.token_hex(6)
        if fence not in text:
            return fence
