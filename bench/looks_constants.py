"""The constants that tell headings of Word files by their looks, each at its shipped value and at others (JSON).

    python bench/looks_constants.py [--documents N] [--worst N]

The documents are written here, with python-docx and without heading styles: titles set larger or bolder than the text,
numbered or not, beside what only looks like them (cover pages, typed lists of contents, labels, bold sentences, forms,
verse). The score is F1 over the headings, and the share of those found whose level is right next to their neighbours'.
Half of the documents are for choosing, half for checking.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from layout_pages import NUMERALS, words

from edu_cli.ingest.office import docx_looks
from edu_cli.ingest.office.docx import read_docx
from edu_cli.ingest.options import LoadOptions

SWEEPS: Sequence[tuple[str, Sequence[Any]]] = (
    ("_HEADING_CHARS", (range(2, 20), range(2, 30), range(2, 46), range(2, 60), range(2, 100), range(4, 46))),
    ("_MAX_SHARE", (0.1, 0.15, 0.25, 0.35, 0.5)),
    ("_MAX_RUN", (1, 2, 3, 4, 6)),
)
Titles = list[tuple[int, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=120)
    parser.add_argument("--worst", type=int, default=0, help="print what is wrong in so many documents instead")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        documents = [write(Path(folder) / f"{seed}.docx", seed) for seed in range(args.documents)]
        report: Any = worst(documents, args.worst) if args.worst else sweep(documents)
    json.dump(report, sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


def sweep(documents: Sequence[tuple[Path, Titles]]) -> dict[str, Any]:
    halves = (documents[::2], documents[1::2])
    report: dict[str, Any] = {}
    for name, values in SWEEPS:
        now = getattr(docx_looks, name)
        rows = {}
        for value in values:
            setattr(docx_looks, name, value)
            choose, check = (statistics.fmean(score(*document) for document in half) for half in halves)
            rows[str(value)] = {"choose": round(choose, 4), "check": round(check, 4)}
            rows[str(value)] |= {"shipped": True} if value == now else {}
        setattr(docx_looks, name, now)
        report[name] = rows
    return report


def found_in(path: Path) -> Titles:
    blocks = read_docx(path, LoadOptions(ocr="never")).blocks
    return [(block.level, block.text) for block in blocks if block.kind == "heading"]


def score(path: Path, wanted: Titles) -> float:
    got = found_in(path)
    if not wanted:
        return 1.0 if not got else 1 / (1 + len(got))
    a, b = Counter(text for _, text in wanted), Counter(text for _, text in got)
    f1 = 2 * (a & b).total() / (a.total() + b.total())
    levels = dict(zip((text for _, text in got), (level for level, _ in got), strict=True))
    pairs = [(x, y) for x, y in itertools.pairwise(wanted) if x[1] in levels and y[1] in levels]
    right = [sign(y[0] - x[0]) == sign(levels[y[1]] - levels[x[1]]) for x, y in pairs]
    return f1 * (0.5 + 0.5 * statistics.fmean(right)) if right else f1


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def worst(documents: Sequence[tuple[Path, Titles]], n: int) -> list[dict[str, Any]]:
    """What was expected and not found, and the other way round, where the score is lowest."""
    rows = []
    for path, wanted in documents:
        got = found_in(path)
        rows.append({"document": path.stem, "score": round(score(path, wanted), 3), "wanted": wanted, "got": got})
    return sorted(rows, key=lambda row: row["score"])[:n]


def write(path: Path, seed: int) -> tuple[Path, Titles]:
    from docx import Document

    rng = random.Random(seed)
    writer = _Writer(Document(), rng)
    {0: writer.form, 1: writer.verse}.get(seed % 10, writer.handout)()
    writer.document.save(str(path))
    return path, writer.titles


class _Writer:
    """Writes one document and remembers its headings."""

    def __init__(self, document: Any, rng: random.Random) -> None:
        self.document, self.rng = document, rng
        self.sentences, _, self.names = words()
        self.titles: Titles = []
        self.body = rng.choice((10.5, 12.0, 14.0))
        step = rng.choice((1.5, 2.0, 4.0))
        by_size = rng.random() < 0.6
        self.terse = rng.random() < 0.25  # an outline with a sentence or two below each title
        self.sizes = [self.body + step * (3 - level) if by_size else self.body for level in range(1, 4)]
        self.bold = not by_size or rng.random() < 0.7
        self.marks: Callable[[int, int], str] = rng.choice(
            (_chapters, _numerals, _digits, _nothing if by_size else _digits)
        )

    def put(self, text: str, size: float, bold: bool, rest: str = "") -> None:
        from docx.shared import Pt

        paragraph = self.document.add_paragraph()
        for part, is_bold in ((text, bold), (rest, False)):
            if part:
                run = paragraph.add_run(part)
                run.font.size, run.font.bold = Pt(size), is_bold

    def name(self) -> str:
        return "与".join(self.rng.sample(self.names, self.rng.choice((1, 1, 1, 2))))

    def heading(self, level: int, number: int) -> None:
        text = self.marks(level, number) + self.name()
        self.put(text, self.sizes[level - 1], self.bold or self.sizes[level - 1] == self.body)
        self.titles.append((level, text))

    def text(self, low: int, high: int) -> str:
        return "".join(self.rng.choices(self.sentences, k=self.rng.randint(low, high)))

    def paragraphs(self) -> None:
        for _ in range(1 if self.terse else self.rng.randint(1, 4)):
            kind = 0.0 if self.terse else self.rng.random()
            if kind < 0.7:
                self.put(self.text(1, 2 if self.terse else 5), self.body, False)
            elif kind < 0.8:  # led in by a bold term
                self.put(f"{self.rng.choice(self.names)}：", self.body, True, self.text(1, 2))
            elif kind < 0.9:  # a sentence that matters
                self.put(self.text(1, 1), self.body, True)
            else:
                for at in range(self.rng.randint(2, 4)):
                    self.put(f"（{at + 1}）{self.rng.choice(self.names)}；", self.body, False)

    def cover(self) -> None:
        self.put(self.name(), self.body + 14, True)
        for label in self.rng.sample(
            ("课程名称：", "编写时间：2024年9月", "任课教师：李老师", "学院：信息学院", "班级："), 3
        ):
            self.put(label + (self.rng.choice(self.names) if label.endswith("：") else ""), self.body + 4, True)

    def contents(self) -> None:
        for at in range(self.rng.randint(4, 8)):
            self.put(self.marks(1, at + 1) + self.name(), self.body, True)

    def handout(self) -> None:
        if self.rng.random() < 0.4:
            self.cover()
        elif self.rng.random() < 0.6:
            title = self.name()
            self.put(title, self.body + 10, True)
            self.titles.append((0, title))
        if self.rng.random() < 0.3:
            self.contents()
            self.put(self.text(2, 4), self.body, False)
        for first in range(1, self.rng.randint(3, 6)):
            self.heading(1, first)
            for second in range(1, self.rng.choice((1, 3, 4))):
                self.heading(2, second)
                for third in range(1, self.rng.choice((1, 1, 3))):
                    self.heading(3, third)
                    self.paragraphs()
                self.paragraphs()
            self.paragraphs()

    def form(self) -> None:
        """Labels in bold, each with a few words: looks tell nothing here."""
        for _ in range(self.rng.randint(8, 20)):
            self.put(self.rng.choice(self.names), self.body, True)
            self.put(self.rng.choice(self.names), self.body, False)

    def verse(self) -> None:
        """Short lines, some of them larger."""
        for at in range(self.rng.randint(10, 30)):
            self.put(self.rng.choice(self.names), self.body + (4 if at % 3 == 0 else 0), at % 3 == 0)


def _chapters(level: int, number: int) -> str:
    return (f"第{NUMERALS[number - 1]}章 ", f"第{NUMERALS[number - 1]}节 ", f"{NUMERALS[number - 1]}、")[level - 1]


def _numerals(level: int, number: int) -> str:
    return (f"{NUMERALS[number - 1]}、", f"（{NUMERALS[number - 1]}）", f"{number}. ")[level - 1]


def _digits(level: int, number: int) -> str:
    return (f"{number}. ", f"{number}.{number} ", f"{number}.{number}.{number} ")[level - 1]


def _nothing(_level: int, _number: int) -> str:
    return ""


if __name__ == "__main__":
    main()
