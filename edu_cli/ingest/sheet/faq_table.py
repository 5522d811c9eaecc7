"""csv, tsv or xlsx -> Document: an FAQ where a header row names questions and answers, else tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.scan import shown
from edu_cli.ingest.sheet.sheets import Row, Sheet, read_csv, read_xlsx
from edu_cli.ingest.sheet.tables import table_block
from edu_cli.text import fold
from edu_cli.types import Block, Document, FaqEntry

_NAMES = {
    "question": "question questions q query faq 问题 问 提问 标准问题 标准问 常见问题 用户问题 问题描述 問題 常見問題",
    "answer": "answer answers a reply response 答案 答 回答 回复 答复 标准答案 解答 回覆 答覆 標準答案",
    "subject": "subject subject_name course subjectname 学科 课程 科目 学科名称 课程名称 學科 課程",
    "category": "category type class tag topic group 分类 类别 类型 标签 主题 栏目 分類 類別 類型",
}  # fmt: skip
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}
_HEADER_ROWS = 5  # a title or a note may stand above the header
_MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the header stands in the rows, and the columns' places; -1 for one that is absent."""

    row: int
    question: int
    answer: int
    subject: int
    category: int


def read_faq_table(path: Path, _options: LoadOptions) -> Document:
    """One block an entry (question, then answer) and `faq` filled; after them other sheets as they are.

    A file without such columns is tables alone. Raises LoadError.
    """
    is_workbook = path.read_bytes()[:2] == b"PK"
    sheets, encoding, warnings = read_xlsx(path) if is_workbook else read_csv(path)
    found = [(sheet, columns) for sheet in sheets if (columns := _columns(sheet.rows))]
    kind = "xlsx" if is_workbook else "tsv" if path.suffix.lower() == ".tsv" else "csv"
    if not found:
        return Document(
            kind,
            shown(path.stem),
            _table_blocks(sheets, named=len(sheets) > 1),
            encoding=encoding,
            warnings=tuple(warnings),
        )
    entries: list[FaqEntry] = []
    for sheet, columns in found:
        kept, told = _entries(sheet, columns)
        entries += kept
        warnings = [*warnings, *told]
    faq_sheets = [sheet for sheet, _ in found]
    tables = _table_blocks([sheet for sheet in sheets if sheet not in faq_sheets], named=True)
    if not entries and not tables:
        raise LoadError(
            f"{shown(path.name)} has a question and an answer column, but no row with both.",
            hint="; ".join(warnings[:3]),
            code="no_text",
        )
    blocks = tuple(Block("paragraph", f"{e.question}\n{e.answer}", header=e.question) for e in entries)
    return Document(
        kind, shown(path.stem), blocks + tables, encoding=encoding, warnings=tuple(warnings), faq=tuple(entries)
    )


def _columns(rows: Sequence[Row]) -> _Columns | None:
    for nth, row in enumerate(rows[:_HEADER_ROWS]):
        places: dict[str, int] = {}
        for place, cell in enumerate(row.cells):
            field = _FIELD_OF.get("".join(fold(cell).strip("*:()").split()))
            if field:
                places.setdefault(field, place)
        if "question" in places and "answer" in places:
            at = [places.get(field, -1) for field in ("question", "answer", "subject", "category")]
            return _Columns(nth, *at)
    return None


def _entries(sheet: Sheet, columns: _Columns) -> tuple[list[FaqEntry], list[str]]:
    """The rows with a question and an answer, exact repeats once, and what is wrong with the rest, by line."""
    entries: list[FaqEntry] = []
    told: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    questions: dict[str, int] = {}
    width = len(sheet.rows[columns.row].cells)
    for row in sheet.rows[columns.row + 1 :]:
        if not any(row.cells):
            continue
        question, answer = _cell(row, columns.question), _cell(row, columns.answer)
        subject = _cell(row, columns.subject) or _cell(row, columns.category)
        problem = _problem(question, answer)
        key = (fold(question), fold(answer))
        if not problem and key in seen:
            problem = f"repeats line {seen[key]}"
        if problem:
            told.append(f"{sheet.place}line {row.line}: {problem}, left out")
            continue
        extra = [cell for cell in row.cells[width:] if cell]
        if extra:
            told.append(f"{sheet.place}line {row.line}: more cells than the header; {', '.join(extra)[:60]!r} not read")
        if key[0] in questions:
            told.append(f"{sheet.place}line {row.line}: line {questions[key[0]]} answers the same question otherwise")
        seen[key] = questions[key[0]] = row.line
        entries.append(FaqEntry(question, answer, subject, row.line))
    if len(told) > _MOST_TOLD:
        told = [*told[:_MOST_TOLD], f"{sheet.place}{len(told) - _MOST_TOLD} more rows like these"]
    return entries, told


def _problem(question: str, answer: str) -> str:
    if not question:
        return "missing question"
    return "" if answer else "missing answer"


def _cell(row: Row, place: int) -> str:
    return row.cells[place] if 0 <= place < len(row.cells) else ""


def _table_blocks(sheets: Sequence[Sheet], *, named: bool) -> tuple[Block, ...]:
    """A table a sheet, under the sheet's name where they are to be `named`."""
    blocks: list[Block] = []
    for sheet in sheets:
        block = table_block([row.cells for row in sheet.rows])
        if block:
            if named:
                blocks.append(Block("heading", sheet.name, level=1))
            blocks.append(block)
    return tuple(blocks)
