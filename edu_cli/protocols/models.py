"""What computes: encoders, rerankers, chat models, OCR; and who watches a long stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # for annotations only: `--help` and most verbs do without numpy's 0.1 s
    import numpy as np
    import numpy.typing as npt

    from edu_cli.types import ChatReply, DualVectors, Message, WebPage


class Encoder(Protocol):
    """Text -> dense and sparse vectors in one call.

    `fingerprint` names model, weights and format: vectors of two fingerprints never mix. `uses_idf` tells that the
    sparse weights are term frequencies, so that a search must weigh the question's terms by the corpus's IDF.
    """

    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def uses_idf(self) -> bool: ...

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        """Vectors in the order of `texts`; [] gives zero rows. A text's vectors do not depend on its neighbours."""
        ...

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        """As `encode_passages`, for the asking side."""
        ...


class Reranker(Protocol):
    """Question x passages -> a probability each that the passage answers the question."""

    @property
    def name(self) -> str: ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score in 0..1 a passage, in the order given; [] gives []."""
        ...


class ChatModel(Protocol):
    """An LLM that answers a list of messages."""

    @property
    def model(self) -> str: ...

    def complete(self, messages: Sequence[Message], *, temperature: float, json_object: bool = False) -> ChatReply:
        """One whole reply. Raises ChatError."""
        ...

    def stream(self, messages: Sequence[Message], *, temperature: float) -> Iterator[str | ChatReply]:
        """Pieces of text as the server sends them, then the ChatReply of the whole. Raises ChatError."""
        ...


class WebSearch(Protocol):
    """The web, as a search server that the user configured sees it."""

    @property
    def name(self) -> str: ...

    def search(self, question: str, k: int) -> Sequence[WebPage]:
        """Pages, best first; about k, as the server likes. Raises WebError, ConfigError. Safe in threads."""
        ...

    def close(self) -> None: ...


class OcrLine(Protocol):
    """A recognised line: its text, confidence 0..1 and box (x0, y0, x1, y1) in pixels."""

    @property
    def text(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def box(self) -> tuple[float, float, float, float]: ...


class OcrEngine(Protocol):
    """Picture -> lines of text."""

    def read(self, image: npt.NDArray[np.uint8]) -> Sequence[OcrLine]:
        """Lines of an (height, width, 3) RGB picture, unordered; [] for a blank one."""
        ...


class Progress(Protocol):
    """What a long stage tells whoever watches; the core never prints."""

    def start(self, stage: str, total: int | None) -> None: ...
    def advance(self, stage: str, n: int = 1) -> None: ...
    def note(self, message: str) -> None: ...
