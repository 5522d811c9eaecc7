"""Labelled questions -> a fine-tuned network of the BERT or MiniLM class, with early stopping; needs transformers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edu_cli.ask.front.classifier import write_classifier
from edu_cli.ask.front.classifier_bert import MOST_TOKENS, BertClassifier, load_network
from edu_cli.ask.front.training import Rows, Training, scores, stratified
from edu_cli.extras import require
from edu_cli.torch_models import choose_device

_STEPS_UP = 0.1  # the share of steps over which the learning rate rises
_DECAY = 0.01
_LARGEST_SLOPE = 1.0
_BATCH_ASKED = 64


@dataclass(frozen=True, slots=True)
class BertSettings:
    """How a network is fine-tuned: at most so many epochs, and how many without a better loss end it."""

    seed: int = 0
    device: str = "auto"
    most_epochs: int = 10
    patience: int = 2
    batch: int = 32
    learning_rate: float = 3e-5


def train_bert(rows: Rows, model: Path, target: Path, settings: BertSettings) -> Training:
    """Fine-tunes the model in the folder `model` and writes the classifier's file `target` and a folder beside it.

    A stratified part is kept out; the epoch with the least loss on it is what is written. The same seed gives the same
    network on the same device. Raises UsageError for too few rows, ConfigError for a folder that holds no model,
    MissingExtraError.
    """
    torch = require("torch", "bge")
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    split = stratified(rows, rng)
    device = choose_device(settings.device)
    tokenizer, network = load_network(model, len(split.labels))
    network.to(device)
    wanted = [split.labels.index(label) for _, label in rows]
    texts = [text for text, _ in rows]
    best, best_loss, since, epochs = copy.deepcopy(network.state_dict()), float("inf"), 0, 0
    tune = _Tuning(torch, tokenizer, network, device, settings, len(split.used))
    while epochs < settings.most_epochs and since < settings.patience:
        epochs += 1
        tune.epoch([(texts[i], wanted[i]) for i in rng.permutation(split.used)])
        loss = tune.loss([(texts[i], wanted[i]) for i in split.kept])
        since = 0 if loss < best_loss - 1e-4 else since + 1
        if since == 0:
            best, best_loss = copy.deepcopy(network.state_dict()), loss
    network.load_state_dict(best)
    guessed = [split.labels[i] for i in tune.guesses([texts[i] for i in split.kept])]
    accuracy, f1 = scores(guessed, [rows[i][1] for i in split.kept])
    folder = target.with_suffix("")
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    write_classifier(target, split.labels, folder=np.array([folder.name]), device=np.array([settings.device]))
    written = BertClassifier(split.labels, folder, settings.device)
    return Training(written, accuracy, sum(f1.values()) / len(f1), f1, epochs, len(split.used), len(split.kept))


class _Tuning:
    """A network being fine-tuned by AdamW, its learning rate rising first and falling to nothing."""

    def __init__(
        self, torch: Any, tokenizer: Any, network: Any, device: str, settings: BertSettings, n_texts: int
    ) -> None:
        self._torch, self._tokenizer, self._network, self._device = torch, tokenizer, network, device
        self._batch = settings.batch
        steps = max(1, -(-n_texts // settings.batch)) * settings.most_epochs
        rising = max(1, int(_STEPS_UP * steps))
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=settings.learning_rate, weight_decay=_DECAY)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda at: min((at + 1) / rising, max(0.0, (steps - at) / max(1, steps - rising)))
        )

    def epoch(self, rows: Sequence[tuple[str, int]]) -> None:
        """One pass over the rows, in their order."""
        self._network.train()
        for start in range(0, len(rows), self._batch):
            part = rows[start : start + self._batch]
            loss = self._network(**self._inputs([text for text, _ in part]), labels=self._labels(part)).loss
            loss.backward()
            self._torch.nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_SLOPE)
            self._optimizer.step()
            self._schedule.step()
            self._optimizer.zero_grad(set_to_none=True)

    def loss(self, rows: Sequence[tuple[str, int]]) -> float:
        """The mean loss over rows that do not train."""
        total = 0.0
        with self._asking():
            for start in range(0, len(rows), _BATCH_ASKED):
                part = rows[start : start + _BATCH_ASKED]
                out = self._network(**self._inputs([text for text, _ in part]), labels=self._labels(part))
                total += float(out.loss) * len(part)
        return total / len(rows)

    def guesses(self, texts: Sequence[str]) -> list[int]:
        """The likeliest label's place, for each text."""
        found: list[int] = []
        with self._asking():
            for start in range(0, len(texts), _BATCH_ASKED):
                logits = self._network(**self._inputs(texts[start : start + _BATCH_ASKED])).logits
                found += logits.argmax(-1).tolist()
        return found

    def _asking(self) -> Any:
        self._network.eval()
        return self._torch.inference_mode()

    def _inputs(self, texts: Sequence[str]) -> Any:
        inputs = self._tokenizer(
            list(texts), truncation=True, max_length=MOST_TOKENS, padding=True, return_tensors="pt"
        )
        return inputs.to(self._device)

    def _labels(self, rows: Sequence[tuple[str, int]]) -> Any:
        return self._torch.tensor([label for _, label in rows], device=self._device)
