"""The cross-encoder in PyTorch: multilingual-e5-small's layers over question and passage together, and a head.

The lowest layers stay as the encoder has them (`FROZEN`): training costs less, and the product's file holds only the
others. What says which side a token is on is added where the trained layers begin.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from edu_cli.index.encoders.weights import E5Weights

FROZEN = 4


class Layer(nn.Module):
    """One transformer layer (post-norm), as e5_graph.py computes it."""

    def __init__(self, weights: E5Weights, number: int) -> None:
        super().__init__()
        self.heads, name, hidden = weights.heads, f"l{number}.", weights.hidden
        self.qkv = _linear(weights, [name + part for part in "qkv"], hidden)
        self.ao = _linear(weights, [name + "ao"], hidden)
        self.fi = _linear(weights, [name + "fi"], hidden)
        self.fo = _linear(weights, [name + "fo"], weights.inner)
        self.aln = _norm(weights, name + "aln")
        self.oln = _norm(weights, name + "oln")

    def forward(self, rows: torch.Tensor, absent: torch.Tensor | None) -> torch.Tensor:
        """`absent` is added to the scores: (pairs * heads, 1, tokens), very low where there is no token."""
        n, tokens, hidden = rows.shape
        width = hidden // self.heads
        apart = self.qkv(rows).view(n, tokens, 3, self.heads, width).permute(2, 0, 3, 1, 4).contiguous()
        query, key, value = apart.view(3, n * self.heads, tokens, width)
        scores = torch.bmm(query * width**-0.5, key.transpose(1, 2))
        mixed = torch.bmm(torch.softmax(scores if absent is None else scores + absent, -1), value)
        mixed = mixed.view(n, self.heads, tokens, width).transpose(1, 2).reshape(n, tokens, hidden)
        rows = self.aln(rows + self.ao(mixed))
        return self.oln(rows + self.fo(functional.gelu(self.fi(rows))))


class CrossEncoder(nn.Module):
    """(pairs, tokens, hidden) embeddings -> one logit a pair that its passage answers its question."""

    def __init__(self, weights: E5Weights) -> None:
        super().__init__()
        self.first = _norm(weights, "emb.ln")
        self.layers = nn.ModuleList(Layer(weights, number) for number in range(weights.layers))
        self.side = nn.Parameter(torch.zeros(2, weights.hidden))
        self.middle = nn.Linear(weights.hidden, weights.hidden)
        self.last = nn.Linear(weights.hidden, 1)
        self.heads = weights.heads

    def forward(self, rows: torch.Tensor, segments: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        """Logits (pairs,), float32."""
        absent = None
        if not bool(there.all()):
            absent = torch.zeros(there.shape, dtype=rows.dtype).masked_fill(~there, -1e4)
            absent = absent.repeat_interleave(self.heads, 0)[:, None]
        with torch.no_grad():
            rows = self.first(rows)
            for layer in self.layers[:FROZEN]:
                rows = layer(rows, absent)
        rows = rows + self.side[segments]
        for layer in self.layers[FROZEN:]:
            rows = layer(rows, absent)
        shares = there.to(rows.dtype)[..., None]
        mean = (rows * shares).sum(1) / shares.sum(1)
        return self.last(torch.tanh(self.middle(mean)))[:, 0].float()

    def learning(self) -> dict[str, nn.Parameter]:
        """What training changes, by name."""
        lowest = ("first.", *(f"layers.{number}." for number in range(FROZEN)))
        return {name: value for name, value in self.named_parameters() if not name.startswith(lowest)}


def _linear(weights: E5Weights, names: list[str], width: int) -> nn.Linear:
    matrix = np.concatenate([weights.matrix(name + ".w", width) for name in names])
    bias = np.concatenate([weights.floats(name + ".b") for name in names])
    made = nn.Linear(width, len(matrix))
    made.weight.data, made.bias.data = torch.tensor(matrix), torch.tensor(bias)
    return made


def _norm(weights: E5Weights, name: str) -> nn.LayerNorm:
    made = nn.LayerNorm(weights.hidden, eps=weights.epsilon)
    made.weight.data = torch.tensor(weights.floats(name + ".w"))
    made.bias.data = torch.tensor(weights.floats(name + ".b"))
    return made
