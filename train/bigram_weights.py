"""Looks for better K1, B and AVERAGE_TERMS of `edu_cli/index/encoders/bigrams.py`: nDCG@10 of the sparse leg alone.

    python train/bigram_weights.py ../shared/data/ir

Passages are cut into pieces of 300 characters, as ingest cuts them, and a passage scores as its best piece; terms weigh
by the corpus's IDF, as at search. The grid is ranked on three sets and shown on the others; `left_out`
is the mean over all sets of the row that is best on the other eight.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edu_cli.index.encoders.bigrams import term_id, terms

CHOOSING = ("javaguide-headings", "cmrc2018", "domainrag")
CHECKING = ("squad-zh", "hello-algo-qa", "edurag-llm-course", "dl500-headings", "drcd-hant", "advjava-interview")
GRID = list(itertools.product((0.9, 1.2, 1.5, 2.0), (0.3, 0.5, 0.75, 1.0), (100, 160, 240, 320)))
PIECE, MOST_QUESTIONS = 300, 400


@dataclass(frozen=True)
class Postings:
    """One set's pieces: for every (term, piece) pair the piece and its count, in the order of terms."""

    starts: dict[int, tuple[int, int]]
    pieces: np.ndarray
    counts: np.ndarray
    idf: np.ndarray
    lengths: np.ndarray
    owners: np.ndarray
    questions: list[tuple[Counter[int], dict[int, int]]]


def read_set(folder: Path) -> Postings:
    """Counts of a set's pieces, and its questions with their relevant passages (grade by passage)."""
    pairs: list[tuple[int, int, int]] = []
    lengths, owners, names = [], [], {}
    for line in (folder / "corpus.jsonl").open(encoding="utf-8"):
        doc = json.loads(line)
        owner = names.setdefault(doc["doc_id"], len(names))
        title = doc.get("title") or ""
        for start in range(0, max(1, len(doc["text"])), PIECE):
            counts = Counter(map(term_id, terms(f"{title}\n{doc['text'][start : start + PIECE]}")))
            pairs += [(term, len(lengths), n) for term, n in counts.items()]
            lengths.append(counts.total())
            owners.append(owner)
    table = np.array(sorted(pairs), np.int64)
    found, first, n = np.unique(table[:, 0], return_index=True, return_counts=True)
    idf = np.repeat(np.log1p((len(lengths) - n + 0.5) / (n + 0.5)), n)
    starts = {int(t): (int(a), int(a + k)) for t, a, k in zip(found, first, n, strict=True)}
    return Postings(
        starts, table[:, 1], table[:, 2], idf, np.array(lengths), np.array(owners), _questions(folder, names)
    )


def _questions(folder: Path, names: dict[str, int]) -> list[tuple[Counter[int], dict[int, int]]]:
    grades: dict[str, dict[int, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                grades.setdefault(row["query-id"], {})[names[row["corpus-id"]]] = int(row["score"])
    lines = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    kept = [line for line in lines if line["query_id"] in grades]
    kept = kept[:: max(1, len(kept) // MOST_QUESTIONS)][:MOST_QUESTIONS]
    return [(Counter(map(term_id, terms(line["text"]))), grades[line["query_id"]]) for line in kept]


def ndcg(postings: Postings, k1: float, b: float, average: float) -> float:
    """Mean nDCG@10; the gain of a grade g is 2^g - 1."""
    held = k1 * (1 - b + b * postings.lengths / average)
    weights = postings.counts * (k1 + 1) / (postings.counts + held[postings.pieces]) * postings.idf
    total = 0.0
    for asked, grades in postings.questions:
        scores = np.zeros(len(postings.lengths))
        for term, n in asked.items():
            first, last = postings.starts.get(term, (0, 0))
            scores[postings.pieces[first:last]] += n * weights[first:last]  # a piece stands once under a term
        best = np.zeros(postings.owners[-1] + 1)
        np.maximum.at(best, postings.owners, scores)
        top = np.argsort(-best, kind="stable")[:10]
        gain = sum((2 ** grades.get(int(d), 0) - 1) / np.log2(i + 2) for i, d in enumerate(top) if best[d] > 0)
        ideal = sorted(grades.values(), reverse=True)[:10]
        total += gain / sum((2**g - 1) / np.log2(i + 2) for i, g in enumerate(ideal))
    return total / len(postings.questions)


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    by_set = {}
    for name in (*CHOOSING, *CHECKING):
        postings = read_set(folder / name)
        by_set[name] = [ndcg(postings, *way) for way in GRID]
    means = {
        kind: np.mean([by_set[name] for name in names], axis=0)
        for kind, names in (("choosing", CHOOSING), ("checking", CHECKING))
    }
    rows = [
        {"k1": k1, "b": b, "average_terms": average, **{kind: round(float(mean[i]), 4) for kind, mean in means.items()}}
        | {name: round(values[i], 4) for name, values in by_set.items()}
        for i, (k1, b, average) in enumerate(GRID)
    ]
    rows.sort(key=lambda row: -row["choosing"])
    table = np.array(list(by_set.values()))
    best = [int(np.delete(table, i, axis=0).mean(axis=0).argmax()) for i in range(len(table))]
    left_out = float(np.mean([values[i] for values, i in zip(table, best, strict=True)]))
    json.dump({"left_out": left_out, "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
