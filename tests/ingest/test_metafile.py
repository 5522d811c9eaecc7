from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ingest.office.metafile import metafile_text
from edu_cli.ingest.office.symbol_fonts import symbol_of


def _record(kind: int, body: bytes) -> bytes:
    padded = body + b"\0" * (len(body) % 2)
    return struct.pack("<IH", 3 + len(padded) // 2, kind) + padded


def _font(height: int, face: str, charset: int = 0) -> bytes:
    return _record(
        0x02FB,
        struct.pack("<hhhhh", -height, 0, 0, 0, 400) + bytes([0, 0, 0, charset]) + bytes(4) + face.encode() + b"\0",
    )


def _select(place: int) -> bytes:
    return _record(0x012D, struct.pack("<H", place))


def _text(x: int, y: int, raw: bytes) -> bytes:
    return _record(0x0A32, struct.pack("<hhHH", y, x, len(raw), 0) + raw)


def _wmf(*records: bytes) -> bytes:
    return bytes(18) + b"".join(records)


def test_a_formula_object_reads_as_its_signs_with_scripts() -> None:
    letters, small, signs = _font(400, "Times New Roman"), _font(240, "Times New Roman"), _font(400, "Symbol", 2)
    data = _wmf(
        letters, small, signs,
        _select(0), _text(0, 400, b"y=k"), _text(1200, 400, b"x"),
        _select(1), _text(1400, 500, b"0"), _text(1700, 250, b"2"),
        _select(2), _text(700, 400, b"\xe5"),
    )  # fmt: skip
    assert metafile_text(data) == "y=k∑x_{0}^{2}"


def test_labels_of_a_drawing_are_read_row_by_row_in_their_encoding() -> None:
    labels = ((200, 100, "输出层"), (0, 100, "输入层"), (0, 300, "权重"))
    data = _wmf(_font(20, "宋体", 134), _select(0), *(_text(x, y, label.encode("gbk")) for x, y, label in labels))
    assert metafile_text(data) == "输入层 输出层\n权重"


def test_an_enhanced_metafile_is_read_by_its_device_bounds() -> None:
    def text(bounds: tuple[int, int, int, int], words: str) -> bytes:
        raw = words.encode("utf-16-le")
        body = struct.pack("<4iI2f2iII", *bounds, 1, 1.0, 1.0, 0, 0, len(words), 76).ljust(68, b"\0") + raw
        return struct.pack("<II", 84, 8 + len(body)) + body

    head = struct.pack("<II", 1, 88).ljust(40, b"\0") + b" EMF"
    data = head.ljust(88, b"\0") + text((0, 50, 60, 70), "第二行") + text((0, 0, 60, 20), "第一行")
    assert metafile_text(data) == "第一行\n第二行"


def test_lines_and_lone_signs_are_no_text() -> None:
    assert metafile_text(_wmf(_font(20, "Arial"), _select(0), _text(0, 0, b"-"))) == ""


def test_private_use_codes_of_symbol_fonts_are_known() -> None:
    assert symbol_of("Wingdings", 0xF0FC) == "✓"
    assert symbol_of("Symbol", 0x61) == "α"
    assert symbol_of("Arial", 0x61) is None


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_no_bytes_break_it(data: bytes) -> None:
    metafile_text(bytes(18) + data)
    metafile_text(bytes(40) + b" EMF" + data)
