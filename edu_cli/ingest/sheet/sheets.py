"""csv, tsv and xlsx files -> rows of cells with the lines they stand on."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from edu_cli.errors import LoadError
from edu_cli.ingest.scan import shown
from edu_cli.ingest.text.decode import decode
from edu_cli.text import clean

_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.IGNORECASE)  # Excel's own first line
_MOST_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, stripped; `line` counts from 1 and is where the row begins in its file or sheet."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a sheet that hold anything; `name` is empty for a text file."""

    name: str
    rows: tuple[Row, ...]

    @property
    def place(self) -> str:
        """What messages put before a line number."""
        return f"sheet {self.name}, " if self.name else ""


def read_csv(path: Path) -> tuple[list[Sheet], str | None, list[str]]:
    """The one sheet of a delimited text file, its encoding, and warnings. Raises LoadError."""
    decoded = decode(path.read_bytes(), name=shown(path.name))
    text = decoded.text
    told = _SEPARATOR_LINE.match(text)
    delimiter = told[1] if told else _delimiter(text)
    warnings = list(decoded.warnings)
    rows = tuple(_rows(text[told.end() :] if told else text, delimiter, 2 if told else 1))
    open_quote = _open_quote(text, delimiter)
    if open_quote:
        warnings.append(f"line {open_quote}: a quotation mark is never closed, so the rest of the file is one cell")
    return [Sheet("", rows)], decoded.encoding, warnings


def _open_quote(text: str, delimiter: str) -> int:
    """The line of a quotation mark that swallows the rest of the file; 0 where there is none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    before = 0
    try:
        for _ in reader:
            before = reader.line_num
    except csv.Error as error:
        return before + 1 if "end of data" in str(error) else 0
    return 0


def _delimiter(text: str) -> str:
    """The sign that cuts the first lines into the most columns, as often in each line."""
    best, best_score = ",", 0.0
    for sign in ",\t;|，":
        widths = [len(row.cells) for row in _rows(text[:20_000], sign, 1)][:20]
        if widths:
            usual = max(set(widths), key=widths.count)
            score = (usual - 1) * widths.count(usual) / len(widths)
            if score > best_score:
                best, best_score = sign, score
    return best


def _rows(text: str, delimiter: str, line: int) -> Iterator[Row]:
    # A cell may be larger than the default limit; the limit is one of the module, hence set where it is needed.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = 0
    for cells in reader:
        kept = tuple(cell.strip() for cell in cells)
        if any(kept):
            yield Row(line + before, kept)
        before = reader.line_num


def read_xlsx(path: Path) -> tuple[list[Sheet], str | None, list[str]]:
    """The sheets of a workbook with the values that were last calculated; merged cells filled in. Raises LoadError."""
    from openpyxl import load_workbook

    try:
        with path.open("rb") as file:  # by a name it would go by the extension, which may lie
            book = load_workbook(file, data_only=True)
    except Exception as error:  # openpyxl raises KeyError, ValueError, TypeError, BadZipFile … for a damaged workbook
        raise LoadError(
            f"{shown(path.name)} is no readable workbook: {error}.", hint="save it again", code="corrupt"
        ) from error
    sheets: list[Sheet] = []
    warnings: list[str] = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            warnings.append(f"sheet {sheet.title} is hidden and was left out")
            continue
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            warnings.append(f"sheet {sheet.title} has more than {_MOST_CELLS} cells and was left out")
            continue
        filled = {
            (y, merged.min_col): sheet.cell(merged.min_row, merged.min_col).value
            for merged in sheet.merged_cells.ranges
            for y in range(merged.min_row, merged.max_row + 1)
        }
        rows = (
            Row(y, tuple(_shown(filled.get((y, x), value)) for x, value in enumerate(values, 1)))
            for y, values in enumerate(sheet.iter_rows(values_only=True), 1)
        )
        sheets.append(Sheet(sheet.title, tuple(row for row in rows if any(row.cells))))
    if len(sheets) == 1:
        sheets = [Sheet("", sheets[0].rows)]
    return sheets, None, warnings


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "minutes").removesuffix(" 00:00")
    return clean(str(value))[0].strip()
