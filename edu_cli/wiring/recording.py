"""The records of a project, and the files that FAQ entries are imported from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.errors import EduError, UsageError
from edu_cli.index.records import open_records
from edu_cli.types import FaqEntry

if TYPE_CHECKING:
    from edu_cli.index.records import Records
    from edu_cli.project import Project


@contextmanager
def open_project_records(project: Project) -> Iterator[Records]:
    """FAQ, pending questions, conversations, cached answers and traces of a project."""
    records = open_records(project.catalog_path)
    try:
        yield records
    finally:
        records.close()


def read_faq_file(path: Path) -> tuple[list[FaqEntry], list[str]]:
    """The entries of a csv, tsv, xlsx or jsonl file, and what was passed over. Raises UsageError for none at all."""
    if not path.is_file():
        raise UsageError(f"{path} is no file.", hint="edu faq import FILE.csv")
    if path.suffix.casefold() in (".jsonl", ".json", ".ndjson"):
        entries, warnings = _read_jsonl(path)
    else:
        entries, warnings = _read_table(path)
    if not entries:
        raise UsageError(
            f"{path.name} holds no question with an answer.",
            hint="it needs columns question and answer (问题, 答案), or JSON lines with these keys",
        )
    return entries, warnings


def _read_table(path: Path) -> tuple[list[FaqEntry], list[str]]:
    from edu_cli.ingest.options import LoadOptions
    from edu_cli.ingest.sheet.faq_table import read_faq_table

    try:
        document = read_faq_table(path, LoadOptions())
    except EduError as error:
        raise UsageError(error.message, hint=error.hint) from error
    return list(document.faq), list(document.warnings)


def _read_jsonl(path: Path) -> tuple[list[FaqEntry], list[str]]:
    entries, warnings = [], []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start}).", hint="convert it, as with iconv") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            question, answer = str(value["question"]).strip(), str(value["answer"]).strip()
        except (ValueError, KeyError, TypeError, RecursionError):
            warnings.append(f"line {number} has no question and answer")
            continue
        if question and answer:
            entries.append(FaqEntry(question, answer, str(value.get("subject") or ""), number))
        else:
            warnings.append(f"line {number} has an empty question or answer")
    return entries, warnings
