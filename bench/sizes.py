"""What the length of children does to retrieval: `python bench/sizes.py SET... --sizes 160 250 400`.

SET is a BEIR folder (corpus.jsonl, queries.jsonl, qrels.tsv). Each document is split, its children encoded by the bundled
encoder, and documents are ranked by their best child's cosine.
Prints JSON: nDCG@10 and the characters encoded, by set and size. Size 0 is the own one of the profile that the text chooses.

What it printed, by dense vectors alone (three sets to choose by, two that were only looked at):

    size   course outline   deep-learning text   algorithms book   xquad-zh   squad-zh
    160    .753             .749                 .826              .977       .807
    250    .731             .720                 .833              .974       .780
    400    .729             .738                 .909              .969       .770

Text with code and formulas wants 400, which is what `technical` has. Prose is found a little better by 160 than by the 250
of `general`, for half as many vectors again; fusion weights and confidence were fitted at 250, so a change of one asks for
a new fit of the others.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import numpy as np

from edu_cli.config import SplitSettings
from edu_cli.evaluate.measures import Judged, ndcg
from edu_cli.index.encoders.e5_small import E5SmallEncoder
from edu_cli.ingest.markup.markdown import to_blocks
from edu_cli.ingest.split.splitter import choose_profile, encoding_text, split
from edu_cli.types import Document

CACHE = Path.home() / ".cache" / "edu"


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def children(doc: dict[str, str], size: int) -> list[str]:
    title = doc.get("title") or ""
    document = Document("md", title, tuple(to_blocks(doc["text"])))
    parents = split(document, choose_profile(document), SplitSettings(0, size))
    return [encoding_text(title, parent, child) for parent in parents for child in parent.children]


def gain(ranked: list[str], grades: dict[str, int]) -> float:
    return ndcg(Judged(tuple(grades.get(doc, 0) for doc in ranked), tuple(grades.values())), 10)


def judge(folder: Path, size: int, encoder: E5SmallEncoder) -> dict[str, float]:
    docs = read_lines(folder / "corpus.jsonl")
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    questions = [q for q in read_lines(folder / "queries.jsonl") if q["query_id"] in grades]
    texts: list[str] = []
    owner: list[int] = []
    for nth, doc in enumerate(docs):
        found = children(doc, size) or [doc.get("title") or " "]
        texts += found
        owner += [nth] * len(found)
    start = time.process_time()
    passages = encoder.encode_passages(texts).dense
    seconds = time.process_time() - start
    scores = encoder.encode_questions([q["text"] for q in questions]).dense @ passages.T
    best = np.full((len(questions), len(docs)), -1.0, np.float32)
    for column, doc in enumerate(owner):
        best[:, doc] = np.maximum(best[:, doc], scores[:, column])
    gains = [
        gain([docs[at]["doc_id"] for at in np.argsort(-row, kind="stable")[:10]], grades[q["query_id"]])
        for q, row in zip(questions, best, strict=True)
    ]
    return {
        "ndcg@10": round(float(np.mean(gains)), 4),
        "children": len(texts),
        "chars": sum(map(len, texts)),
        "encode_cpu_s": round(seconds, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[0])
    args = parser.parse_args()
    encoder = E5SmallEncoder(CACHE)
    report: dict[str, dict[str, dict[str, float]]] = {}
    for folder in args.sets:
        for size in args.sizes:
            judged = judge(folder, size, encoder)
            report.setdefault(folder.name, {})[str(size or "profile")] = judged
            print(folder.name, size, judged, file=sys.stderr)  # a run takes minutes
    json.dump(report, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
