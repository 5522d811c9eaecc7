"""How well numbered headings of plain text are told: `python bench/headings.py DIR...` over Markdown files.

Each file is stripped of its # marks and code, its lines read as plain text. Prints JSON: of the lines taken for headings,
the share that were headings (precision); of the numbered headings, the share that was found (recall); examples of what was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from edu_cli.ingest.markup.markdown import to_blocks
from edu_cli.ingest.text.decode import decode
from edu_cli.ingest.text.numbered_headings import heading_levels, numbered_line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    right = found = wanted = 0
    wrong: list[str] = []
    for file in sorted(file for path in args.paths for file in path.rglob("*.md")):
        lines: list[str] = []
        true: set[int] = set()
        for block in to_blocks(decode(file.read_bytes()).text):
            if block.kind == "heading":
                true.add(len(lines))
            if block.kind != "code":
                lines += [line.strip("*") for line in block.text.split("\n")]
        levels = heading_levels(lines)
        right += len(levels.keys() & true)
        found += len(levels)
        wanted += sum(numbered_line(lines[at]) is not None for at in true)
        wrong += [f"{file.name}: {lines[at]}" for at in levels.keys() - true]
    report = {
        "found": found,
        "precision": round(right / max(1, found), 4),
        "recall": round(right / max(1, wanted), 4),
        "wrong": wrong[:60],
    }
    json.dump(report, sys.stdout, indent=1, ensure_ascii=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
