"""What OCR read, kept by the picture's hash: a second ingest costs nothing, a changed neighbour page neither."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edu_cli.ingest.ocr.line_reader import OcrText

_FORMAT = 6  # part of the file names: entries of another format are never read


@dataclass(frozen=True, slots=True)
class FrameLines:
    """The lines of one frame, in pixels of the upright frame, whose size is given."""

    width: int
    height: int
    lines: tuple[OcrText, ...]


class OcrCache:
    """A folder of small JSON files. Losing one, or all, costs time only; so whatever cannot be read is a miss."""

    def __init__(self, folder: Path, engine: str) -> None:
        self._folder = folder
        self._salt = f"{_FORMAT}/{engine}/".encode()

    def key(self, data: bytes) -> str:
        """The name of a picture's entry: it depends on the bytes, the engine and the format of the entries."""
        return hashlib.blake2b(self._salt + data, digest_size=20).hexdigest()

    def get(self, key: str) -> list[FrameLines] | None:
        """The entry, or None."""
        try:
            stored = json.loads(self._path(key).read_text(encoding="utf-8"))
            return [_frame(item) for item in stored["frames"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, found: list[FrameLines]) -> None:
        """Writes an entry at once or not at all; a full or read-only disk is no reason to fail."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8"
            ) as file:
                json.dump({"frames": [asdict(frame) for frame in found]}, file, ensure_ascii=False)
            os.replace(file.name, path)  # noqa: PTH105  (Path.replace on a str would build one more Path)
        except OSError:
            return

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def _frame(item: dict[str, Any]) -> FrameLines:
    lines = (
        OcrText(str(line["text"]), float(line["confidence"]), tuple((float(x), float(y)) for x, y in line["quad"]))
        for line in item["lines"]
    )
    return FrameLines(int(item["width"]), int(item["height"]), tuple(lines))
