"""The classifier by a fine-tuned network of the BERT or MiniLM class, loaded when it is first asked."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edu_cli.errors import ConfigError
from edu_cli.extras import require
from edu_cli.torch_models import choose_device

MOST_TOKENS = 64  # of a question; longer ones are cut


@dataclass(frozen=True)
class BertClassifier:
    """A folder as transformers saves it, on a device: `auto` takes CUDA, then MPS, then the CPU."""

    labels: tuple[str, ...]
    folder: Path
    device: str = "auto"

    def probabilities(self, text: str) -> dict[str, float]:
        """The probability of each label. Raises ConfigError for a folder that cannot be loaded, MissingExtraError."""
        import torch

        tokenizer, network, device = self._loaded
        inputs = tokenizer([text], truncation=True, max_length=MOST_TOKENS, return_tensors="pt").to(device)
        with torch.inference_mode():
            odds = network(**inputs).logits[0].float().softmax(-1).tolist()
        return dict(zip(self.labels, odds, strict=True))

    @functools.cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        tokenizer, network = load_network(self.folder, len(self.labels))
        device = choose_device(self.device)
        return tokenizer, network.to(device).eval(), device


def load_network(folder: Path, n_labels: int) -> tuple[Any, Any]:
    """Tokenizer and a classifier for so many labels from a local folder; nothing is fetched.

    Raises ConfigError for a folder that is none, MissingExtraError.
    """
    logs = require("transformers.utils.logging", "bge")
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    transformers = require("transformers", "bge")
    if not (folder / "config.json").is_file():
        raise ConfigError(
            f"{folder} holds no model (config.json is missing).", hint="--model FOLDER, as transformers saves it"
        )
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, num_labels=n_labels, local_files_only=True, ignore_mismatched_sizes=True
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).split("\n", 1)[0]
        raise ConfigError(
            f"{folder} cannot be loaded as a classifier: {reason}", hint="edu classifier train DATA.jsonl"
        ) from error
    return tokenizer, network
