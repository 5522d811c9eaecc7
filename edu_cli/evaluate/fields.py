"""A JSON object -> an Item, every field's type checked; the messages complete the sentence "line 3 …"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from edu_cli.evaluate.items import Item, Relevant
from edu_cli.text import nearest
from edu_cli.types import Message

KEYS = ("id", "question", "relevant", "answer", "route", "strategy", "answerable", "history", "subject", "tags")
_RELEVANT_KEYS = ("doc", "section", "page", "contains", "grade")
_MATCH_KEYS = ("doc", "section", "page", "contains")
ROUTES = ("greeting", "cache", "faq", "general", "rag", "web")
STRATEGIES = ("direct", "hyde", "multi_query", "step_back")
_SAME_STRATEGY = {
    "multi-query": "multi_query",
    "subquery": "multi_query",
    "step-back": "step_back",
    "stepback": "step_back",
}


# what other tools call our keys
_OTHER_NAMES = {"query": "question", "reference": "answer", "reference_answer": "answer", "ground_truth": "answer"}


class FieldError(ValueError):
    """A line that cannot be used."""


def item_of(line: Mapping[str, Any], number: int) -> tuple[Item, list[str]]:
    """The item of line `number`, and what was made of keys that are missing or unknown. Raises FieldError."""
    raw, notes = _our_names(line)
    ident = raw.get("id")
    if ident is None:
        ident = f"line-{number}"
        notes.append("has no 'id' and is called after its line, as 'line-3'")
    elif isinstance(ident, int) and not isinstance(ident, bool):
        ident = str(ident)
    answerable = raw.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise FieldError(f"has {answerable!r} as 'answerable', which is true or false")
    relevant = tuple(_relevant(entry) for entry in _list(raw, "relevant"))
    if answerable is False and relevant:
        raise FieldError("is not answerable and yet has 'relevant' entries")
    item = Item(
        id=_filled(ident, "id"),
        question=_filled(raw.get("question"), "question"),
        relevant=relevant,
        answers=_answers(raw.get("answer")),
        route=_choice(_text(raw, "route"), "route", ROUTES),
        strategy=_choice(_strategy(raw), "strategy", STRATEGIES),
        answerable=answerable,
        history=tuple(_message(turn) for turn in _list(raw, "history")),
        subject=_text(raw, "subject"),
        tags=tuple(_filled(tag, "tags") for tag in _list(raw, "tags")),
    )
    unknown = [key for key in raw if key not in KEYS]
    notes += [_unknown_key(key, KEYS) for key in unknown]
    inner = [key for entry in raw.get("relevant") or [] for key in entry if key not in _RELEVANT_KEYS]
    notes += [_unknown_key(key, _RELEVANT_KEYS, " in 'relevant'") for key in inner]
    return item, notes


def _unknown_key(key: str, known: Sequence[str], place: str = "") -> str:
    meant = nearest(key, known)
    return f"unknown key {key!r}{place}, " + (f"did you mean {meant!r}?" if meant else f"known: {', '.join(known)}")


def _our_names(line: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    raw, notes = dict(line), []
    for other, ours in _OTHER_NAMES.items():
        if other in raw and ours not in raw:
            raw[ours] = raw.pop(other)
            notes.append(f"{other!r} is read as {ours!r}")
    if "gold_source" in raw and "relevant" not in raw:
        source = raw.pop("gold_source")
        raw.update({"relevant": [{"doc": source}]} if source else {"answerable": False})
        notes.append("'gold_source' is read as 'relevant'")
    return raw, notes


def _relevant(raw: Any) -> Relevant:
    if not isinstance(raw, dict):
        raise FieldError("has a 'relevant' entry that is no object")
    page, grade = raw.get("page"), raw.get("grade", 1)
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        raise FieldError(f"has {page!r} as 'page', which is a number from 1")
    if not isinstance(grade, int) or isinstance(grade, bool) or grade < 0:
        raise FieldError(f"has {grade!r} as 'grade', which is a whole number from 0")
    if all(raw.get(key) in (None, "") for key in _MATCH_KEYS):
        raise FieldError(f"has a 'relevant' entry without any of {', '.join(_MATCH_KEYS)}")
    doc, section, contains = (_text(raw, key) for key in ("doc", "section", "contains"))
    return Relevant(doc or None, section or None, page, contains or None, grade)


def _message(raw: Any) -> Message:
    if not isinstance(raw, dict) or raw.get("role") not in ("user", "assistant"):
        raise FieldError("has a 'history' turn whose 'role' is neither user nor assistant")
    return Message(cast("Any", raw["role"]), _filled(raw.get("content"), "content"))


def _answers(raw: Any) -> tuple[str, ...]:
    """One reference answer or several that are as good."""
    values = raw if isinstance(raw, list) else [] if raw in (None, "") else [raw]
    return tuple(_filled(value, "answer") for value in values)


def _strategy(raw: Mapping[str, Any]) -> str | None:
    name = _text(raw, "strategy")
    return _SAME_STRATEGY.get(name, name) if name else None


def _choice(value: str | None, key: str, known: tuple[str, ...]) -> str | None:
    if value is not None and value not in known:
        raise FieldError(f"has {value!r} as {key!r}, which is none of {', '.join(known)}")
    return value


def _text(raw: Mapping[str, Any], key: str) -> str | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise FieldError(f"has {value!r} as {key!r}, which is text")
    return value


def _filled(value: Any, key: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FieldError(f"has no text as {key!r}" if value is not None else f"has no {key!r}")
    return value


def _list(raw: Mapping[str, Any], key: str) -> list[Any]:
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise FieldError(f"has {value!r} as {key!r}, which is a list")
    return value
