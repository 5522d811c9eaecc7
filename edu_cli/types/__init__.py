"""The frozen values that flow between the stages. No behaviour beyond what the fields imply.

Their modules are loaded when one of their names is asked for: all of them take as long as `edu status` may.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as typing's own
if TYPE_CHECKING:
    from edu_cli.types.answers import (
        Answer,
        Candidate,
        ChatReply,
        Citation,
        Hit,
        Leg,
        LegScore,
        LlmUse,
        Message,
        Passage,
        Scope,
        SearchRequest,
        SearchResult,
        Step,
        WebPage,
    )
    from edu_cli.types.documents import (
        Block,
        BlockKind,
        Child,
        Document,
        FaqEntry,
        OcrPage,
        Parent,
        Profile,
        Section,
        StoredChild,
        StoredParent,
    )
    from edu_cli.types.outcome import Outcome
    from edu_cli.types.records import (
        FaqRecord,
        PendingQuestion,
        PendingStatus,
        Session,
        SessionTurn,
        TraceRecord,
    )
    from edu_cli.types.stored import (
        CachedVectors,
        CatalogChild,
        CatalogDocument,
        CatalogParent,
        ChildRow,
        EncoderPin,
        FileStamp,
        KnownDocument,
        Root,
    )
    from edu_cli.types.vectors import DualVectors, IndexRow, SparseVector, VectorRow

__all__ = [
    "Answer",
    "Block",
    "BlockKind",
    "CachedVectors",
    "Candidate",
    "CatalogChild",
    "CatalogDocument",
    "CatalogParent",
    "ChatReply",
    "Child",
    "ChildRow",
    "Citation",
    "Document",
    "DualVectors",
    "EncoderPin",
    "FaqEntry",
    "FaqRecord",
    "FileStamp",
    "Hit",
    "IndexRow",
    "KnownDocument",
    "Leg",
    "LegScore",
    "LlmUse",
    "Message",
    "OcrPage",
    "Outcome",
    "Parent",
    "Passage",
    "PendingQuestion",
    "PendingStatus",
    "Profile",
    "Root",
    "Scope",
    "SearchRequest",
    "SearchResult",
    "Section",
    "Session",
    "SessionTurn",
    "SparseVector",
    "Step",
    "StoredChild",
    "StoredParent",
    "TraceRecord",
    "VectorRow",
    "WebPage",
]

_DOCUMENTS = "Block BlockKind Child Document FaqEntry OcrPage Parent Profile Section StoredChild StoredParent"
_RECORDS = "FaqRecord PendingQuestion PendingStatus Session SessionTurn TraceRecord"
_STORED = "CachedVectors CatalogChild CatalogDocument CatalogParent ChildRow EncoderPin FileStamp KnownDocument Root"
_VECTORS = "DualVectors IndexRow SparseVector VectorRow"
_PLACES = {
    "documents": _DOCUMENTS,
    "outcome": "Outcome",
    "records": _RECORDS,
    "stored": _STORED,
    "vectors": _VECTORS,
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """A class by its name, from the module that has it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PLACE_OF.get(name, 'answers')}"), name)
    globals()[name] = value
    return value
