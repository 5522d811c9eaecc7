"""A plain LlamaIndex pipeline: directory reader, its default splitter (1,024 / 200 tokens) and store. Run by run.py.

llamaindex_peer.py ingest DOCS STORE | query STORE QUESTIONS RESULTS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.base.embeddings.base import BaseEmbedding
from same_encoder import passages, question


class SameEncoder(BaseEmbedding):
    """edu's encoder behind LlamaIndex's interface."""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return passages(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return passages([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return question(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return question(query)


def ingest(docs: Path, store: Path) -> None:
    """The first time all files; after that, by LlamaIndex's own refresh, those that changed."""
    documents = SimpleDirectoryReader(str(docs), recursive=True, filename_as_id=True).load_data()
    if store.exists():
        index = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(store)), embed_model=SameEncoder())
        index.refresh_ref_docs(documents)
    else:
        index = VectorStoreIndex.from_documents(documents, embed_model=SameEncoder())
    index.storage_context.persist(str(store))


def query(store: Path, questions: Path, results: Path) -> None:
    """Files in the order found, and the seconds of each question."""
    index = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(store)), embed_model=SameEncoder())
    retriever = index.as_retriever(similarity_top_k=30)
    found = []
    for text in json.loads(questions.read_text(encoding="utf-8")):
        start = time.perf_counter()
        hits = retriever.retrieve(text)
        names = [hit.metadata["file_name"] for hit in hits]
        found.append({"docs": names, "seconds": time.perf_counter() - start})
    results.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    {"ingest": ingest, "query": query}[sys.argv[1]](*map(Path, sys.argv[2:]))
