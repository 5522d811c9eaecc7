"""Questions that come with the passages to answer them from -> how good the answers are. Used by eval_sets.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from set_project import Bench, Report, ranks, rows_of

from edu_cli.evaluate.answers import folded_answer


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


def forms_of(answer: Any) -> list[str]:
    """The forms in which an answer may be given: a text, or a list of them, however deep."""
    return [answer] if isinstance(answer, str) else [form for inner in answer for form in forms_of(inner)]
