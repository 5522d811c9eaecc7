"""The BGE cross-encoder through FlagEmbedding: question x passage -> probability.

FlagReranker loads the model; its `compute_score` is not used: it computes the first batch of every call twice, fails on
a long question with a short passage, and turns every text into tokens, back into text and into tokens again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from edu_cli.model_files import require_model
from edu_cli.torch_models import batches, choose_device, import_flag_embedding, run_halving

_MAX_TOKENS = 512  # what the model was trained on; a longer passage loses its end
_QUESTION_TOKENS = _MAX_TOKENS * 3 // 4
_BATCH_TOKENS = 8192


class BgeReranker:
    """As `protocols.Reranker` says: scores are the sigmoid of the model's. Raises EncoderError, MissingExtraError."""

    name = "bge"

    def __init__(self, model: str, device: str = "auto") -> None:
        folder = require_model(model)
        package = import_flag_embedding()
        self._device = choose_device(device)
        loaded = package.FlagReranker(
            str(folder), use_fp16=self._device != "cpu", devices=[self._device], normalize=True
        )
        self._tokenizer = loaded.tokenizer
        network = loaded.model if self._device == "cpu" else loaded.model.half()
        self._network = network.to(self._device).eval()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """As the protocol says."""
        if not passages:
            return []
        first, *rest = (text.encode("utf-8", "replace").decode() for text in (question, *passages))
        ids = self._ids([first], _QUESTION_TOKENS)[0]
        pairs = [self._pair(ids, other) for other in self._ids(rest, _MAX_TOKENS)]
        scores = [0.0] * len(pairs)
        for group in batches([len(pair) for pair in pairs], _BATCH_TOKENS):
            for place, score in run_halving(lambda part: self._run([pairs[i] for i in part]), group):
                scores[place] = score
        return scores

    def _ids(self, texts: list[str], limit: int) -> list[list[int]]:
        return self._tokenizer(texts, add_special_tokens=False, truncation=True, max_length=limit)["input_ids"]

    def _pair(self, question: list[int], passage: list[int]) -> list[int]:
        begin, end = self._tokenizer.cls_token_id, self._tokenizer.sep_token_id
        room = _MAX_TOKENS - 4 - len(question)
        return [begin, *question, end, end, *passage[:room], end]

    def _run(self, pairs: list[list[int]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": pairs}, padding=True, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            logits = self._network(**inputs, return_dict=True).logits.view(-1).float()
        return [1 / (1 + math.exp(-logit)) for logit in logits.tolist()]
