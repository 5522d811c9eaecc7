"""A data set drafted from the corpus, for a person to correct: headings and FAQ entries as questions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from edu_cli.ask.generation.reply import parse_json
from edu_cli.errors import ChatError
from edu_cli.evaluate.heading_question import as_question
from edu_cli.prompts import Prompt
from edu_cli.protocols import ChatModel
from edu_cli.text import content_id, fold
from edu_cli.types import FaqEntry, Message, StoredParent

_SHORTEST = 20  # characters of a section that is worth a question
_TRIES = 2  # sections that may be asked about for each question that is wanted


def draft(
    parents: Iterable[StoredParent], faq: Sequence[tuple[str, FaqEntry]], n: int, seed: int
) -> list[dict[str, Any]]:
    """At most n items, from as many documents as possible; the same corpus and seed give the same ones."""
    by_doc: dict[str, list[dict[str, Any]]] = {}
    for doc, entry in faq:
        by_doc.setdefault(doc, []).append(_faq_item(doc, entry))
    for parent in parents:
        item = _heading_item(parent)
        if item:
            by_doc.setdefault(parent.doc, []).append(item)
    return list(_spread(by_doc, n, random.Random(seed)))  # noqa: S311 - a sample, no secret


@dataclass(frozen=True, slots=True)
class Drafted:
    """The items of a draft; `unusable` counts the LLM's replies that were none, `stopped` why it wrote no more."""

    items: list[dict[str, Any]]
    unusable: int = 0
    stopped: str = ""


def draft_by_llm(parents: Sequence[StoredParent], n: int, seed: int, chat: ChatModel, prompt: Prompt) -> Drafted:
    """At most n items written by the LLM, each of another section; another section is taken for an unusable reply.

    An item whose evidence does not stand in its section is unusable. An LLM that fails ends the draft with what there
    is. Raises ChatError where it fails at once.
    """
    by_doc: dict[str, list[dict[str, Any]]] = {}
    for parent in parents:
        if len(parent.text) >= _SHORTEST:
            by_doc.setdefault(parent.doc, []).append({"parent": parent})
    items: list[dict[str, Any]] = []
    unusable = 0
    for row in _spread(by_doc, n * _TRIES, random.Random(seed)):  # noqa: S311 - a sample, no secret
        if len(items) == n:
            break
        try:
            item = _llm_item(row["parent"], chat, prompt)
        except ChatError as error:
            if not items:
                raise
            return Drafted(items, unusable, error.message)
        if item is None or any(item["question"] == other["question"] for other in items):
            unusable += 1
        else:
            items.append(item)
    return Drafted(items, unusable)


def _faq_item(doc: str, entry: FaqEntry) -> dict[str, Any]:
    return {
        "id": f"faq-{content_id(doc, entry.question)[:8]}",
        "question": entry.question,
        "relevant": [{"doc": doc, "contains": entry.question}],
        "answer": entry.answer,
        "answerable": True,
        "tags": ["draft", "faq"],
    }


def _heading_item(parent: StoredParent) -> dict[str, Any] | None:
    if not parent.section or len(parent.text) < _SHORTEST:
        return None
    question = as_question(parent.section[-1])
    if question is None:
        return None
    return {
        "id": f"h-{content_id(parent.doc, *parent.section)[:8]}",
        "question": question,
        "relevant": [{"doc": parent.doc, "section": parent.section[-1]}],
        "answerable": True,
        "tags": ["draft", "heading"],
    }


def _llm_item(parent: StoredParent, chat: ChatModel, prompt: Prompt) -> dict[str, Any] | None:
    messages = [Message("system", prompt.text), Message("user", parent.text)]
    reply = chat.complete(messages, temperature=0.0, json_object=True).text
    try:
        value = parse_json(reply)
        question, answer, evidence = (str(value[key]).strip() for key in ("question", "answer", "evidence"))
    except (ValueError, KeyError, TypeError):
        return None
    if not question or not evidence or fold(evidence) not in fold(parent.text):
        return None
    return {
        "id": f"llm-{content_id(parent.parent_id, question)[:8]}",
        "question": question,
        "relevant": [{"doc": parent.doc, "contains": evidence}],
        "answer": answer,
        "answerable": True,
        "tags": ["draft", "llm"],
    }


def _spread(by_doc: dict[str, list[dict[str, Any]]], n: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """One item of each document in turn, documents and items in random order, no question twice."""
    queues = [by_doc[doc] for doc in sorted(by_doc)]
    chance.shuffle(queues)
    for queue in queues:
        chance.shuffle(queue)
    seen: set[str] = set()
    while n and queues:
        for queue in list(queues):
            item = queue.pop()
            if not queue:
                queues.remove(queue)
            key = fold(str(item.get("question", id(item))))
            if key not in seen:
                seen.add(key)
                yield item
                n -= 1
            if not n:
                return
