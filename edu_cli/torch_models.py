"""What the two FlagEmbedding adapters share: the device, silence, and batches under a token budget."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from edu_cli.errors import EncoderError
from edu_cli.extras import require


def import_flag_embedding() -> Any:
    """The package, with its bars and notices off. Raises MissingExtraError where it is not installed."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")  # else it warns at every fork
    transformers_logging = require("transformers.utils.logging", "bge")
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    package = require("FlagEmbedding", "bge")
    logging.getLogger("FlagEmbedding").setLevel(logging.ERROR)
    return package


def choose_device(wanted: str) -> str:
    """`auto` takes CUDA, then MPS, then the CPU. Raises EncoderError for a device that is not there."""
    torch = require("torch", "bge")
    if wanted == "auto":
        return "cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    kind = wanted.split(":", 1)[0]
    there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available, "cpu": lambda: True}
    if kind not in there or not there[kind]():
        raise EncoderError(f"The device {wanted!r} is not available.", hint="set encoder.device to auto or cpu")
    return "cuda:0" if wanted == "cuda" else wanted


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Places of texts in groups of like length, longest first: each group's count x longest is within the budget.

    A text above the budget goes alone.
    """
    group: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if group and (len(group) + 1) * lengths[group[0]] > budget:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def run_halving(run: Callable[[list[int]], list[Any]], group: list[int]) -> list[tuple[int, Any]]:
    """The results of a group by place; where the device's memory does not suffice, half of the group at a time."""
    import torch

    try:
        return list(zip(group, run(group), strict=True))
    except torch.OutOfMemoryError as error:
        if len(group) == 1:
            raise EncoderError(
                "The device has too little memory for one text.",
                hint="set encoder.device to cpu, or encoder.max_tokens lower",
            ) from error
    torch.cuda.empty_cache()
    half = len(group) // 2
    return run_halving(run, group[:half]) + run_halving(run, group[half:])
