"""The bundled reranker: question x passage -> the probability that the passage answers, by one small cross-encoder.

It reads the encoder's word embeddings and lowest layers from the encoder's file. One pair a run, as the encoder runs
one text: no padding, and a score does not depend on what it is scored beside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from edu_cli.index.encoders.built import load_built
from edu_cli.index.encoders.cores import physical_cores
from edu_cli.index.encoders.cross_graph import build_cross_graph
from edu_cli.index.encoders.cross_weights import read_cross
from edu_cli.index.encoders.e5_input import E5Input
from edu_cli.index.encoders.e5_session import open_session, signed_products_saturate
from edu_cli.index.encoders.e5_small import STEM
from edu_cli.model_files import CROSS_FILE

FORMAT = 1  # raised whenever the same weights would get other scores
QUESTION_TOKENS = 64
PAIR_TOKENS = 256  # question, passage and four marks; a passage is cut at its end


class CrossReranker:
    """As `protocols.Reranker` says. `notes` holds what a user should know of this run, as sentences.

    Raises EncoderError where the encoder's weights are missing or are not those that the reranker was made from.
    """

    name = "cross"

    def __init__(
        self, cache_dir: Path, *, threads: int = 0, weights_path: Path | None = None, model_path: Path = CROSS_FILE
    ) -> None:
        folder = cache_dir / "encoders"
        self._input = E5Input(folder, STEM, weights_path)
        weights = read_cross(self._input.weights, model_path)
        signed = not signed_products_saturate()
        graph, note = load_built(
            folder / f"cross-{weights.identity}-{FORMAT}-{'s8' if signed else 'u8'}.onnx",
            lambda: build_cross_graph(weights, signed=signed),
        )
        self.notes = tuple(text for text in (note, self._input.note) if text)
        self._session = open_session(bytes(graph))
        self._sides = weights.floats("sides").reshape(2, -1)
        self._threads = threads or physical_cores()
        self._pool = ThreadPoolExecutor(self._threads, "rerank")

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """As the protocol says."""
        asked = self._input.tokenizer.ids(question, QUESTION_TOKENS)
        if len(passages) < 2 or self._threads < 2:
            return [self._score(asked, passage) for passage in passages]
        return list(self._pool.map(lambda passage: self._score(asked, passage), passages))

    def _score(self, asked: Sequence[int], passage: str) -> float:
        begin, end = self._input.weights.begin_id, self._input.weights.end_id
        head = [begin, *asked, end, end]
        ids = [*head, *self._input.tokenizer.ids(passage, PAIR_TOKENS - len(head) - 1), end]
        sides = np.repeat(self._sides, [len(head), len(ids) - len(head)], axis=0)
        (logit,) = self._session.run(None, {"rows": self._input.rows(ids)[None], "sides": sides[None]})
        return 1 / (1 + math.exp(-float(logit[0, 0])))
