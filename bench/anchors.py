"""How many anchors of real course files stand in a chunk of their file, on the right page or slide.

    python bench/anchors.py ../shared/data/courses [--format pdf ...] [--ocr never]      # prints JSON

`anchors.jsonl` in the folder names strings that occur once in a file (`file`, `format`, `page` or null, `anchor`). Each
file is loaded and split as `edu ingest` does. A parent holds an anchor when its text does after width and white space
folding; `in_child` asks the same of one child, which may end where a sentence does.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

from edu_cli.config import Settings, SplitSettings, cache_dir
from edu_cli.errors import LoadError
from edu_cli.ingest.split.splitter import choose_profile, split
from edu_cli.ingest.workers.pool import LoadPool
from edu_cli.types import Document, Parent
from edu_cli.wiring.ingesting import LoadOptionsFactory


def fold(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def has_page(page: int | None, found: Parent) -> bool:
    low, high = found.page or 0, found.page_end or found.page or 0
    return page is None or low <= page <= high


def judge(document: Document, anchors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    parents = split(document, choose_profile(document), SplitSettings())
    told = []
    for anchor in anchors:
        wanted = fold(anchor["anchor"])
        holders = [parent for parent in parents if wanted in fold(parent.text)]
        children = [child for p in holders for child in p.children if wanted in fold(p.text[child.start : child.end])]
        told.append(
            {
                **anchor,
                "found": bool(holders),
                "right_page": any(has_page(anchor["page"], parent) for parent in holders),
                "in_child": bool(children),
            }
        )
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", nargs="*", default=[])
    parser.add_argument("--ocr", choices=("auto", "never"), default="auto")
    parser.add_argument("--cache", type=Path, default=cache_dir(Settings()) / "ocr", help="where OCR results are kept")
    args = parser.parse_args()
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (args.folder / "anchors.jsonl").read_text(encoding="utf-8").splitlines():
        anchor = json.loads(line)
        if not args.format or anchor["format"] in args.format:
            by_file[anchor["file"]].append(anchor)
    judged: list[dict[str, Any]] = []
    failed: dict[str, str] = {}
    factory = LoadOptionsFactory(args.ocr, "", args.cache, 200 * 2**20)
    with LoadPool(0, 600, factory) as pool:
        for (name, anchors), loaded in zip(
            by_file.items(), pool.load_all(args.folder / n for n in by_file), strict=True
        ):
            if isinstance(loaded.outcome, LoadError):
                failed[name] = loaded.outcome.message
                judged += [{**anchor, "found": False, "right_page": False, "in_child": False} for anchor in anchors]
            else:
                judged += judge(loaded.outcome, anchors)
    paged = [j for j in judged if j["page"] is not None]
    report = {
        "files": len(by_file),
        "failed": failed,
        "anchors": len(judged),
        "found": sum(j["found"] for j in judged),
        "in_child": sum(j["in_child"] for j in judged),
        "with_page": len(paged),
        "right_page": sum(j["right_page"] for j in paged),
        "missed": [j for j in judged if not (j["found"] and j["right_page"])],
    }
    json.dump(report, sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
