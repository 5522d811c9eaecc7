"""What the stages need from outside themselves; `wiring` gives each an adapter, tests give fakes."""

from edu_cli.protocols.models import ChatModel, Encoder, OcrEngine, OcrLine, Progress, Reranker, WebSearch
from edu_cli.protocols.stores import (
    AskRecords,
    IngestCatalog,
    LexicalIndex,
    ParentSource,
    PassageSearch,
    ScopeWish,
    VectorCache,
    VectorSearch,
    VectorStore,
)

__all__ = [
    "AskRecords",
    "ChatModel",
    "Encoder",
    "IngestCatalog",
    "LexicalIndex",
    "OcrEngine",
    "OcrLine",
    "ParentSource",
    "PassageSearch",
    "Progress",
    "Reranker",
    "ScopeWish",
    "VectorCache",
    "VectorSearch",
    "VectorStore",
    "WebSearch",
]
