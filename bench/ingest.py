"""CPU seconds of convert + split, against LangChain's splitters and MarkItDown, taking turns in one run.

    python bench/ingest.py DIR...          # .md files below, or with --office .docx and .pptx; prints JSON

`edu` reads and splits into parents and children; `langchain` reads UTF-8 and runs MarkdownHeaderTextSplitter, then
RecursiveCharacterTextSplitter (1000/50 and then 250/50 characters); `markitdown` converts, then splits the same way. MarkItDown is
left out where it is not installed, and the result says so. Imports and one warm-up file are not counted.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from edu_cli.config import SplitSettings
from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions
from edu_cli.ingest.split.splitter import choose_profile, split

SEPARATORS = ["\n\n", "\n", "。", "！", "？", "；", "，", " ", ""]
Pipeline = Callable[[Path], int]


def edu(path: Path) -> int:
    document = load(path, LoadOptions(ocr="never"))
    parents = split(document, choose_profile(document), SplitSettings())
    return sum(len(parent.children) for parent in parents)


def recursive(texts: list[str]) -> int:
    parents = RecursiveCharacterTextSplitter(
        separators=SEPARATORS, chunk_size=1000, chunk_overlap=50, add_start_index=True
    )
    children = RecursiveCharacterTextSplitter(
        separators=SEPARATORS, chunk_size=250, chunk_overlap=50, add_start_index=True
    )
    return len(children.split_documents(parents.create_documents(texts)))


def langchain(path: Path) -> int:
    headers = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 7)])
    return recursive(
        [section.page_content for section in headers.split_text(path.read_text(encoding="utf-8", errors="replace"))]
    )


def markitdown() -> Pipeline | None:
    try:
        from markitdown import MarkItDown
    except ImportError:
        return None
    converter = MarkItDown()
    headers = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 7)])
    return lambda path: recursive(
        [s.page_content for s in headers.split_text(converter.convert(str(path)).text_content)]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--office", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    suffixes = {".docx", ".pptx"} if args.office else {".md"}
    files = sorted(file for path in args.paths for file in path.rglob("*") if file.suffix in suffixes)
    pipelines: dict[str, Pipeline] = {"edu": edu, "langchain": langchain}
    if (other := markitdown()) is not None:
        pipelines["markitdown"] = other
    skipped = {} if other else {"markitdown": "not installed: pip install 'markitdown[docx,pptx]'"}
    if args.office:
        del pipelines["langchain"]  # reads text only
    if not files:
        raise SystemExit(f"no files with the endings {', '.join(sorted(suffixes))} are there")
    for pipeline in pipelines.values():
        pipeline(files[0])
    gc.collect()
    gc.freeze()  # what the libraries keep alive is no pipeline's own cost
    seconds: dict[str, list[float]] = {name: [] for name in pipelines}
    chunks = dict.fromkeys(pipelines, 0)
    for _ in range(args.rounds):
        spent = dict.fromkeys(pipelines, 0.0)
        for file in files:
            for name, pipeline in pipelines.items():
                start = time.process_time()
                chunks[name] += pipeline(file)
                spent[name] += time.process_time() - start
        for name, value in spent.items():
            seconds[name].append(round(value, 3))
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    report = {
        "files": len(files),
        "bytes": sum(file.stat().st_size for file in files),
        "cpu_seconds": seconds,
        "chunks": {name: n // args.rounds for name, n in chunks.items()},
        "times_edu": {name: round(value / middle["edu"], 2) for name, value in middle.items()},
        "skipped": skipped,
    }
    json.dump(report, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
