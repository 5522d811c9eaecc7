"""The constants of PDF layout, each at its shipped value and at others, on documents that bench/layout_pages.py sets.

    python bench/layout_constants.py [--documents N] [--only NAME,…] [--trust]       # prints JSON

Half of the documents are for choosing, half for checking. A document's score is the mean of what it has of: headings
found (F1), paragraphs and list items whole (F1), rows of tables (F1), listings to the character, parts in reading order,
running titles and page numbers left out. `shipped` is marked; `best` is the value with the best score on the first half.
With --trust instead: for the constants of pdf/trust.py, the share of readable pages that are believed and of garbled
ones that are doubted.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from layout_pages import Truth, typeset
from layout_trust import trust_report

from edu_cli.ingest.layout import flow, furniture, grid, headings, join, line, order
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.pdf import lines as pdf_lines
from edu_cli.ingest.pdf import page as pdf_page
from edu_cli.ingest.pdf import reader
from edu_cli.types import Document

Sweep = tuple[tuple[ModuleType, ...], str, tuple[float, ...]]
# The modules that hold the constant, its name, and what to try.
SWEEPS: Sequence[Sweep] = (
    ((headings,), "_LARGER", (1.03, 1.06, 1.08, 1.11, 1.14, 1.18, 1.25)),
    ((headings,), "_MUCH_LARGER", (1.11, 1.18, 1.25, 1.35, 1.5)),
    ((headings,), "_LONGEST", (40, 60, 90, 130)),
    ((headings,), "_SHORT", (15, 25, 40, 60)),
    ((order,), "_MIN_LINES", (2, 3, 4, 6)),
    ((order,), "_MIN_EMS", (4.0, 5.5, 7.0, 8.5, 10.0)),
    ((order,), "_FULL", (0.35, 0.45, 0.55, 0.65, 0.75)),
    ((order,), "_FLUSH", (4, 6, 8, 12)),
    ((order,), "_BESIDE", (0.35, 0.45, 0.55, 0.7, 2.0)),
    ((join, reader), "PRINT_NOISE", (0.03, 0.05, 0.07, 0.1, 0.14)),
    ((join,), "_LONG_ROW", (8.0, 11.0, 14.0, 18.0, 24.0)),
    ((join,), "_NARROW", (7.0, 9.0, 11.5, 14.0, 18.0)),
    ((join,), "_RAGGED", (1.2, 1.6, 2.0, 2.6, 3.2)),
    ((join,), "_ENDED", (0.8, 1.2, 1.6, 2.0, 2.6)),
    ((grid,), "_LEAST_ROWS", (2, 3, 4)),
    ((grid,), "_GAP", (0.5, 0.7, 0.9, 1.1, 1.4, 1.8)),
    ((grid,), "_FAR", (1.5, 2.5, 4.0, 6.0)),
    ((furniture,), "_ZONE", (0.08, 0.11, 0.14, 0.17, 0.22)),
    ((furniture,), "_LEAST", (2, 3, 4)),
    ((furniture,), "_SHARE", (0.05, 0.15, 0.3, 0.5)),
    ((flow,), "_MOST_ASIDE", (1, 3, 6, 10)),
    ((line,), "_CODE_SHARE", (0.3, 0.45, 0.6, 0.75, 0.9)),
    ((pdf_lines,), "_COLUMN_GAP", (1.0, 1.4, 1.8, 2.2, 3.0)),
    ((pdf_lines,), "_TRACKING", (0.3, 0.5, 0.8, 1.1)),
    ((pdf_lines,), "_RUN_ON", (1, 4, 8)),
)
OF_PAGES = (pdf_lines,)  # constants that are used before a page's lines are known
OCR_OFF = LoadOptions(ocr="never")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=80)
    parser.add_argument("--only", default="", metavar="NAME,…")
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("--worst", type=int, default=0, help="print what is wrong in so many documents instead")
    args = parser.parse_args()
    if args.trust:
        report: Any = trust_report()
    else:
        with tempfile.TemporaryDirectory() as folder:
            sets = [(Path(folder) / f"{n}.pdf", n) for n in range(args.documents)]
            documents = [(path, typeset(path, seed)) for path, seed in sets]
            report = worst(documents, args.worst) if args.worst else sweep(documents, args.only)
    json.dump(report, sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


def sweep(documents: Sequence[tuple[Path, Truth]], only: str) -> dict[str, Any]:
    halves = (documents[::2], documents[1::2])
    with remembered_pages():
        shipped = [score(half) for half in halves]
    report: dict[str, Any] = {"shipped": [{name: round(value, 4) for name, value in part.items()} for part in shipped]}
    for modules, name, values in SWEEPS:
        key = f"{modules[0].__name__.rsplit('.', 1)[-1]}.{name}"
        if any(part in key for part in only.split(",")):
            report[key] = tried(modules, name, values, halves, shipped)
    return report


def tried(
    modules: Sequence[ModuleType],
    name: str,
    values: Sequence[float],
    halves: Sequence[Sequence[tuple[Path, Truth]]],
    shipped: Sequence[dict[str, float]],
) -> dict[str, Any]:
    """Each value's score on both halves; for others than the shipped one also the part that it changes most."""
    now = getattr(modules[0], name)
    found: dict[str, Any] = {}
    for value in values:
        scores = shipped if value == now else with_value(modules, name, value, lambda: [score(half) for half in halves])
        changes = {part: scores[0][part] - shipped[0][part] for part in scores[0] if part != "all"}
        most = max(changes, key=lambda part: abs(changes[part]))
        row = {"choose": round(scores[0]["all"], 4), "check": round(scores[1]["all"], 4)}
        found[str(value)] = row | ({"shipped": True} if value == now else {most: round(changes[most], 4)})
    best = max(found, key=lambda value: (found[value]["choose"], "shipped" in found[value]))
    return {**found, "best": best}


