"""The bundled reranker as an ONNX graph: the encoder's layers over question and passage together, then a head."""

from __future__ import annotations

import numpy as np

from edu_cli.index.encoders.cross_weights import CrossWeights
from edu_cli.index.encoders.e5_graph import GraphBuilder


def build_cross_graph(weights: CrossWeights, *, signed: bool = True) -> bytes:
    """The model's bytes: inputs `rows` and `sides` (1, tokens, hidden), output the logit (1, 1).

    `sides` says of each token whether it is the question's or the passage's; it joins where the trained layers begin.
    """
    return _CrossBuilder(weights, signed).build()


class _CrossBuilder(GraphBuilder):
    def __init__(self, weights: CrossWeights, signed: bool) -> None:
        super().__init__(weights, weights.smoothing, signed)
        self.first, self.head = weights.first, weights.arrays

    def build(self) -> bytes:
        hidden = self.weights.hidden
        rows = self.begin()
        for layer in range(self.weights.layers):
            if layer == self.first:
                (rows,) = self.graph.node("Add", [rows, "sides"])
            rows = self.layer(rows, layer)
        (mean,) = self.graph.node("ReduceMean", [rows], axes=[1], keepdims=0)
        (middle,) = self.graph.node("Tanh", [self.whole_product(mean, "middle")])
        logit = self.whole_product(middle, "last")
        shape = (1, "tokens", hidden)
        return self.graph.model({"rows": shape, "sides": shape}, {logit: (1, 1)})

    def whole_product(self, row: str, name: str) -> str:
        """One row times a matrix of the head, in full precision: it costs nothing beside the layers."""
        matrix = self.graph.constant(name + ".w", self.head[name + ".w"].astype(np.float32).T)
        (product,) = self.graph.node("MatMul", [row, matrix])
        bias = self.graph.constant(name + ".b", self.head[name + ".b"].astype(np.float32))
        return self.graph.node("Add", [product, bias])[0]
