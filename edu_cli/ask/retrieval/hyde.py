"""How far a hypothetical passage moves the weights of the legs that searched with it."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path

from edu_cli.types import Leg


@functools.cache
def hyde_weights() -> Mapping[Leg, float]:
    """What is added to the logit of each leg's weight; bench/fit_hyde.py writes the numbers."""
    return json.loads(Path(__file__).with_name("hyde.json").read_text(encoding="utf-8"))["moved"]
