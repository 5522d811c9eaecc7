"""Settings and the project's encoder -> the reranker, opened when the first passages are there to be read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from edu_cli.config import Settings, cache_dir
from edu_cli.protocols import Reranker
from edu_cli.types import EncoderPin

RerankerOf = Callable[[Settings, EncoderPin], Reranker | None]


class LazyReranker:
    """protocols.Reranker that is opened by its first use, once, and then serves several threads."""

    def __init__(self, name: str, opens: Callable[[], Reranker]) -> None:
        self.name = name
        self._opens = opens
        self._opened: Reranker | None = None
        self._lock = threading.Lock()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """As the protocol says. Raises what opening raises: EncoderError, MissingExtraError."""
        with self._lock:
            opened = self._opened = self._opened or self._opens()
        return opened.score(question, passages)


def open_reranker(settings: Settings, pin: EncoderPin) -> Reranker | None:
    """The reranker that the settings mean in a project with this encoder; None leaves the fusion's order.

    `auto` is the bundled one where the bundled encoder runs with the weights that it was trained over.
    """
    wanted = settings.search.reranker
    if wanted == "auto":
        wanted = "bundled" if pin.name == "e5-small" and _fits(pin.fingerprint) else "none"
    if wanted == "bundled":
        return LazyReranker("cross", lambda: _open_cross(settings))
    if wanted == "bge":
        return LazyReranker("bge", lambda: _open_bge(settings))
    return None


def _fits(fingerprint: str) -> bool:
    from edu_cli.index.encoders.cross_weights import fits

    return fits(fingerprint)


def _open_cross(settings: Settings) -> Reranker:
    from edu_cli.index.encoders.cross import CrossReranker

    return CrossReranker(cache_dir(settings), threads=settings.encoder.threads)


def _open_bge(settings: Settings) -> Reranker:
    from edu_cli.ask.retrieval.rerank_bge import BgeReranker

    return BgeReranker(settings.search.bge_reranker, settings.encoder.device)
