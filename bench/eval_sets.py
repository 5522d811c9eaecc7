"""`edu eval` over public sets of other shapes: retrieval, routing, answers from given contexts, and refusal.

    python bench/eval_sets.py DATA WORK [--only NAME,NAME] [--limit N] [--compare modes]

DATA holds `ir/SET/{corpus,queries}.jsonl` and `qrels.tsv` (squad-zh also `unanswerable.jsonl`, domainrag `conversation.jsonl`),
`route/*.jsonl` and `gen/*.jsonl`. Each set becomes files and a data set below WORK, is ingested by `edu` (a project that
is there already is brought up to date), and scored by `edu eval`; a set's report stays in WORK/NAME/*.report.json.
Prints one JSON object a set. Answers are extractive unless an LLM is configured.

What was made of the shapes: a passage is a Markdown file with its title as heading. Routes: 专业咨询 is rag, 通用知识 is general.
gen/rgb-zh_fact is asked twice, of the true passages and of counterfeit ones, each with its noise: a system that keeps to
its material gives the counterfeit answer for the latter. gen/rgb-zh_int wants several parts in one answer: `parts` is the
share of the questions whose answer holds them all.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from answer_sets import counterfeit, integration, ragas
from set_project import Bench, ranks, rows_of

ROUTES = {"专业咨询": "rag", "通用知识": "general"}


def file_of(ident: str) -> str:
    """A name for a passage's file."""
    return re.sub(r"[^\w.-]+", "_", ident) + ".md"


def corpus_of(folder: Path) -> dict[str, str]:
    rows = rows_of(folder / "corpus.jsonl")
    documents = {}
    for row in rows:
        title = " ".join((row.get("title") or "").split())
        documents[file_of(row["doc_id"])] = f"# {title}\n\n{row['text']}\n" if title else f"{row['text']}\n"
    if len(documents) < len(rows):
        sys.exit(f"{folder}: two passages would have the same file name")
    return documents


def questions_of(folder: Path) -> Iterator[dict[str, Any]]:
    relevant: dict[str, list[dict[str, Any]]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as qrels:
        for row in csv.DictReader(qrels, delimiter="\t"):
            entry = {"doc": file_of(row["corpus-id"]), "grade": int(row["score"])}
            relevant.setdefault(row["query-id"], []).append(entry)
    for row in rows_of(folder / "queries.jsonl"):
        yield {"id": row["query_id"], "question": row["text"], "relevant": relevant.get(row["query_id"], [])}


def retrieval(bench: Bench, name: str) -> dict[str, Any]:
    """Rank measures, by mode where they are compared."""
    folder = bench.data / "ir" / name
    project = bench.ingest(name, corpus_of(folder))
    items = list(questions_of(folder))
    found = ranks(bench.score(project, "retrieval", items, "--stage", "retrieval", *bench.compare))
    if (folder / "unanswerable.jsonl").exists():
        absent = [
            {"id": f"x-{row['query_id']}", "question": row["text"], "answerable": False}
            for row in rows_of(folder / "unanswerable.jsonl")
        ]
        report = bench.score(project, "refusal", [*items, *absent], "--stage", "retrieval")
        found["refusal"] = {**report["refusal"], "ece": report["calibration"]["ece"]}
    if (folder / "conversation.jsonl").exists():
        report = bench.score(
            project, "conversation", talks_of(folder), "--stage", "retrieval", "--compare", "strategies"
        )
        found["conversation"] = {
            "as asked": ranks(report)["nDCG@10"],
            "made standalone": report["retrieval"]["strategies"]["direct"]["measures"]["nDCG@10"]["mean"],
        }
    return found


def talks_of(folder: Path) -> Iterator[dict[str, Any]]:
    for row in rows_of(folder / "conversation.jsonl"):
        turns = [
            {"role": role, "content": turn[key]}
            for turn in row["history"]
            for role, key in (("user", "question"), ("assistant", "answer"))
        ]
        relevant = [{"doc": file_of(row["doc_id"])}]
        yield {"id": row["query_id"], "question": row["text"], "history": turns, "relevant": relevant}


def routing(bench: Bench, name: str) -> dict[str, Any]:
    """Accuracy of the plan; the material is that of edurag-llm-course, since a route needs a project."""
    project = bench.ingest("edurag-llm-course", corpus_of(bench.data / "ir" / "edurag-llm-course"))
    items = [
        {"id": row["id"], "question": row["query"]}
        | ({"route": ROUTES[row["label"]]} if "label" in row else {"strategy": row["strategy"]})
        for row in rows_of(bench.data / "route" / f"{name}.jsonl")
    ]
    report = bench.score(project, name, items, "--stage", "routing")
    part = report["routing"].get("route") or report["routing"]["strategy"]
    return {"questions": part["n"], **{key: part[key] for key in ("accuracy", "macro_f1", "confusion")}}


def sets_of(data: Path) -> dict[str, Callable[[Bench, str], dict[str, Any]]]:
    """Every set with how it is measured."""
    return {
        **{path.name: retrieval for path in sorted((data / "ir").iterdir()) if path.is_dir()},
        **{path.stem: routing for path in sorted((data / "route").glob("*.jsonl"))},
        "edurag-ragas": ragas,
        "rgb-zh_fact": counterfeit,
        "rgb-zh_int": integration,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", default="", help="names of sets, by comma")
    parser.add_argument("--limit", type=int, help="questions of each data set, by lot")
    parser.add_argument("--compare", help="passed on to edu eval on the retrieval sets")
    args = parser.parse_args()
    bench = Bench(args.data, args.work, limit=args.limit, compare=args.compare)
    known = sets_of(args.data)
    for name in args.only.split(",") if args.only else known:
        found = known[name](bench, name)
        print(json.dumps({"set": name, **found}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
