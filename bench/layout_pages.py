"""Documents whose parts are known, typeset by lot: columns, sizes, headings, lists, tables, listings, running titles.

The words are those of the bundled course and of README.md; `typeset` writes one PDF and tells what is in it. Used by
bench/layout_constants.py.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NO_START = "，。、；：！？）」』”’》,.;:!?)"
NO_END = "（「『“‘《("
NUMERALS = "一二三四五六七八九十"


@dataclass
class Truth:
    """What a document holds, in reading order: (kind, text) with the cells of a table's row parted by tabs."""

    parts: list[tuple[str, str]] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Style:
    """How a document is set; sizes in points, distances in ems of the body."""

    chinese: bool
    size: float
    leading: float
    columns: int
    justified: bool
    indent: float
    paragraph_gap: float
    heading_sizes: tuple[float, float, float]
    heading_bold: bool
    numbered: int
    running: bool
    numbers: int
    width: float
    height: float


def words() -> tuple[list[str], list[str], list[str]]:
    """Chinese sentences, English sentences, short Chinese names."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("corpus/*/*.md")))
    text = re.sub(r"```.*?```|^[#|>][^\n]*$|[`*]|\[\^?\d*\]|\]\([^)\n]*\)", "", text, flags=re.DOTALL | re.MULTILINE)
    chinese = [found for found in re.findall(r"[^。！？\n]{8,60}[。！？]", text) if len(found) > 9 and "$" not in found]
    names = sorted({found for found in re.findall("[\u4e00-\u9fff]{3,9}", text) if len(found) > 2})
    plain = re.sub(
        r"```.*?```|[`*|#\[\]]|\([^)\n]*\)", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    english = re.findall(r"[A-Z][a-z][A-Za-z ,;'-]{30,160}\.(?=\s)", plain.replace("\n", " "))
    return [found.strip() for found in chinese], english, names


def style_of(rng: random.Random) -> Style:
    size = rng.choice((9.0, 10.0, 10.5, 11.0, 12.0))
    ratios = rng.choice(((1.7, 1.35, 1.15), (1.44, 1.2, 1.0), (2.0, 1.5, 1.25), (1.5, 1.33, 1.17), (1.3, 1.15, 1.0)))
    indented = rng.random() < 0.6
    chinese = rng.random() < 0.7
    return Style(
        chinese=chinese,
        size=size,
        leading=rng.choice((1.25, 1.4, 1.5, 1.7, 1.9)),
        columns=2 if rng.random() < 0.35 else 1,
        justified=chinese or rng.random() < 0.5,
        indent=(2.0 if chinese else 1.5) if indented else 0.0,
        paragraph_gap=rng.choice((0.0, 0.3)) if indented else rng.choice((0.5, 0.8, 1.0)),
        heading_sizes=(ratios[0] * size, ratios[1] * size, ratios[2] * size),
        heading_bold=ratios[2] == 1.0 or rng.random() < 0.6,
        numbered=rng.randrange(3),
        running=rng.random() < 0.7,
        numbers=rng.randrange(4),
        width=rng.choice((595.0, 612.0)),
        height=rng.choice((842.0, 792.0)),
    )


def typeset(path: Path, seed: int, pages: int = 4) -> Truth:
    """Writes a document of about so many pages, and tells what is in it."""
    import pymupdf

    rng = random.Random(seed)
    setter = _Setter(pymupdf, style_of(rng), rng)
    while setter.number < pages:
        setter.section()
    setter.doc.subset_fonts()
    setter.doc.save(path)
    return setter.truth


class _Setter:
    """Puts parts below each other, column by column."""

    def __init__(self, pymupdf: Any, style: Style, rng: random.Random) -> None:
        self.doc, self.style, self.rng = pymupdf.open(), style, rng
        self.truth = Truth()
        self.chinese, self.english, self.names = words()
        self.number = self.column = 0
        self.counts = [0, 0, 0]
        self.title = rng.choice(self.names)
        self.faces = {name: pymupdf.Font(name) for name in ("china-s", "tiro", "tibo")}
        self.open_page()

    def open_page(self) -> None:
        style = self.style
        self.page = self.doc.new_page(width=style.width, height=style.height)
        self.page.insert_font("han", fontbuffer=self.faces["china-s"].buffer)
        self.number += 1
        self.column = 0
        self.y = self.top = 80.0
        self.bottom = style.height - 85
        if style.running and self.number > 1:
            self.put(self.title, 72, 45, style.size - 1.5)
            self.truth.furniture.append(self.title)
        shown = ("", str(self.number), f"- {self.number} -", f"第 {self.number} 页")[style.numbers]
        if shown:
            self.put(shown, style.width / 2 - 10, style.height - 40, style.size - 1)
            self.truth.furniture.append(shown)

    @property
    def measure(self) -> float:
        whole = self.style.width - 144
        return whole if self.style.columns == 1 else (whole - 24) / 2

    @property
    def left(self) -> float:
        return 72 + self.column * (self.measure + 24)

    def put(self, text: str, x: float, y: float, size: float, bold: bool = False) -> None:
        """Chinese in one font and all else in another, as word processors set it."""
        for run in re.findall(r"[ -~]+|[^ -~]+", text):
            latin = "tibo" if bold else "tiro"
            if run.isascii():
                self.page.insert_text((x, y), run, fontname=latin, fontsize=size)
            else:
                mode: dict[str, Any] = {"render_mode": 2, "border_width": 0.04} if bold else {}
                self.page.insert_text((x, y), run, fontname="han", fontsize=size, **mode)
            x += self.length(run, size)

    def length(self, text: str, size: float) -> float:
        """Points."""
        runs = re.findall(r"[ -~]+|[^ -~]+", text)
        return sum(self.faces["tiro" if run.isascii() else "china-s"].text_length(run, size) for run in runs)

    def room(self, height: float) -> None:
        if self.y + height > self.bottom:
            if self.column + 1 < self.style.columns:
                self.column, self.y = self.column + 1, self.top
            else:
                self.open_page()

    def rows(self, text: str, size: float, first: float, width: float) -> Iterator[str]:
        """The text in rows no wider than the measure, the first one set in."""
        units = re.findall(r"[A-Za-z0-9_.'-]+[ ,;:.]*|.", text) if self.style.chinese else re.findall(r"\S+\s*", text)
        row, room = "", width - first
        for at, unit in enumerate(units):
            after = units[at + 1] if at + 1 < len(units) else ""
            ahead = unit + (after if len(after) == 1 and after in NO_START else "")
            hangs = len(unit) == 1 and unit in NO_START
            if row and self.length(row + ahead.rstrip(), size) > room and not hangs:
                carried = row[-1] if row[-1] in NO_END else ""
                yield row.removesuffix(carried).rstrip()
                row, room = carried, width
            row += unit
        yield row.rstrip()

    def prose(self, text: str, *, first: float = 0.0, hanging: float = 0.0, size: float = 0.0) -> None:
        size = size or self.style.size
        rows = [*self.rows(text, size, first - hanging, self.measure - hanging)]
        for at, row in enumerate(rows):
            self.room(size)
            self.y += size * self.style.leading
            x = self.left + (hanging if at else first)
            last = at == len(rows) - 1
            self.row(row, x, size, self.left + self.measure if self.style.justified and not last else 0.0)

    def row(self, row: str, x: float, size: float, right: float) -> None:
        pieces = row.split(" ") if not self.style.chinese else [row]
        slack = right - x - self.length(row, size) if right else 0.0
        if len(pieces) < 2 or not 0 < slack < 0.25 * self.measure:
            self.put(row, x, self.y, size)
            return
        for piece in pieces:
            self.put(piece, x, self.y, size)
            x += self.length(piece + " ", size) + slack / (len(pieces) - 1)

    def section(self) -> None:
        level = min(self.rng.choice((0, 1, 1, 2, 2)), 1 + max((i for i in range(3) if self.counts[i]), default=-1))
        self.heading(level)
        makers = [self.paragraph] * 5 + [self.items] * 2 + [self.table] * 2 + [self.listing, self.caption]
        for _ in range(self.rng.randint(2, 5)):
            self.rng.choice(makers)()

    def heading(self, level: int) -> None:
        style, rng = self.style, self.rng
        self.counts[level] += 1
        self.counts[level + 1 :] = [0] * (2 - level)
        name = rng.choice(self.names) if style.chinese else " ".join(rng.choice(self.english).split()[:4]).rstrip(",;")
        size = style.heading_sizes[level]
        text = f"{self.mark(level)}{name}"
        while self.length(text, size) > self.measure:
            text = text[:-1].rstrip()
        self.room(size + 4 * style.size)
        self.y += size * 1.3 + 0.8 * style.size
        self.put(text, self.left, self.y, size, bold=style.heading_bold or size == style.size)
        self.y += 0.35 * style.size
        self.truth.parts.append(("heading", text))

    def mark(self, level: int) -> str:
        if self.style.numbered == 1:
            return ".".join(str(max(1, n)) for n in self.counts[: level + 1]) + " "
        if self.style.numbered == 2 and self.style.chinese:
            numeral = NUMERALS[(self.counts[level] - 1) % 10]
            return (f"第{numeral}章 ", f"第{numeral}节 ", f"{numeral}、")[level]
        return ""

    def sentences(self, low: int, high: int) -> str:
        some = self.rng.choices(self.chinese if self.style.chinese else self.english, k=self.rng.randint(low, high))
        return ("" if self.style.chinese else " ").join(some)

    def paragraph(self) -> None:
        text = self.sentences(1, 6)
        self.y += self.style.paragraph_gap * self.style.size
        self.prose(text, first=self.style.indent * self.style.size)
        self.truth.parts.append(("paragraph", text))

    def items(self) -> None:
        marks = self.rng.choice(
            (("• ",) * 6, ("1. ", "2. ", "3. ", "4. ", "5. "), ("（1）", "（2）", "（3）", "（4）"), ("① ", "② ", "③ "))
        )
        if not self.style.chinese and ord(marks[0][0]) > 0x2500:
            marks = ("1) ", "2) ", "3) ")
        for mark in marks[: self.rng.randint(2, 5)]:
            text = mark.lstrip() + self.sentences(1, 2)
            self.y += self.rng.choice((0.0, 0.2)) * self.style.size
            self.prose(text, hanging=self.rng.choice((0.0, 1.5)) * self.style.size)
            self.truth.parts.append(("list", text))

    def caption(self) -> None:
        name = self.rng.choice(self.names) if self.style.chinese else self.rng.choice(self.english)[:30].strip()
        text = f"{'图' if self.style.chinese else 'Figure '}{self.rng.randint(1, 9)} {name}"
        self.room(70)
        self.y += 60
        self.put(text, self.left + (self.measure - self.length(text, 9)) / 2, self.y, self.style.size - 1)
        self.y += 8
        self.truth.parts.append(("paragraph", text))

    def table(self) -> None:
        rng, style = self.rng, self.style
        n_rows, n_columns = rng.randint(3, 6), rng.randint(2, 3 if style.columns == 2 else 5)
        width, height = self.measure / n_columns, style.size * rng.choice((1.5, 1.8, 2.2))
        rows = [[self.cell(row, column, width) for column in range(n_columns)] for row in range(n_rows)]
        self.room(height * n_rows + 20)
        self.y += 10
        kind = rng.randrange(3)  # nothing, three rules, all rules
        edges = range(n_rows + 1) if kind == 2 else (0, 1, n_rows) if kind else ()
        for edge in edges:
            y = self.y + edge * height
            self.page.draw_line((self.left, y), (self.left + self.measure, y), width=0.5)
        for edge in range(n_columns + 1) if kind == 2 else ():
            x = self.left + edge * width
            self.page.draw_line((x, self.y), (x, self.y + n_rows * height), width=0.5)
        for row in rows:
            for column, cell in enumerate(row):
                self.put(cell, self.left + column * width + 4, self.y + 0.5 * height + 0.36 * style.size, style.size)
            self.y += height
            self.truth.parts.append(("row", "\t".join(row)))
        self.y += 8

    def cell(self, row: int, column: int, width: float) -> str:
        most = max(2, int((width - 14) / self.style.size))
        if row and column and self.rng.random() < 0.5:
            return self.rng.choice(
                (str(self.rng.randint(1, 999)), f"{self.rng.random():.2f}", f"{self.rng.randint(1, 99)}%")
            )
        if self.style.chinese:
            return self.rng.choice(self.names)[:most]
        return " ".join(self.rng.choice(self.english).split())[: 2 * most].split(" ")[0].strip(",;")

    def listing(self) -> None:
        code = self.rng.choice(LISTINGS)
        size = self.style.size - 1
        self.room(size * 1.3 * len(code) + 20)
        self.y += 8
        for row in code:
            self.y += size * 1.3
            self.page.insert_text((self.left + 6, self.y), row, fontname="cour", fontsize=size)
        self.y += 8
        self.truth.parts.append(("code", "\n".join(code)))


LISTINGS: Sequence[Sequence[str]] = (
    ("def total(rows):", "    n = 0", "    for row in rows:", "        n += row", "    return n"),
    ("SELECT name, score", "FROM student", "WHERE score > 60", "ORDER BY score;"),
    ("while queue:", "    node = queue.pop()", "    if node in seen:", "        continue", "    seen.add(node)"),
)
