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
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from edu_cli.evaluate.answers import folded_answer

ROUTES = {"专业咨询": "rag", "通用知识": "general"}

Rows = Iterable[Mapping[str, Any]]
Report = Mapping[str, Any]


class Bench:
    """Where the sets are, where the work goes, and how `edu eval` is called."""

    def __init__(self, data: Path, work: Path, *, limit: int | None, compare: str | None) -> None:
        self.data = data
        self.work = work
        self.limit = ["--limit", str(limit)] if limit else []
        self.compare = ["--compare", compare] if compare else []

    def ingest(self, name: str, documents: Mapping[str, str]) -> Path:
        """The project of these documents, by file name."""
        docs, project = self.work / name / "docs", self.work / name / "p"
        docs.mkdir(parents=True, exist_ok=True)
        for path, text in documents.items():
            if not (docs / path).exists():
                (docs / path).write_text(text, encoding="utf-8")
        edu("ingest", docs, "--project", project, "-q", "--json")
        return project

    def score(self, project: Path, what: str, items: Rows, *flags: object) -> Report:
        """The report of `edu eval` on these items."""
        dataset, out = project.parent / f"{what}.jsonl", project.parent / f"{what}.report.json"
        lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        dataset.write_text("".join(lines), encoding="utf-8")
        edu("eval", dataset, "--project", project, "--out", out, "-q", *flags, *self.limit)
        return json.loads(out.read_text(encoding="utf-8"))


def edu(*words: object) -> None:
    """Runs the program; what it warns of goes to stderr."""
    command = [sys.executable, "-m", "edu_cli", *map(str, words)]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        sys.exit(f"edu {words[0]} ended with exit code {done.returncode}")


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


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


def ragas(bench: Bench, name: str) -> dict[str, Any]:
    """Questions with their context and a reference."""
    rows = rows_of(bench.data / "gen" / f"{name}.jsonl")
    documents, items = {}, []
    for i, row in enumerate(rows):
        named = {f"{i}-{j}.md": text for j, text in enumerate(row["context"])}
        documents.update(named)
        entries = [{"doc": doc} for doc in named]
        items.append({"id": str(i), "question": row["question"], "relevant": entries, "answer": row["ground_truth"]})
    return answers(bench.score(bench.ingest(name, documents), "answers", items))


def counterfeit(bench: Bench, name: str) -> dict[str, Any]:
    """The share of true answers from true passages, and of counterfeit and true ones from counterfeit passages."""
    rows = rows_of(bench.data / "gen" / f"{name}.jsonl")
    found: dict[str, Any] = {}
    for kind, passages, key in (("true", "positive", "answer"), ("counterfeit", "positive_wrong", "fakeanswer")):
        documents = {f"{r['id']}-{i}.md": t for r in rows for i, t in enumerate([*r[passages], *r["negative"]])}
        items = [
            {
                "id": str(row["id"]),
                "question": row["query"],
                "answer": forms_of(row[key]),
                "relevant": [{"doc": f"{row['id']}-{i}.md"} for i in range(len(row[passages]))],
            }
            for row in rows
        ]
        report = bench.score(bench.ingest(f"{name}-{kind}", documents), "answers", items)
        found[kind] = answers(report) | {
            "true_answers": held(report, {str(r["id"]): [forms_of(r["answer"])] for r in rows})
        }
    return found


def integration(bench: Bench, name: str) -> dict[str, Any]:
    """Answers that need several passages."""
    rows = rows_of(bench.data / "gen" / f"{name}.jsonl")
    documents, items = {}, []
    for row in rows:
        wanted = [text for group in row["positive"] for text in (group if isinstance(group, list) else [group])]
        names = [f"{row['id']}-{i}.md" for i in range(len(wanted) + len(row["negative"]))]
        documents.update(zip(names, [*wanted, *row["negative"]], strict=True))
        parts = [forms_of(part)[0] for part in row["answer"]]
        entries = [{"doc": doc} for doc in names[: len(wanted)]]
        items.append({"id": str(row["id"]), "question": row["query"], "answer": "；".join(parts), "relevant": entries})
    report = bench.score(bench.ingest(name, documents), "answers", items)
    wanted_parts = {str(r["id"]): [forms_of(part) for part in r["answer"]] for r in rows}
    return answers(report) | {"parts": held(report, wanted_parts)}


def forms_of(answer: Any) -> list[str]:
    """The forms in which an answer may be given: a text, or a list of them, however deep."""
    return [answer] if isinstance(answer, str) else [form for inner in answer for form in forms_of(inner)]


def ranks(report: Report) -> dict[str, Any]:
    part = report["retrieval"]
    found = {"questions": part["judged"]}
    found |= {name: part["measures"][name]["mean"] for name in ("nDCG@10", "Recall@10", "MRR@10")}
    if "modes" in part:
        found["modes"] = {mode: measures["nDCG@10"]["mean"] for mode, measures in part["modes"].items()}
    return found | {"p50_s": report["latency"]["p50"], "notes": part.get("notes", [])}


def answers(report: Report) -> dict[str, Any]:
    part = report["generation"]
    names = ("Contains", "F1", "ROUGE-L", "Faithfulness", "CitationPrecision", "JudgeFaithfulness")
    found = {name: part["measures"][name]["mean"] for name in names if name in part["measures"]}
    refused = sum(row["answer"]["refused"] for row in report["per_question"])
    return {"questions": part["questions"], **found, "declined": refused, "Recall@10": ranks(report)["Recall@10"]}


def held(report: Report, wanted: Mapping[str, Sequence[Sequence[str]]]) -> float:
    """Share of the questions whose answer holds, of every part, one of its forms."""
    texts = {row["id"]: folded_answer(row["answer"]["text"]) for row in report["per_question"]}
    hits = [all(any(folded_answer(form) in texts[i] for form in forms) for forms in wanted[i]) for i in texts]
    return round(sum(hits) / len(hits), 4)


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
