"""RapidOCR behind one small interface: find lines, tell upside-down ones, read them. One engine a process."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from edu_cli.errors import OcrUnavailableError
from edu_cli.ingest.ocr.line_reader import LineReader, Picture, Quad
from edu_cli.ingest.ocr.words import spaced

READ_SIDE = 1600  # longest side in pixels of what is read at once: 2000 and 2600 took 1.5 and 2 times as long for
# more errors on pages of 300 dpi (bench/ocr.py)
_ENGINE_SIDE = 4000  # the package's own limit, set above all that is passed to it


class RapidOcrOnnx:
    """The package rapidocr-onnxruntime (PP-OCRv4), where Python is older than 3.13."""

    name = "rapidocr-onnxruntime/ppocr-v4"
    _engine: Any  # the package's annotations are narrower than what it gives

    def __init__(self, threads: int) -> None:
        from rapidocr_onnxruntime import RapidOCR

        self._engine = RapidOCR(intra_op_num_threads=threads, inter_op_num_threads=1, max_side_len=_ENGINE_SIDE)

    def find(self, image: Picture) -> list[Quad]:
        """See LineReader."""
        found, _ = self._engine(_bgr(image), use_det=True, use_cls=False, use_rec=False)
        return [np.asarray(quad, dtype=np.float32) for quad in found or []]

    def are_flipped(self, crops: Sequence[Picture]) -> list[bool]:
        """See LineReader."""
        _, labels, _ = self._engine.text_cls([_bgr(crop) for crop in crops])
        return [label == "180" and score > 0.9 for label, score in labels]

    def recognise(self, crops: Sequence[Picture]) -> list[tuple[str, float]]:
        """See LineReader."""
        if not crops:
            return []
        read, _ = self._engine.text_rec([_bgr(crop) for crop in crops], return_word_box=True)
        found = []
        for (text, confidence, details), crop in zip(read, crops, strict=True):
            steps, _, columns = details[:3]
            places = [(column + 0.5) / steps for word in columns for column in word]
            found.append((spaced(text, places, crop), float(confidence)))
        return found


class RapidOcr:
    """The package rapidocr (PP-OCRv6 small), where Python is 3.13 or newer."""

    name = "rapidocr/ppocr-v6"

    def __init__(self, threads: int) -> None:
        from rapidocr import RapidOCR  # type: ignore[import-not-found]  # only installed on newer Pythons

        self._engine: Any = RapidOCR(
            params={
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Global.max_side_len": _ENGINE_SIDE,
                "Global.log_level": "critical",
            }
        )

    def find(self, image: Picture) -> list[Quad]:
        """See LineReader."""
        boxes = self._engine(_bgr(image), use_det=True, use_cls=False, use_rec=False).boxes
        return [] if boxes is None else [np.asarray(quad, dtype=np.float32) for quad in boxes]

    def are_flipped(self, crops: Sequence[Picture]) -> list[bool]:
        """See LineReader."""
        found = [self._engine(_bgr(crop), use_det=False, use_cls=True, use_rec=False).cls_res for crop in crops]
        return [bool(res) and res[0][0] == "180" and res[0][1] > 0.9 for res in found]

    def recognise(self, crops: Sequence[Picture]) -> list[tuple[str, float]]:
        """See LineReader."""
        read = [self._engine(_bgr(crop), use_det=False, use_cls=False, use_rec=True) for crop in crops]
        return [(res.txts[0], float(res.scores[0])) if res.txts else ("", 0.0) for res in read]


@functools.cache
def load_line_reader(threads: int) -> LineReader:
    """The engine that is installed, loaded once a process. Raises OcrUnavailableError."""
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    failures: list[ImportError] = []
    for engine in (RapidOcrOnnx, RapidOcr):
        try:
            return engine(threads)
        except ImportError as error:
            failures.append(error)
    raise _unavailable(failures)


def _unavailable(failures: Sequence[ImportError]) -> OcrUnavailableError:
    broken = [error for error in failures if not isinstance(error, ModuleNotFoundError)]
    if not broken:
        return OcrUnavailableError(
            "OCR is not installed: neither rapidocr-onnxruntime nor rapidocr can be imported.",
            hint="pip install rapidocr-onnxruntime (Python 3.13 and newer: pip install rapidocr)",
        )
    return OcrUnavailableError(
        f"OCR cannot load, since a system library is missing ({broken[0]}).",
        hint="on Debian and Ubuntu: apt-get install libgl1 libglib2.0-0; without root: "
        "pip uninstall -y opencv-python, then pip install opencv-python-headless",
    )


def _bgr(image: Picture) -> Picture:
    return np.ascontiguousarray(image[:, :, ::-1])
