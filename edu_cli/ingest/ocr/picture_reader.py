"""The PictureReader of options.py: decode -> cache -> tile -> OCR -> blocks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from edu_cli.errors import OcrUnavailableError
from edu_cli.ingest.ocr.cache import FrameLines, OcrCache
from edu_cli.ingest.ocr.engine import load_line_reader
from edu_cli.ingest.ocr.layout import confidence, frame_blocks
from edu_cli.ingest.ocr.line_reader import LineReader, OcrText, Picture
from edu_cli.ingest.ocr.picture import frames, is_thin
from edu_cli.ingest.ocr.picture_tiles import Tile, tiles, untile
from edu_cli.ingest.ocr.upright import UprightOcr
from edu_cli.ingest.options import PictureText

_SMALL_PRINT = 15.0  # pixels from the top to the bottom of most lines, below which the picture is read again, larger
_LARGER_SIDE = 2800
_MUCH_SMALLER = 0.85  # scale from which on the larger reading has something to gain
_LEAST_CONTRAST = 6.0  # grey levels between the darkest and the lightest; less is a blank sheet


class OcrPictureReader:
    """Reads pictures by the engine of this process, which is loaded when the first picture needs it.

    `threads` is what one recognition uses: 1 where several processes run side by side.
    """

    def __init__(self, cache_folder: Path | None, *, threads: int = 1, engine: LineReader | None = None) -> None:
        self._cache_folder = cache_folder
        self._threads = threads
        self._engine = engine
        self._failure: OcrUnavailableError | None = None

    def read(self, data: bytes) -> PictureText:
        """The text of an encoded picture, see PictureReader. Pages of a TIFF are numbered from 1."""
        found = self.read_frames(data)
        blocks = [
            block
            for number, frame in enumerate(found, 1)
            for block in frame_blocks(frame, number if len(found) > 1 else None)
        ]
        return PictureText(tuple(blocks), confidence(found), tuple(found))

    def read_frames(self, data: bytes) -> list[FrameLines]:
        """The recognised lines of each frame, from the cache where the picture has been seen."""
        engine = self._loaded()
        cache = OcrCache(self._cache_folder, engine.name) if self._cache_folder else None
        key = cache.key(data) if cache else ""
        found = cache.get(key) if cache else None
        if found is None:
            found = [_read_frame(frame, engine) for frame in frames(data)]
            if cache:
                cache.put(key, found)
        return found

    def _loaded(self) -> LineReader:
        if self._engine is None:
            if self._failure is not None:  # a second attempt would cost as much and fail alike
                raise self._failure
            try:
                self._engine = load_line_reader(self._threads)
            except OcrUnavailableError as error:
                self._failure = error
                raise
        return self._engine


def _read_frame(frame: Picture, engine: LineReader) -> FrameLines:
    height, width = frame.shape[:2]
    if is_thin(frame) or float(frame.max()) - float(frame.min()) < _LEAST_CONTRAST:
        return FrameLines(width, height, ())
    ocr = UprightOcr(engine)
    parts, turns = _read_tiles(tiles(frame), ocr)
    heights = [line.box[3] - line.box[1] for _, lines in parts for line in lines]
    if parts[0][0].scale < _MUCH_SMALLER and heights and statistics.median(heights) < _SMALL_PRINT:
        parts, turns = _read_tiles(tiles(frame, _LARGER_SIDE), ocr)
    size = (width, height) if turns % 2 == 0 else (height, width)
    return FrameLines(*size, tuple(untile(parts)))


def _read_tiles(pieces: Sequence[Tile], ocr: UprightOcr) -> tuple[list[tuple[Tile, list[OcrText]]], int]:
    """Each tile's lines; only a picture that is one tile may be turned, else the tiles would not fit together."""
    alone = len(pieces) == 1
    read = [(tile, *ocr.read_turned(tile.image, may_turn=alone)) for tile in pieces]
    return [(tile, lines) for tile, lines, _ in read], read[0][2] if alone else 0
