"""BGE-M3 through FlagEmbedding: dense and lexical weights from one pass.

FlagEmbedding loads the model; its `encode` is not used, since it computes the first batch of every call twice (to see
whether it fits) and cuts batches by their number of texts, not of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from edu_cli.config import EncoderSettings
from edu_cli.model_files import BGE_M3_PARTS, model_identity, require_model
from edu_cli.torch_models import batches, choose_device, import_flag_embedding, run_halving
from edu_cli.types import DualVectors, SparseVector

_NOTHING = (0, 1e-6)  # Milvus takes no empty sparse vector; id 0 is the begin mark, which no text holds


class BgeM3Encoder:
    """As `protocols.Encoder` says; `dim` is 1024 for the real model. Raises EncoderError, MissingExtraError."""

    name = "bge-m3"
    uses_idf = False

    def __init__(self, settings: EncoderSettings) -> None:
        folder = require_model(settings.bge_m3, BGE_M3_PARTS)
        package = import_flag_embedding()
        self._device = choose_device(settings.device)
        self.fingerprint = f"bge-m3-{model_identity(folder)}-{settings.max_tokens}"
        self._max_tokens, self._budget = settings.max_tokens, settings.batch_tokens
        loaded = package.BGEM3FlagModel(
            str(folder), use_fp16=self._device != "cpu", devices=[self._device], return_colbert_vecs=False
        )
        self._tokenizer = loaded.tokenizer
        self._network = loaded.model.to(self._device).eval()
        self.dim = int(loaded.model.model.config.hidden_size)
        marks = ("cls_token_id", "eos_token_id", "pad_token_id", "unk_token_id")
        self._unused = {getattr(self._tokenizer, mark) for mark in marks}

    def encode_passages(self, texts: Sequence[str]) -> DualVectors:
        """As the protocol says. A text is read up to `encoder.max_tokens`."""
        dense = np.zeros((len(texts), self.dim), np.float32)
        sparse: list[SparseVector] = [_sparse({})] * len(texts)
        if not texts:
            return DualVectors(dense, sparse)
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # the tokenizer refuses lone surrogates
        tokens = self._tokenizer(clean, truncation=True, max_length=self._max_tokens)["input_ids"]
        for group in batches([len(ids) for ids in tokens], self._budget):
            for place, (vector, weights) in run_halving(lambda part: self._run([tokens[i] for i in part]), group):
                dense[place] = vector
                sparse[place] = _sparse(weights)
        return DualVectors(dense, sparse)

    def encode_questions(self, texts: Sequence[str]) -> DualVectors:
        """As `encode_passages`: BGE-M3 has one side."""
        return self.encode_passages(texts)

    def _run(self, tokens: list[list[int]]) -> list[tuple[np.ndarray, dict[int, float]]]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": tokens}, padding=True, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            out: Mapping[str, Any] = self._network(
                inputs, return_dense=True, return_sparse=True, return_colbert_vecs=False
            )
        dense = out["dense_vecs"].float().cpu().numpy()
        weights = out["sparse_vecs"].squeeze(-1).float().cpu().numpy()
        return [(row, self._lexical(ids, own)) for row, ids, own in zip(dense, tokens, weights, strict=True)]

    def _lexical(self, ids: list[int], weights: np.ndarray) -> dict[int, float]:
        """The highest weight of each token."""
        found: dict[int, float] = {}
        for token, weight in zip(ids, weights[: len(ids)].tolist(), strict=True):
            if weight > found.get(token, 0.0) and token not in self._unused:
                found[token] = weight
        return found


def _sparse(weights: Mapping[int, float]) -> SparseVector:
    items = sorted(weights.items()) or [_NOTHING]
    return SparseVector(
        np.array([token for token, _ in items], np.uint32), np.array([weight for _, weight in items], np.float32)
    )
