"""How a cross-encoder is asked and what its answers are worth: the fitted numbers of reading.json.

bench/rerank.py writes that file for the bundled one. None were fitted for others, whose answers are taken as they are.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edu_cli.ask.retrieval.pool import Floats
from edu_cli.ask.retrieval.ranking import Linear, linear_from

_LEAST = 1e-6  # probabilities nearer to 0 or 1 differ by nothing that was learnt


@dataclass(frozen=True, slots=True)
class Reading:
    """Of each question the first `passages` are read, in windows of `chars` characters.

    `fused` is what the best fused score is worth over none, in log odds of the cross-encoder; where it is None, scores
    are `share` of the probability and the rest of the fused score. `confidence` weighs what was read together with
    everything else; where it is None, the best probability is the confidence.
    """

    passages: int
    chars: int
    fused: float | None = None
    share: float = 1.0
    confidence: Linear | None = None


# A passage costs the BGE reranker a tenth of a second on a CPU; 700 characters of Chinese with a question fill its 512
# tokens; its scores go by its own training, and the rest of the share only breaks its ties.
_OTHERS = Reading(passages=20, chars=700, share=0.7)


@functools.cache
def reading_for(reranker: str) -> Reading:
    """The numbers for a reranker's name."""
    fitted = json.loads(Path(__file__).with_name("reading.json").read_text(encoding="utf-8"))["rerankers"]
    if reranker not in fitted:
        return _OTHERS
    found = fitted[reranker]
    return Reading(
        passages=found["passages"],
        chars=found["chars"],
        fused=found["fused"],
        confidence=linear_from(found["confidence"]),
    )


def log_odds(probabilities: Floats) -> Floats:
    """log(p / (1 - p)), bounded where p is all but 0 or 1."""
    held = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.log(held / (1 - held))
