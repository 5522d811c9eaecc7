"""Load + split + store, encoding aside: `edu ingest` against a plain LangChain pipeline on Milvus Lite, CPU seconds.

    python bench/peer_langchain.py FOLDER [--peer PYTHON] [--rounds 3] [--cache DIR] [--no-index]

FOLDER holds Markdown files. PYTHON is an interpreter with langchain-milvus, langchain-text-splitters and
pymilvus[milvus-lite] (`python -m venv peer && peer/bin/pip install langchain-milvus 'pymilvus[milvus-lite]'`); without
it only our side is measured, and the result says so. Both sides are whole processes, in turn, and neither encodes: ours
finds its vectors in the vector cache that a first run (not counted) filled, LangChain's embeddings are random vectors of
the same size. Our side also keeps sparse vectors, a copy of all vectors for searches and a record of every document,
and cuts words for BM25 unless --no-index; LangChain's does not. Install ours into a bare environment to measure it:
pymilvus asks scipy, where it is, about every sparse vector.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from processes import spend

PEER = """
import pathlib, sys
import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_milvus import Milvus
from langchain_text_splitters import RecursiveCharacterTextSplitter


class Random(Embeddings):
    def embed_documents(self, texts):
        rows = np.random.default_rng(0).standard_normal((len(texts), 384), dtype=np.float32)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


files = sorted(pathlib.Path(sys.argv[1]).rglob("*.md"))
documents = [Document(f.read_text(encoding="utf-8"), metadata={"source": str(f)}) for f in files]
splitter = RecursiveCharacterTextSplitter(chunk_size=250, chunk_overlap=50, add_start_index=True)
chunks = splitter.split_documents(documents)
Milvus.from_documents(chunks, Random(), connection_args={"uri": sys.argv[2]}, drop_old=True)
print(len(chunks))
"""


def main() -> None:
    """Measures both sides in turn and prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-index", action="store_true", help="leave BM25 out, as LangChain's side does")
    parser.add_argument("--cache", type=Path, help="a vector cache to keep between calls of this script")
    args = parser.parse_args()
    edu = str(Path(sys.executable).parent / "edu")
    with tempfile.TemporaryDirectory() as temp:
        only = Path(temp, "md")
        for file in sorted(args.folder.rglob("*.md")):
            (copy := only / file.relative_to(args.folder)).parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
        env = {**os.environ, "EDU_CACHE_DIR": str(args.cache or Path(temp, "cache"))}
        flags = ["--json", *(["--no-index"] if args.no_index else [])]
        spend([edu, "ingest", str(only), "--project", str(Path(temp, "warm")), "--json"], env=env)
        ours, theirs, result, peer_chunks = [], [], {}, 0
        for turn in range(args.rounds):
            spent = spend([edu, "ingest", str(only), "--project", str(Path(temp, f"p{turn}")), *flags], env=env)
            ours.append(spent.cpu_s)
            result = json.loads(spent.output)
            if args.peer:
                spent = spend([args.peer, "-c", PEER, str(only), str(Path(temp, f"peer{turn}.db"))], env=env)
                theirs.append(spent.cpu_s)
                peer_chunks = int(spent.output.split()[-1])
    report = {
        "files": len(result["documents"]),
        "edu": {"cpu_s": ours, "median": statistics.median(ours), "children": result["chunks"]["children"],
                "encoded": result["chunks"]["encoded"]},
        "langchain": {"cpu_s": theirs, "median": statistics.median(theirs), "chunks": peer_chunks}
        if theirs
        else "skipped: no --peer interpreter with langchain-milvus",
        "ratio": statistics.median(a / b for a, b in zip(ours, theirs, strict=True)) if theirs else None,
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
    }  # fmt: skip
    json.dump(report, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
