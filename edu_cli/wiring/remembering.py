"""An encoder that remembers the last questions: the FAQ, retrieval and every strategy share one encoding."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edu_cli.protocols import Encoder
    from edu_cli.types import DualVectors

_REMEMBERED = 512  # questions: about 1 MB


class RememberingEncoder:
    """protocols.Encoder over another; safe in threads. Only single questions are remembered: lists come once."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, DualVectors] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """As the encoder's."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """As the encoder's."""
        return self._encoder.dim

    @property
    def fingerprint(self) -> str:
        """As the encoder's."""
        return self._encoder.fingerprint

    @property
    def uses_idf(self) -> bool:
        """As the encoder's."""
        return self._encoder.uses_idf

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        """As Encoder.encode_passages."""
        return self._encoder.encode_passages(texts)

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        """As Encoder.encode_questions."""
        if len(texts) != 1:
            return self._encoder.encode_questions(texts)
        with self._lock:
            found = self._known.pop(texts[0], None) or self._encoder.encode_questions(texts)
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[texts[0]] = found  # the latest used stands last
            return found
