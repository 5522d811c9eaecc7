"""A plain LangChain pipeline: text loader, recursive splitter (1,000 / 200 characters), a store. Run by run.py.

langchain_peer.py ingest DOCS STORE | query STORE QUESTIONS RESULTS

STORE is Milvus Lite's where its name ends in .db, else FAISS's.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from same_encoder import passages, question


class SameEncoder(Embeddings):
    """edu's encoder behind LangChain's interface."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return passages(texts)

    def embed_query(self, text: str) -> list[float]:
        return question(text)


def ingest(docs: Path, store: Path) -> None:
    """A pipeline as the tutorials have it: everything is read, split and encoded each time."""
    files = sorted(path for path in docs.rglob("*") if path.suffix in (".md", ".txt"))
    documents = [Document(path.read_text(encoding="utf-8"), metadata={"source": path.name}) for path in files]
    chunks = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200).split_documents(documents)
    if store.suffix == ".db":
        from langchain_milvus import Milvus

        Milvus.from_documents(chunks, SameEncoder(), connection_args={"uri": str(store)}, drop_old=True)
    else:
        from langchain_community.vectorstores import FAISS

        FAISS.from_documents(chunks, SameEncoder()).save_local(str(store))


def opened(store: Path) -> Any:
    """The store as its users open it for questions."""
    if store.suffix == ".db":
        from langchain_milvus import Milvus

        return Milvus(SameEncoder(), connection_args={"uri": str(store)})
    from langchain_community.vectorstores import FAISS

    return FAISS.load_local(str(store), SameEncoder(), allow_dangerous_deserialization=True)


def query(store: Path, questions: Path, results: Path) -> None:
    """Files in the order found, and the seconds of each question."""
    index = opened(store)
    found = []
    for text in json.loads(questions.read_text(encoding="utf-8")):
        start = time.perf_counter()
        hits = index.similarity_search(text, k=30)
        found.append({"docs": [hit.metadata["source"] for hit in hits], "seconds": time.perf_counter() - start})
    results.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    {"ingest": ingest, "query": query}[sys.argv[1]](*map(Path, sys.argv[2:]))
