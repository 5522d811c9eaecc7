"""How a cross-encoder is asked and what its answers are worth: the fitted numbers of reading.json.

bench/rerank.py writes that file for the bundled one, whose probability puts passages in order and is a feature of the
confidence beside others (confidence.py). None were fitted for others, whose answers are taken as they are.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

_EDGE = 1e-4  # a reader's probability is taken as this far from 0 and 1 at least, so that its log odds are finite


@dataclass(frozen=True, slots=True)
class Reading:
    """Of each question the first `passages` are read, in windows of `chars` characters.

    A score is `share` of the cross-encoder's probability and the rest of the fused score (1 for the best). `judges`
    says that its best probability is the confidence.
    """

    passages: int
    chars: int
    share: float
    judges: bool


# A passage costs the BGE reranker a tenth of a second on a CPU; 700 characters of Chinese with a question fill its 512
# tokens; its scores go by its own training, and the rest of the share only breaks its ties.
_OTHERS = Reading(passages=20, chars=700, share=0.7, judges=True)


def log_odds(said: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Of a cross-encoder's probabilities."""
    near = np.clip(np.asarray(said, np.float64), _EDGE, 1 - _EDGE)
    return np.log(near / (1 - near))


@functools.cache
def reading_for(reranker: str) -> Reading:
    """The numbers for a reranker's name."""
    fitted = json.loads(Path(__file__).with_name("reading.json").read_text(encoding="utf-8"))["rerankers"]
    return Reading(**fitted[reranker]) if reranker in fitted else _OTHERS
