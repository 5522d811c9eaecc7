"""What every peer here encodes by: edu's bundled encoder, so that pipelines are compared and not models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from edu_cli.config import cache_dir, load_settings
from edu_cli.index.encoders.choose import open_encoder

_SETTINGS = load_settings(Path("/"), {})
_ENCODER: Any = open_encoder("e5-small", _SETTINGS.encoder, cache_dir(_SETTINGS))


def passages(texts: list[str]) -> list[list[float]]:
    """One vector a text."""
    return _ENCODER._dense("passage: ", texts).tolist()  # the sparse half would be paid and not used


def question(text: str) -> list[float]:
    """The vector of a question."""
    return _ENCODER._dense("query: ", [text])[0].tolist()
