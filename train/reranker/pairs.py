"""Question and passage -> what the network reads, for training; at run time edu_cli/index/encoders/cross.py does the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from edu_cli.index.encoders.unigram import UnigramTokenizer
from edu_cli.index.encoders.weights import E5Weights, unpack

QUESTION_TOKENS, PAIR_TOKENS = 64, 200


class Pairs:
    """Tokens of pairs, each text cut once."""

    def __init__(self, weights: E5Weights, tokenizer: UnigramTokenizer) -> None:
        self.weights, self._tokenizer = weights, tokenizer
        self._words = weights.blocks("emb.word", weights.hidden)
        positions = weights.floats("emb.pos").reshape(-1, weights.hidden)
        self._positions = positions + weights.floats("emb.type")[: weights.hidden]
        self._known: dict[str, list[int]] = {}

    def ids(self, question: str, passage: str) -> tuple[list[int], int]:
        """The pair's tokens, and where the passage begins."""
        begin, end = self.weights.begin_id, self.weights.end_id
        asked = self.cut(question, QUESTION_TOKENS)
        head = [begin, *asked, end, end]
        return [*head, *self.cut(passage, PAIR_TOKENS)[: PAIR_TOKENS - len(head) - 1], end], len(head)

    def batch(
        self, pairs: Sequence[tuple[list[int], int]]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Embeddings (pairs, tokens, hidden), segments (0 question, 1 passage) and which tokens are there."""
        width = max(len(ids) for ids, _ in pairs)
        rows = np.zeros((len(pairs), width, self.weights.hidden), np.float32)
        segments = np.zeros((len(pairs), width), np.int64)
        there = np.zeros((len(pairs), width), bool)
        for i, (ids, start) in enumerate(pairs):
            rows[i, : len(ids)] = unpack(self._words[ids]) + self._positions[: len(ids)]
            segments[i, start:] = 1
            there[i, : len(ids)] = True
        return rows, segments, there

    def cut(self, text: str, limit: int) -> list[int]:
        """The tokens of a text, at most `limit`."""
        if text not in self._known:
            self._known[text] = self._tokenizer.ids(text, limit)
        return self._known[text]
