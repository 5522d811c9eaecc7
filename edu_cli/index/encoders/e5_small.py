"""The bundled encoder: multilingual-e5-small on onnxruntime, and character pairs as its sparse side.

One text a run, without padding and mask: nothing is computed in vain, and a vector cannot depend on its
neighbours. Texts are spread over threads, since onnxruntime lets go of the interpreter's lock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.index.encoders import bigrams
from edu_cli.index.encoders.built import load_built
from edu_cli.index.encoders.cores import physical_cores
from edu_cli.index.encoders.e5_graph import build_graph, read_smoothing
from edu_cli.index.encoders.e5_input import E5Input
from edu_cli.index.encoders.e5_session import open_session, signed_products_saturate
from edu_cli.types import DualVectors

FORMAT = 5  # raised whenever the same text would get other vectors
STEM = f"e5-small-{{}}-{FORMAT}"  # of what is kept in the cache folder, and of the fingerprint
_MAX_WINDOWS = 32  # 16,320 tokens; a longer text is known by its beginning

_Floats = npt.NDArray[np.float32]


class E5SmallEncoder:
    """Dense vectors of length 384 and BM25-weighted term vectors, as `protocols.Encoder` says.

    Texts over 510 tokens are read in windows, whose means are averaged by their tokens.
    """

    name = "e5-small"
    uses_idf = True

    def __init__(self, cache_dir: Path, *, threads: int = 0, weights_path: Path | None = None) -> None:
        self._folder = cache_dir / "encoders"
        self._input = E5Input(self._folder, STEM, weights_path)
        self.dim = self._input.weights.hidden
        self.fingerprint = self._input.fingerprint
        self._opening = threading.Lock()
        self._opened: tuple[Any, str] | None = None
        self._threads = threads or physical_cores()
        self._pool = ThreadPoolExecutor(self._threads, "encode")  # starts its threads when they are needed

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this run, as sentences; opens the graph."""
        return tuple(note for note in (self._graph()[1], self._input.note) if note)

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        """As the protocol says."""
        return DualVectors(self._dense("passage: ", texts), bigrams.passage_vectors(texts))

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        """As the protocol says."""
        return DualVectors(self._dense("query: ", texts), bigrams.question_vectors(texts))

    def _dense(self, prefix: str, texts: Sequence[str]) -> _Floats:
        sums = np.zeros((len(texts), self.dim), np.float32)
        for row, mean in zip(range(len(texts)), self._map(prefix, texts), strict=True):
            sums[row] = mean
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.finfo(np.float32).tiny)

    def _map(self, prefix: str, texts: Sequence[str]) -> Iterator[_Floats]:
        inputs = (prefix + text for text in texts)
        if len(texts) < 2 or self._threads < 2:
            return map(self._mean, inputs)
        return self._pool.map(self._mean, inputs)

    def _mean(self, text: str) -> _Floats:
        """Mean of the last layer over a text's tokens, its windows weighted by their length."""
        width = self._input.most_tokens - 2
        begin, end = self._input.weights.begin_id, self._input.weights.end_id
        ids = self._input.tokenizer.ids(text, limit=width * _MAX_WINDOWS)
        total = np.zeros(self.dim, np.float32)
        for start in range(0, len(ids), width):
            window = ids[start : start + width]
            total += self._run([begin, *window, end]) * len(window)
        return total

    def _graph(self) -> tuple[Any, str]:
        """The session and why its graph could not be kept, opened when something is to be encoded.

        An ingest that finds all its vectors in the cache needs the fingerprint alone.
        """
        with self._opening:
            if self._opened is None:
                weights, signed = self._input.weights, not signed_products_saturate()
                graph, note = load_built(
                    self._folder / f"{self.fingerprint}-{'s8' if signed else 'u8'}.onnx",
                    lambda: build_graph(weights, read_smoothing(weights), signed=signed),
                )
                self._opened = open_session(bytes(graph)), note
            return self._opened

    def _run(self, ids: list[int]) -> _Floats:
        (mean,) = self._graph()[0].run(None, {"rows": self._input.rows(ids)[None]})
        return mean[0]