def with_value(modules: Sequence[ModuleType], name: str, value: float, do: Callable[[], Any]) -> Any:
    before = getattr(modules[0], name)
    for module in modules:
        setattr(module, name, value)
    try:
        if modules[0] in OF_PAGES:
            return do()
        with remembered_pages():
            return do()
    finally:
        for module in modules:
            setattr(module, name, before)


_pages: dict[tuple[str, int], Any] = {}


@contextmanager
def remembered_pages() -> Iterator[None]:
    """Within, a page's lines are read once for all settings."""

    def read_page(doc: Any, index: int, options: LoadOptions, repeated: frozenset[int]) -> Any:
        key = (str(doc.name), index)
        if key not in _pages:
            _pages[key] = pdf_page.read_page(doc, index, options, repeated)
        return _pages[key]

    vars(reader)["read_page"] = read_page
    try:
        yield
    finally:
        vars(reader)["read_page"] = pdf_page.read_page


def score(documents: Sequence[tuple[Path, Truth]]) -> dict[str, float]:
    """The mean of each part over the documents that have it, and of all parts."""
    rows = [judge(reader.read_pdf(path, OCR_OFF), truth) for path, truth in documents]
    parts = dict.fromkeys(name for row in rows for name in row)
    means = {name: statistics.fmean(row[name] for row in rows if name in row) for name in parts}
    return {"all": statistics.fmean(statistics.fmean(row.values()) for row in rows), **means}


def judge(document: Document, truth: Truth) -> dict[str, float]:
    blocks = document.blocks
    told = "\n".join(block.text for block in blocks)
    wanted: dict[str, list[str]] = {}
    for kind, text in truth.parts:
        wanted.setdefault("text" if kind in ("paragraph", "list") else kind, []).append(text)
    rows = [
        row
        for block in blocks
        if block.kind == "table"
        for row in block.text.split("\n")
        if not row.startswith("| ---")
    ]
    prose = [piece for block in blocks if block.kind in ("paragraph", "list") for piece in block.text.split("\n")]
    scores = {
        "heading": f1(wanted.get("heading", []), [block.text for block in blocks if block.kind == "heading"]),
        "text": f1(wanted.get("text", []), prose),
        "row": f1([row.replace("\t", "|") for row in wanted.get("row", [])], [row.strip("| ") for row in rows]),
        "code": f1(wanted.get("code", []), [block.text for block in blocks if block.kind == "code"], exact=True),
        "order": order_of([text for _, text in truth.parts], told),
    }
    found = {name: value for name, value in scores.items() if value is not None}
    if truth.furniture:
        lines = Counter(bare(text) for block in blocks for text in block.text.split("\n"))
        found["furniture"] = 1 - min(
            1.0, sum(lines[bare(text)] for text in set(truth.furniture)) / len(truth.furniture)
        )
    return found


def f1(wanted: Sequence[str], got: Sequence[str], *, exact: bool = False) -> float | None:
    """None where there was nothing to find and nothing was found."""
    fold = str if exact else bare
    a, b = Counter(map(fold, wanted)), Counter(map(fold, got))
    return 2 * (a & b).total() / (a.total() + b.total()) if a or b else None


def order_of(texts: Sequence[str], told: str) -> float:
    """The share of neighbouring parts that stand one after the other."""
    whole, at, right = bare(told), 0, 0
    for text in texts:
        place = whole.find(bare(text)[:12], at)
        if 0 <= place < at + 4000:
            right, at = right + 1, place
    return right / len(texts)


def bare(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def worst(documents: Sequence[tuple[Path, Truth]], n: int) -> list[dict[str, Any]]:
    """What was expected and not found, and the other way round, where the score is lowest."""
    rows = []
    for path, truth in documents:
        document = reader.read_pdf(path, OCR_OFF)
        wanted = Counter((kind, bare(text)) for kind, text in truth.parts if kind != "row")
        got = Counter(
            (b.kind, bare(piece)) for b in document.blocks for piece in b.text.split("\n") if b.kind != "table"
        )
        scores = judge(document, truth)
        missed = [f"{kind} {text[:70]}" for kind, text in wanted - got if kind != "code"]
        extra = [f"{kind} {text[:70]}" for kind, text in got - wanted if kind != "code"]
        rows.append({"seed": path.stem, "scores": scores, "missed": missed[:8], "extra": extra[:8]})
    return sorted(rows, key=lambda row: statistics.fmean(row["scores"].values()))[:n]


if __name__ == "__main__":
    main()
