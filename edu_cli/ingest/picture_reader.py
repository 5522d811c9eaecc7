"""The PictureReader of options.py: decode -> cache -> tile -> OCR -> blocks."""

from __future__ import annotations

from pathlib import Path

from edu_cli.errors import OcrUnavailableError
from edu_cli.ingest.ocr import LineReader, Picture, load_line_reader
from edu_cli.ingest.ocr_cache import FrameLines, OcrCache
from edu_cli.ingest.ocr_layout import confidence, frame_blocks
from edu_cli.ingest.ocr_upright import UprightOcr
from edu_cli.ingest.options import PictureText
from edu_cli.ingest.picture import frames, is_thin
from edu_cli.ingest.picture_tiles import tiles, untile

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
    return FrameLines(width, height, tuple(untile([(tile, ocr.read(tile.image)) for tile in tiles(frame)])))
