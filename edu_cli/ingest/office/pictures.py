"""Pictures inside office files -> blocks, through the OCR that the options carry; each picture once a document."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from edu_cli.errors import LoadError, OcrUnavailableError
from edu_cli.ingest.office.metafile import metafile_text
from edu_cli.ingest.office.ooxml import Package
from edu_cli.ingest.options import PictureReader
from edu_cli.types import Block, BlockKind

_METAFILES = ("emf", "wmf")
_DRAWINGS = ("svg", "wdp", "pict", "eps", "emz", "wmz")  # formats that nothing here reads
_EQUATES = re.compile(r"[=≈≤≥<>∑∫∈]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_KIND: dict[BlockKind, BlockKind] = {"heading": "paragraph"}  # what a picture shows large is no heading of the document
_MIN_BYTES = 200  # smaller files are rules, dots and spacers


class OfficePictures:
    """Reads the pictures of one package and counts what could not be read, for the document's warnings."""

    def __init__(self, package: Package, reader: PictureReader | None) -> None:
        self._package = package
        self._reader = reader
        self._without = "since OCR is off"  # why there is no reader
        self._seen: set[str] = set()
        self._failures: Counter[str] = Counter()
        self.confidences: list[float] = []

    def inline_formula(self, part: str, relation: str) -> str:
        """The signs of an old formula object that fits a line, by the drawing that stands for it; else ""."""
        found = self._package.relationships(part).get(relation)
        if found is None or found.external or not found.target.lower().endswith(_METAFILES):
            return ""
        text = metafile_text(self._package.data(found.target))
        return "" if "\n" in text else text

    def blocks(self, part: str, relation: str, page: int | None = None) -> list[Block]:
        """The text of the picture that `part` shows by a relationship id; [] for one that was shown before."""
        found = self._package.relationships(part).get(relation)
        if found is None or found.external:
            if found is not None:
                self._failures["pictures are only linked, not inside the file"] += 1
            return []
        if found.target in self._seen:
            return []
        self._seen.add(found.target)
        data = self._package.data(found.target)
        if len(data) < _MIN_BYTES:
            return []
        suffix = found.target.rpartition(".")[2].lower()
        if suffix in _METAFILES:
            return self._drawn(data, page)
        if suffix in _DRAWINGS:
            self._failures[f"pictures in a drawing format ({suffix}) were not read"] += 1
            return []
        return [
            replace(block, kind=_KIND.get(block.kind, block.kind), level=0, page=page) for block in self._read(data)
        ]

    def _drawn(self, data: bytes, page: int | None) -> list[Block]:
        text = metafile_text(data)
        if not text:
            self._failures["drawings (wmf, emf) hold no text that can be read"] += 1
        is_formula = _EQUATES.search(text) and not _HAN.search(text)
        return [Block("formula" if is_formula else "paragraph", text, page=page)] if text else []

    def _read(self, data: bytes) -> tuple[Block, ...]:
        if self._reader is None:
            self._failures[f"pictures were not read, {self._without}"] += 1
            return ()
        try:
            text = self._reader.read(data)
        except OcrUnavailableError as error:
            self._reader = None
            self._without = f"since {error.message.removesuffix('.')} ({error.hint})"
            return self._read(data)
        except LoadError:
            self._failures["pictures could not be decoded"] += 1
            return ()
        if text.blocks:
            self.confidences.append(text.confidence)
        return text.blocks

    def warnings(self) -> list[str]:
        """One sentence a kind of failure, with how many pictures it cost."""
        return [f"{reason}: {count}" for reason, count in self._failures.items()]
