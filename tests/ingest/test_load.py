from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from office_files import p, write_docx

from edu_cli.errors import LoadError
from edu_cli.ingest.load import load
from edu_cli.ingest.options import LoadOptions
from edu_cli.types import Document


def _load(path: Path) -> Document:
    return load(path, LoadOptions())


def _fails(path: Path, code: str) -> LoadError:
    with pytest.raises(LoadError) as raised:
        _load(path)
    assert raised.value.code == code
    assert path.name in raised.value.message
    return raised.value


@pytest.mark.parametrize("suffix", ["txt", "md", "pdf", "docx", "pptx", "doc", "ppt", "jpg", "png", "csv"])
def test_an_empty_file_fails_by_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"空.{suffix}"
    path.touch()
    _fails(path, "empty")


@pytest.mark.parametrize("suffix", ["docx", "pptx", "doc", "ppt", "xlsx", "pdf"])
def test_junk_under_a_known_extension_is_corrupt(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"坏.{suffix}"
    path.write_bytes(bytes(range(256)) * 20)
    _fails(path, "corrupt")


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "大.txt"
    path.write_text("字" * 1000, encoding="utf-8")
    with pytest.raises(LoadError) as raised:
        load(path, LoadOptions(max_bytes=1000))
    assert raised.value.code == "too_large"
    assert "max_file_mb" in raised.value.hint


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    _fails(tmp_path / "没有.md", "corrupt")


def test_a_named_file_that_is_no_document_is_refused_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "录像.mp4"
    path.write_bytes(bytes(range(256)) * 20)
    assert "is sound or video" in _fails(path, "unsupported").message


def test_an_archive_under_a_document_name_is_unsupported(tmp_path: Path) -> None:
    path = tmp_path / "资料.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    _fails(path, "unsupported")


def test_a_truncated_package_is_corrupt(tmp_path: Path) -> None:
    whole = write_docx(tmp_path / "a.docx", p("正文")).read_bytes()
    path = tmp_path / "截断.docx"
    path.write_bytes(whole[: len(whole) // 2])
    _fails(path, "corrupt")


def test_a_document_of_pictures_only_has_no_text_without_ocr(tmp_path: Path) -> None:
    error = _fails(write_docx(tmp_path / "空白.docx", "<w:p/>"), "no_text")
    assert error.hint == ""


@pytest.mark.parametrize("suffix", ["pdf", "pptx", "jpg"])
def test_an_error_page_saved_under_a_document_name_fails(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"课件.{suffix}"
    path.write_text("<!DOCTYPE html><html><body>请重新登录</body></html>", encoding="utf-8")
    assert "failed download" in _fails(path, "corrupt").message


def test_a_page_that_word_saved_as_doc_is_read(tmp_path: Path) -> None:
    path = tmp_path / "通知.doc"
    path.write_bytes("<html><body><p>教务处通知</p></body></html>".encode("gb18030"))
    assert [block.text for block in _load(path).blocks] == ["教务处通知"]


def test_a_wrong_extension_is_read_and_told(tmp_path: Path) -> None:
    document = _load(write_docx(tmp_path / "其实是Word.pdf", p("课程编号 7")))
    assert (document.format, document.title) == ("docx", "其实是Word")
    assert document.warnings == ("read as docx, though its name ends in .pdf",)


def test_a_missing_extension_needs_no_warning(tmp_path: Path) -> None:
    assert _load(write_docx(tmp_path / "无扩展名", p("正文"))).warnings == ()


def test_a_workbook_is_read_whatever_its_extension(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["姓名", "成绩"])
    sheet.append(["张三", 90])
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "a.xlsx").rename(tmp_path / "成绩.xls")
    assert "| 张三 | 90 |" in _load(tmp_path / "成绩.xls").blocks[-1].text


def test_a_workbook_that_is_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "炸弹.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(64 * 2**20))
    _fails(path, "too_large")


def test_source_code_is_one_verbatim_block(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text("def f():\n    return 1\n", encoding="utf-8")
    document = _load(path)
    assert [(block.kind, block.text) for block in document.blocks] == [("code", "def f():\n    return 1")]
    assert (document.format, document.metadata["language"]) == ("py", "py")


def test_a_notebook_gives_prose_and_code(tmp_path: Path) -> None:
    path = tmp_path / "实验.ipynb"
    path.write_text(
        '{"cells": [{"cell_type": "markdown", "source": ["# 实验一\\n", "说明"]},'
        ' {"cell_type": "code", "source": "print(1)", "outputs": [{"text": "1"}]}]}',
        encoding="utf-8",
    )
    document = _load(path)
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "code"]
    assert document.title == "实验一"


def test_a_web_archive_is_read_in_the_encoding_of_its_header(tmp_path: Path) -> None:
    path = tmp_path / "网页.mht"
    head = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    head += b"--x\nContent-Type: text/html; charset=gb2312\n\n"
    path.write_bytes(head + "<html><body><p>选课通知</p></body></html>".encode("gb2312") + b"\n--x--\n")
    document = _load(path)
    assert [block.text for block in document.blocks] == ["选课通知"]
    assert document.format == "mht"
