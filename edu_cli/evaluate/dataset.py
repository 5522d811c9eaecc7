"""Data sets: the JSON Lines of `edu eval` and BEIR folders, checked before anything is spent."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from edu_cli.errors import DatasetError
from edu_cli.evaluate.beir import read_beir
from edu_cli.evaluate.fields import FieldError, item_of
from edu_cli.evaluate.items import BadLine, Dataset, Item
from edu_cli.evaluate.nearest import nearest_path

_NAMED = 3  # lines that a remark names
_UNLABELLED_NAMED = 5
_NEAREST_LOOKED_UP = 10  # it takes 18 ms among 1,000 documents: a set of another corpus would keep its user waiting
_LONGEST_LINE = 1_000_000  # characters; a longer one is no question


def drawn(dataset: Dataset, n: int | None, seed: int) -> Dataset:
    """At most n questions by lot, in the order of the data set; the same seed draws the same ones."""
    if n is None or n >= len(dataset.items):
        return dataset
    kept = sorted(random.Random(seed).sample(range(len(dataset.items)), n))  # noqa: S311 - a sample, no secret
    return replace(dataset, items=tuple(dataset.items[i] for i in kept), drawn_from=len(dataset.items))


def load_dataset(path: Path, docs: Sequence[str], *, strict: bool = False) -> Dataset:
    """The data set at `path`: a JSON Lines file, or a BEIR folder whose corpus was ingested.

    `docs` are the paths of the corpus, against which `relevant` is checked. Raises DatasetError where nothing can be
    used, and with `strict` at the first bad line.
    """
    found = read_beir(path, docs) if path.is_dir() else _read_lines(path)
    if strict and found.invalid:
        bad = found.invalid[0]
        raise DatasetError(f"{path}: line {bad.line} {bad.reason}.", hint="mend the line, or leave out --strict")
    if not found.items:
        reason = f" (line {found.invalid[0].line} {found.invalid[0].reason})" if found.invalid else ""
        raise DatasetError(f"{path} holds no usable question{reason}.", hint='a line is {"id": "q1", "question": "…"}')
    return Dataset(
        found.name,
        found.items,
        found.invalid,
        (*found.warnings, *_unlabelled(found.items), *_unknown_docs(found.items, docs)),
    )


def _read_lines(path: Path) -> Dataset:
    items: dict[str, Item] = {}
    lines: dict[str, int] = {}
    invalid: list[BadLine] = []
    told: dict[str, list[int]] = {}
    for number, text in _lines_of(path):
        try:
            item, notes = item_of(_object(text), number)
        except FieldError as error:
            invalid.append(BadLine(number, str(error)))
            continue
        if item.id in items:
            invalid.append(BadLine(number, f"has the id {item.id!r}, which line {lines[item.id]} has already"))
            continue
        items[item.id], lines[item.id] = item, number
        for note in notes:
            told.setdefault(note, []).append(number)
    warnings = tuple(f"{_places(numbers)}: {note}" for note, numbers in told.items())
    return Dataset(path.name, tuple(items.values()), tuple(invalid), warnings)


def _places(numbers: Sequence[int]) -> str:
    """`line 3`, or the first of many."""
    shown = ", ".join(map(str, numbers[:_NAMED]))
    more = f" and {len(numbers) - _NAMED} more" if numbers[_NAMED:] else ""
    return f"line{'s' if numbers[1:] else ''} {shown}{more}"


def _lines_of(path: Path) -> Iterator[tuple[int, str]]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DatasetError(
            f"{path} cannot be read: {error.strerror or error}.", hint="give the path of a .jsonl file or BEIR folder"
        ) from error
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        text = line.decode("utf-8", "replace").strip()
        if text:
            yield number, text


def _object(text: str) -> Mapping[str, Any]:
    if "\ufffd" in text:
        raise FieldError("is not UTF-8")
    if len(text) > _LONGEST_LINE:
        raise FieldError("is longer than a million characters")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise FieldError(f"is not JSON ({error.msg} at character {error.pos + 1})") from error
    except (ValueError, RecursionError) as error:
        raise FieldError(f"is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise FieldError("is not a JSON object")
    return value


def _unlabelled(items: Sequence[Item]) -> list[str]:
    """Questions that nothing can be measured on but how long they take."""
    bare = [item.id for item in items if not _has_label(item)]
    if not bare:
        return []
    if len(bare) == len(items):
        return ["no question has a label: 'relevant', 'answer', 'route', 'strategy' or 'answerable'"]
    names = f"{', '.join(bare[:_UNLABELLED_NAMED])}{' …' if bare[_UNLABELLED_NAMED:] else ''}"
    return [
        f"without any label, so that nothing is measured on them: {names} "
        '("answerable": false says that the material does not answer)'
    ]


def _has_label(item: Item) -> bool:
    return bool(item.relevant or item.answers or item.route or item.strategy) or item.answerable is not None


def _unknown_docs(items: Sequence[Item], docs: Sequence[str]) -> list[str]:
    known = set(docs)
    unknown: dict[str, list[str]] = {}
    for item in items:
        for entry in item.relevant:
            if entry.doc is not None and entry.doc not in known:
                unknown.setdefault(entry.doc, []).append(item.id)
    return [
        f"{doc!r} (wanted by {', '.join(ids[:3])}{' …' if len(ids) > 3 else ''}) is not in the corpus"
        + (f"; the nearest is {nearest_path(doc, docs)!r}" if docs and n < _NEAREST_LOOKED_UP else "")
        for n, (doc, ids) in enumerate(unknown.items())
    ]
