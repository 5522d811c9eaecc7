"""What a reader is told besides the path, and what it asks of OCR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from edu_cli.types import Block

if TYPE_CHECKING:
    from edu_cli.ingest.ocr.cache import FrameLines


@dataclass(frozen=True, slots=True)
class PictureText:
    """What OCR read in a picture: blocks in reading order and the mean confidence of their lines (0..1).

    `frames` are the lines behind the blocks, a page of a TIFF each; a reader that has none leaves them out.
    """

    blocks: tuple[Block, ...]
    confidence: float
    frames: tuple[FrameLines, ...] = ()


class PictureReader(Protocol):
    """Encoded picture (png, jpg, …) -> text. Raises OcrUnavailableError once OCR is known not to load."""

    def read(self, data: bytes) -> PictureText:
        """The text of the picture; no blocks for a blank one. Raises LoadError for a picture that cannot be decoded."""
        ...


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How one file is to be loaded. `pictures` is None with `--ocr never`."""

    ocr: Literal["auto", "always", "never"] = "auto"
    pdf_password: str = ""
    pictures: PictureReader | None = None
    max_bytes: int = 200 * 2**20
