"""Questions written for this project -> groups: `python written.py WORK`, JSON lines in WORK/groups/written.jsonl.

../data/reranker_questions.jsonl has, for a passage of the sets (by the hash of its text), questions that it answers and
questions that look as if it did. Near misses come from the hybrid search, as in mine.py. A question that nothing answers
has the passage that it was written for as its first near miss.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from mine import MOST_WRONG, SETS, parted

from edu_cli.ask.retrieval.search import Searcher
from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.wiring.asking import open_searcher

WRITTEN = Path(__file__).parents[1] / "data" / "reranker_questions.jsonl"


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--written", type=Path, default=WRITTEN)
    parser.add_argument("--name", default="written", help="of the file in WORK/groups")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.written.read_text(encoding="utf-8").splitlines()]
    places = {key: place for name in options.sets.split(",") for key, place in _places(options.work / name)}
    n = 0
    with (options.work / "groups" / f"{options.name}.jsonl").open("w", encoding="utf-8") as out:
        for group in groups(options.work, lines, places):
            out.write(json.dumps(group, ensure_ascii=False) + "\n")
            n += 1
    print(json.dumps({"passages": len(lines), "not found": sum(x["key"] not in places for x in lines), "groups": n}))


def key_of(text: str) -> str:
    """By which a passage is named, wherever it stands."""
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _places(folder: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Key -> (set, file) of each passage of a set."""
    for file in sorted((folder / "docs").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        body = text.split("\n\n", 1)[1] if text.startswith("# ") else text
        yield key_of(body.strip()), (folder.name, file.name)


def groups(work: Path, lines: list[dict], places: Mapping[str, tuple[str, str]]) -> Iterator[dict]:
    """As mine.groups."""
    with ExitStack() as stack:
        searchers: dict[str, Searcher] = {}
        for line in lines:
            name, file = places.get(line["key"], ("", ""))
            if not name:
                continue
            if name not in searchers:
                project = work / name / "p"
                settings = load_settings(project, os.environ)
                searchers[name] = stack.enter_context(open_searcher(Project(project), settings))
            for question in line["asked"]:
                yield from _group(searchers[name], question, file, answered=True)
            for question in line["not"]:
                yield from _group(searchers[name], question, file, answered=False)


def _group(searcher: Searcher, question: str, file: str, *, answered: bool) -> Iterator[dict]:
    own, others = parted(searcher, question, {file})
    if not own or len(others) < MOST_WRONG // 2:
        return
    others = others[:MOST_WRONG]
    if answered:
        yield {"question": question, "kind": "written", "right": own, "wrong": others}
    else:
        yield {"question": question, "kind": "unanswerable", "right": [], "wrong": [*own, *others]}


if __name__ == "__main__":
    main()
