from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import p, write_docx

from edu_cli.ingest.sniff import HEAD_BYTES, format_of


def _kind(path: Path) -> str | None:
    return format_of(path, path.read_bytes()[:HEAD_BYTES])


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.docx", b"%PDF-1.7\n", "pdf"),
        ("a.pdf", b"junk before\n%PDF-1.4", "pdf"),
        ("a.md", "说明 %PDF- 是文件头".encode(), "markdown"),
        ("a.jpg", b"\x89PNG\r\n\x1a\n....", "image"),
        ("a.png", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image"),
        ("a", b"\x00\x00\x00\x18ftypheic", "image"),
        ("a.doc", b"{\\rtf1\\ansi", "rtf"),
        ("a.doc", "<html><body>通知</body></html>".encode("gb18030"), "html"),
        ("a.pdf", "纯文本".encode(), "text"),
        ("a.txt", b"<!DOCTYPE html>\n<html>", "html"),
        ("a.md", b"<html> in a readme", "markdown"),
        ("a.txt", "讲义".encode("utf-16"), "text"),
        ("a.txt", "数据结构与算法 notes".encode("utf-16-le"), "text"),
        ("a.txt", "data structures".encode("utf-32-le"), "text"),
        ("a.py", b"import os\n", "code"),
        ("a.mht", b"From: <Saved by WebKit>\nContent-Type: multipart/related;", "mht"),
        ("a.doc", b"MIME-Version: 1.0\nContent-Type: multipart/related; x", "mht"),
        ("a.xml", b'<?xml version="1.0"?><?mso-application progid="Word.Document"?>', "code"),
        ("a.doc", b'<?xml version="1.0"?><?mso-application progid="Word.Document"?>', "wordml"),
        ("a.zip", b"Rar!\x1a\x07\x00", "archive"),
        ("a.bin", bytes(range(32)) * 8, None),
        ("a.docx", bytes(range(32)) * 8, None),
        ("a.pdf", bytes(range(32)) * 8, "pdf"),
    ],
)
def test_content_comes_before_the_extension(tmp_path: Path, name: str, data: bytes, kind: str | None) -> None:
    assert _kind(_written(tmp_path / name, data)) == kind


def test_zip_packages_are_told_apart_by_what_is_inside(tmp_path: Path) -> None:
    assert _kind(write_docx(tmp_path / "其实是Word.pdf", p("x"))) == "docx"
    plain = tmp_path / "a.docx"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("a.txt", "x")
    assert _kind(plain) == "archive"
    open_document = tmp_path / "a.odt"
    with zipfile.ZipFile(open_document, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    assert _kind(open_document) == "odt"


def test_a_cut_off_docx_is_still_a_docx(tmp_path: Path) -> None:
    whole = write_docx(tmp_path / "a.docx", p("x")).read_bytes()
    assert _kind(_written(tmp_path / "b.docx", whole[: len(whole) // 2])) == "docx"


@given(st.binary(max_size=200), st.sampled_from(["a", "a.txt", "a.docx", "a.doc", "a.pdf", "a.png", "a.xlsx"]))
@settings(max_examples=150)
def test_no_bytes_break_it(data: bytes, name: str) -> None:
    format_of(Path("/does/not/exist") / name, data)


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), min_size=4, max_size=100))
@settings(max_examples=100)
def test_utf8_text_of_any_script_is_text(text: str) -> None:
    assert format_of(Path("没有扩展名"), text.encode()) is not None or text.startswith(("PK", "BM"))


def test_a_package_whose_first_part_does_not_unpack_goes_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text" * 9)
    data = bytearray(path.read_bytes())
    start = data.index(b"mimetype") + len(b"mimetype")
    data[start : start + 4] = b"\xff\xff\xff\xff"  # no deflate stream begins like this
    assert _kind(_written(path, bytes(data))) == "odt"
