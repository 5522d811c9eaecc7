"""BEIR folders: `queries.jsonl` and `qrels.tsv` (or `qrels/test.tsv`) over a corpus that was ingested."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from edu_cli.errors import DatasetError
from edu_cli.evaluate.items import BadLine, Dataset, Item, Relevant

_ID_KEYS = ("_id", "query_id", "id", "query-id")


def read_beir(folder: Path, docs: Sequence[str]) -> Dataset:
    """Its questions; a corpus id stands for the document of that path, or of that path without its extension.

    Raises DatasetError where a file is missing.
    """
    invalid: list[BadLine] = []
    qrels = _read_qrels(_qrels_path(folder), _by_name(docs), invalid)
    items: dict[str, Item] = {}
    for number, line in enumerate(_text(folder / "queries.jsonl").split("\n"), start=1):
        if not line.strip():
            continue
        item = _item(line, qrels)
        if item is None:
            invalid.append(BadLine(number, "of queries.jsonl is not an object with an id and a text"))
        elif item.id in items:
            invalid.append(BadLine(number, f"of queries.jsonl has the id {item.id!r}, which another line has already"))
        else:
            items[item.id] = item
    unknown = len(qrels.keys() - items.keys())
    warnings = [f"qrels name {unknown} questions that queries.jsonl has not"] if unknown else []
    return Dataset(folder.name, tuple(items.values()), tuple(invalid), tuple(warnings))


def _item(line: str, qrels: Mapping[str, Sequence[Relevant]]) -> Item | None:
    """The question of a line; None where it holds none."""
    try:
        raw = json.loads(line)
        ident = str(next(raw[key] for key in _ID_KEYS if key in raw))
        question = raw["text"].strip()
        answers = tuple(answer for answer in raw.get("answers") or () if isinstance(answer, str) and answer)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        return None
    return Item(ident, question, tuple(qrels.get(ident, ())), answers) if ident and question else None


def _read_qrels(path: Path, by_name: dict[str, str], invalid: list[BadLine]) -> dict[str, list[Relevant]]:
    qrels: dict[str, list[Relevant]] = {}
    for number, fields in _rows(path):
        try:
            question, doc, grade = fields[0], fields[-2], int(fields[-1])
        except (ValueError, IndexError):
            if number > 1:  # the first row is the header
                invalid.append(BadLine(number, f"of {path.name} is not question, document and grade"))
            continue
        if grade > 0:
            qrels.setdefault(question, []).append(Relevant(doc=by_name.get(doc, doc), grade=grade))
    return qrels


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    lines = csv.reader(_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    try:
        yield from enumerate(lines, start=1)
    except csv.Error as error:
        raise DatasetError(
            f"{path}, line {lines.line_num}: {error}.", hint="it wants columns parted by tabs"
        ) from error


def _qrels_path(folder: Path) -> Path:
    for name in ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv"):
        if (folder / name).is_file():
            return folder / name
    raise DatasetError(f"{folder} has no qrels.tsv.", hint="a BEIR folder has queries.jsonl and qrels.tsv")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.", hint="a BEIR folder has queries.jsonl") from error


def _by_name(docs: Sequence[str]) -> dict[str, str]:
    """Path, path without extension and, where it is the only one, file stem -> path."""
    names: dict[str, str] = {}
    stems: dict[str, list[str]] = {}
    for doc in docs:
        path = PurePosixPath(doc)
        names[str(path.with_suffix(""))] = doc
        stems.setdefault(path.stem, []).append(doc)
    names.update({stem: found[0] for stem, found in stems.items() if len(found) == 1 and stem not in names})
    names.update({doc: doc for doc in docs})
    return names
