"""Windows metafiles (WMF, EMF) -> the text drawn in them: labels of Visio drawings, signs of old formula objects."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from edu_cli.ingest.office.symbol_fonts import symbols_of

_PLACEABLE = b"\xd7\xcd\xc6\x9a"
_PLACEABLE_BYTES, _WMF_HEADER_BYTES = 22, 18
# Records of [MS-WMF]; the others that make objects matter too, since objects are counted by their order.
_WMF_FONT, _WMF_SELECT, _WMF_DELETE, _WMF_TEXT, _WMF_EXT_TEXT = 0x02FB, 0x012D, 0x01F0, 0x0521, 0x0A32
_WMF_OBJECTS = frozenset({_WMF_FONT, 0x02FA, 0x02FC, 0x00F7, 0x01F9, 0x0142, 0x06FF})
# Records of [MS-EMF].
_EMF_MARK = b" EMF"
_EMF_FONT, _EMF_SELECT, _EMF_TEXT_A, _EMF_TEXT_W, _EMF_END = 82, 37, 83, 84, 14
_CODECS = {128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5"}
_MAX_RUNS = 20_000
_TELLING = re.compile(r"[\u3400-\u9fff]|[^\W\d_]{2}|[=<>≤≥≈∑∫∈→]")


class Font(NamedTuple):
    """What a text run is drawn in; `height` in the drawing's own units."""

    height: float = 1.0
    face: str = ""
    codec: str = "cp1252"


class Run(NamedTuple):
    """A piece of text and where it starts."""

    x: float
    y: float
    height: float
    text: str


@dataclass(slots=True)
class _Objects:
    """The table of drawing objects: each takes the lowest free place."""

    places: list[Font | str | None] = field(default_factory=list)
    font: Font = field(default_factory=Font)

    def add(self, item: Font | str) -> None:
        try:
            self.places[self.places.index(None)] = item
        except ValueError:
            self.places.append(item)

    def select(self, place: int) -> None:
        chosen = self.places[place] if place < len(self.places) else None
        if isinstance(chosen, Font):
            self.font = chosen

    def delete(self, place: int) -> None:
        if place < len(self.places):
            self.places[place] = None


def metafile_text(data: bytes) -> str:
    """A line a row of the drawing, scripts of formulas as `_{…}` and `^{…}`; "" where nothing telling is drawn."""
    try:
        runs = list(_emf_runs(data) if data[40:44] == _EMF_MARK else _wmf_runs(data))[:_MAX_RUNS]
    except (struct.error, IndexError):
        return ""
    runs = [run for run in runs if run.text.strip()]
    text = "\n".join(_lines(runs)) if runs else ""
    return text if _TELLING.search(text) else ""


def _wmf_runs(data: bytes) -> Iterator[Run]:
    at = (_PLACEABLE_BYTES if data.startswith(_PLACEABLE) else 0) + _WMF_HEADER_BYTES
    objects = _Objects()
    while at + 6 <= len(data):
        words, kind = struct.unpack_from("<IH", data, at)
        if words < 3:
            return
        body = data[at + 6 : at + 2 * words]
        at += 2 * words
        if kind in _WMF_OBJECTS:
            objects.add(_wmf_font(body) if kind == _WMF_FONT else "")
        elif kind == _WMF_SELECT:
            objects.select(struct.unpack_from("<H", body)[0])
        elif kind == _WMF_DELETE:
            objects.delete(struct.unpack_from("<H", body)[0])
        elif kind == _WMF_TEXT:
            count = struct.unpack_from("<H", body)[0]
            y, x = struct.unpack_from("<hh", body, 2 + count + count % 2)
            yield _run(x, y, objects.font, body[2 : 2 + count])
        elif kind == _WMF_EXT_TEXT:
            y, x, count, options = struct.unpack_from("<hhHH", body)
            start = 16 if options & 0x0006 else 8  # a rectangle comes first
            yield _run(x, y, objects.font, body[start : start + count])


def _wmf_font(body: bytes) -> Font:
    face = body[18:50].split(b"\0")[0].decode("gb18030", "replace")
    return Font(abs(struct.unpack_from("<h", body)[0]) or 1.0, face, _CODECS.get(body[13], "cp1252"))


def _run(x: float, y: float, font: Font, raw: bytes) -> Run:
    text = symbols_of(font.face, raw)
    return Run(x, y, font.height, raw.decode(font.codec, "replace") if text is None else text)


def _emf_runs(data: bytes) -> Iterator[Run]:
    at = 0
    fonts: dict[int, Font] = {}
    font = Font()
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if size < 8 or kind == _EMF_END:
            return
        body = data[at : at + size]
        at += size
        if kind == _EMF_FONT:
            place, height = struct.unpack_from("<Ii", body, 8)
            face = body[40:104].decode("utf-16-le", "replace").split("\0")[0]
            fonts[place] = Font(abs(height) or 1.0, face, _CODECS.get(body[35], "cp1252"))
        elif kind == _EMF_SELECT:
            font = fonts.get(struct.unpack_from("<I", body, 8)[0], font)
        elif kind in (_EMF_TEXT_A, _EMF_TEXT_W):
            yield _emf_run(body, font, is_wide=kind == _EMF_TEXT_W)


def _emf_run(body: bytes, font: Font, *, is_wide: bool) -> Run:
    left, top, right, bottom = struct.unpack_from("<4i", body, 8)
    x, y, count, offset = struct.unpack_from("<iiII", body, 36)
    raw = body[offset : offset + count * (2 if is_wide else 1)]
    height = font.height
    if right > left and bottom > top:  # bounds on the device, which hold whatever the transform
        x, y, height = left, top, float(bottom - top)
    if not is_wide:
        return _run(x, y, font._replace(height=height), raw)
    text = raw.decode("utf-16-le", "replace")
    signs = symbols_of(font.face, bytes(ord(sign) & 0xFF for sign in text))
    return Run(x, y, height, text if signs is None else signs)


def _lines(runs: list[Run]) -> Iterator[str]:
    """Rows from the top; what is set smaller joins the nearest row of full size as a script."""
    full = median(run.height for run in runs)
    base = [run for run in runs if run.height >= 0.75 * full]
    rows: list[list[Run]] = []
    for run in sorted(base, key=lambda run: run.y):
        if rows and run.y - rows[-1][0].y < 0.5 * full:
            rows[-1].append(run)
        else:
            rows.append([run])
    scripts: list[list[Run]] = [[] for _ in rows]
    for run in runs:
        if run.height < 0.75 * full:
            nearest = min(range(len(rows)), key=lambda i: abs(rows[i][0].y - run.y))
            scripts[nearest].append(run)
    for row, small in zip(rows, scripts, strict=True):
        yield _line(row, small, full)


def _line(row: list[Run], small: list[Run], full: float) -> str:
    level = median(run.y for run in row)
    out: list[str] = []
    mark, end = "", float("-inf")
    for run in sorted([*row, *small], key=lambda run: run.x):
        wanted = "" if run.height >= 0.75 * full else ("_" if run.y > level else "^")
        if wanted != mark:
            out.append(("}" if mark else "") + (f"{wanted}{{" if wanted else ""))
            mark = wanted
        elif run.x - end > run.height and not wanted:
            out.append(" ")
        out.append(run.text.strip("\0"))
        end = run.x + len(run.text) * run.height * 0.5
    return " ".join("".join([*out, "}" if mark else ""]).split())
