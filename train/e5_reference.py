"""multilingual-e5-small in plain 32-bit numpy, from the same weight file: slow, independent of the product's graph.

Written from the description of the model (BERT with learned positions, GELU, post-layer norms), so that smoothing can
look at every product's input and tests have something to compare with.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edu_cli.index.encoders.weights import E5Weights, unpack


def gelu(x: np.ndarray) -> np.ndarray:
    """The exact one, with an error function good to 1.2e-7 (Numerical Recipes' rational Chebyshev form)."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.5 * z)
    powers = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806)
    powers += (0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277)
    erf = 1 - t * np.exp(-z * z + sum(c * t**i for i, c in enumerate(powers)))
    return x * 0.5 * (1 + np.sign(x) * erf)


class Reference:
    """The model over its weight file; matrices are unpacked once."""

    def __init__(self, weights: E5Weights) -> None:
        self.weights = weights
        self._matrices: dict[str, np.ndarray] = {}

    def matrix(self, name: str, width: int) -> np.ndarray:
        """A matrix by name, (rows, width)."""
        if name not in self._matrices:
            self._matrices[name] = self.weights.matrix(name, width)
        return self._matrices[name]

    def encode(self, ids: list[int], look: Callable[[str, np.ndarray], None] = lambda *_: None) -> np.ndarray:
        """The vector, of length 1, for ids with their begin and end marks; `look` is shown every product's input."""
        w = self.weights
        rows = self._norm(self.embed(ids), "emb.ln")
        for layer in range(w.layers):
            p = f"l{layer}."
            look(p + "qkv", rows)
            mixed = self._attend(*(self._product(rows, p + part, w.hidden) for part in "qkv"))
            rows = self._norm(rows + self._product(mixed, p + "ao", w.hidden), p + "aln")
            look(p + "fi", rows)
            wide = gelu(self._product(rows, p + "fi", w.hidden))
            look(p + "fo", wide)
            rows = self._norm(rows + self._product(wide, p + "fo", w.inner), p + "oln")
        mean = rows.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def embed(self, ids: list[int]) -> np.ndarray:
        """What the first layer norm is given: (tokens, hidden)."""
        w = self.weights
        positions = w.floats("emb.pos").reshape(-1, w.hidden)[: len(ids)]
        return unpack(w.blocks("emb.word", w.hidden)[ids]) + positions + w.floats("emb.type")[: w.hidden]

    def _product(self, rows: np.ndarray, name: str, width: int) -> np.ndarray:
        return rows @ self.matrix(name + ".w", width).T + self.weights.floats(name + ".b")

    def _norm(self, rows: np.ndarray, name: str) -> np.ndarray:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.weights.epsilon)
        return centred / spread * self.weights.floats(name + ".w") + self.weights.floats(name + ".b")

    def _attend(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        tokens, hidden = q.shape
        q, k, v = (part.reshape(tokens, self.weights.heads, -1).swapaxes(0, 1) for part in (q, k, v))
        scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (scores / scores.sum(axis=-1, keepdims=True) @ v).swapaxes(0, 1).reshape(tokens, hidden)
