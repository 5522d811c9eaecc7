from __future__ import annotations

import os
import shutil
import struct
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from docx import Document as WordDocument
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx import Presentation

from edu_cli.errors import LoadError
from edu_cli.ingest.load import load
from edu_cli.ingest.office.legacy import find_office
from edu_cli.ingest.office.legacy_doc import text_blocks
from edu_cli.ingest.office.legacy_ole import deck_blocks
from edu_cli.ingest.office.legacy_rtf import rtf_text
from edu_cli.ingest.options import LoadOptions

needs_office = pytest.mark.skipif(find_office() is None, reason="LibreOffice is not installed")


def _converted(path: Path, suffix: str) -> Path:
    profile = (path.parent / "profile").as_uri()
    command = [str(find_office()), f"-env:UserInstallation={profile}", "--headless", "--convert-to", suffix]
    subprocess.run([*command, "--outdir", str(path.parent), str(path)], check=True, capture_output=True, timeout=120)
    return path.with_suffix(f".{suffix}")


@pytest.fixture
def old_word(tmp_path: Path) -> Path:
    document = WordDocument()
    document.add_heading("第一章 绪论", 1)
    document.add_paragraph("补考费为 45 元。")
    table = document.add_table(2, 2)
    for i, text in enumerate(("设备", "房间", "激光器", "114")):
        table.cell(i // 2, i % 2).text = text
    document.add_paragraph("表后说明。" * 100)  # antiword refuses files of a few words
    document.save(str(tmp_path / "章程.docx"))
    return _converted(tmp_path / "章程.docx", "doc")


@pytest.fixture
def old_deck(tmp_path: Path) -> Path:
    show = Presentation()
    for n in (1, 2):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"第{n}讲"
        slide.placeholders[1].text_frame.text = f"要点{n}"
    show.save(str(tmp_path / "课件.pptx"))
    return _converted(tmp_path / "课件.pptx", "ppt")


@needs_office
@pytest.mark.slow
def test_an_old_word_file_keeps_headings_and_tables(old_word: Path) -> None:
    document = load(old_word, LoadOptions())
    assert document.format == "doc"
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "table", "paragraph"]


@needs_office
@pytest.mark.slow
def test_an_old_deck_keeps_its_slides(old_deck: Path) -> None:
    document = load(old_deck, LoadOptions())
    assert (document.format, document.pages) == ("ppt", 2)
    assert [(b.text, b.page) for b in document.blocks if b.kind == "heading"] == [("第1讲", 1), ("第2讲", 2)]


@needs_office
@pytest.mark.slow
def test_a_deck_is_read_without_libreoffice_too(old_deck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edu_cli.ingest.office.legacy.find_office", lambda: None)
    document = load(old_deck, LoadOptions())
    assert [block.text for block in document.blocks] == ["第1讲", "要点1", "第2讲", "要点2"]
    assert "libreoffice-impress-nogui" in document.warnings[0]


@needs_office
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("antiword") is None, reason="antiword is not installed")
def test_a_word_file_is_read_by_antiword_where_libreoffice_is_absent(
    old_word: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edu_cli.ingest.office.legacy.find_office", lambda: None)
    document = load(old_word, LoadOptions())
    assert "补考费为 45 元。" in [block.text for block in document.blocks]


@needs_office
@pytest.mark.slow
def test_a_word_file_is_read_with_nothing_at_hand(old_word: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edu_cli.ingest.office.legacy.find_office", lambda: None)
    monkeypatch.setenv("PATH", "")
    texts = [block.text for block in load(old_word, LoadOptions()).blocks]
    assert texts[:3] == ["第一章 绪论", "补考费为 45 元。", "| 设备 | 房间 |\n| 激光器 | 114 |"]


def test_the_characters_of_a_word_stream_become_paragraphs_and_rows() -> None:
    text = "见\x13 HYPERLINK x \x14主页\x15。\r\x01图注\x0b第二行\r甲\a乙\a\a丙\a丁\a\a后\r"
    assert [(b.kind, b.text) for b in text_blocks(text)] == [
        ("paragraph", "见主页。"),
        ("paragraph", "图注\n第二行"),
        ("table", "| 甲 | 乙 |\n| 丙 | 丁 |"),
        ("paragraph", "后"),
    ]


def test_without_libreoffice_the_debian_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edu_cli.ingest.office.legacy.find_office", lambda: None)
    path = tmp_path / "a.odt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    with pytest.raises(LoadError) as raised:
        load(path, LoadOptions())
    assert raised.value.code == "unsupported"
    assert "libreoffice-writer-nogui" in raised.value.hint


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for soffice")
def test_a_soffice_that_makes_nothing_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "soffice"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = tmp_path / "a.rtf"
    path.write_bytes(b"{\\rtf1 x}")
    with pytest.raises(LoadError, match="LibreOffice cannot read it"):
        load(path, LoadOptions())
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for soffice")
def test_a_soffice_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "soffice"
    program.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {tmp_path}/child\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("edu_cli.ingest.office.legacy._CONVERT_S", 1)
    path = tmp_path / "a.rtf"
    path.write_bytes(b"{\\rtf1 x}")
    with pytest.raises(LoadError) as raised:
        load(path, LoadOptions())
    assert raised.value.code == "timeout"
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + 30
    while _state(child) not in ("", "Z") and time.monotonic() < until:  # the kernel takes its time
        time.sleep(0.02)
    assert _state(child) in ("", "Z")


def test_rtf_is_read_without_libreoffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edu_cli.ingest.office.legacy.find_office", lambda: None)
    path = tmp_path / "a.doc"  # as old WPS versions save it
    hexed = "".join(f"\\'{byte:02x}" for byte in "补考费为45元。".encode("gbk"))
    path.write_bytes(
        rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}{\*\generator x;}{\info{\author y}}\f0 "
        + hexed.encode()
        + rb"\par \u21608 ?\u19968 ?\cell \u25968 ?\u23398 ?\cell\row "
        + rb"{\field{\*\fldinst HYPERLINK z}{\fldrslt link}}\par}"
    )
    document = load(path, LoadOptions())
    assert [block.text for block in document.blocks] == ["补考费为45元。", "| 周一 | 数学 |", "link"]
    assert document.warnings[0].startswith("read as rtf")


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_no_bytes_break_the_rtf_reader(data: bytes) -> None:
    rtf_text(b"{\\rtf1 " + data)


def _state(pid: int) -> str:
    """One letter of /proc, "" for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def _record(kind: int, body: bytes, *, version: int = 0, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(body)) + body


def _text(kind: int, text: str) -> bytes:
    return _record(0x0F9F, struct.pack("<I", kind)) + _record(0x0FA0, text.encode("utf-16-le"))


def test_the_text_of_a_binary_deck_is_read_by_slides() -> None:
    persist = _record(0x03F3, bytes(20))
    listed = persist + _text(0, "图像增强") + _text(1, "平滑\r锐化") + persist + _text(4, "卷积定义")
    document = _record(0x03E8, _record(0x0FF0, listed, version=0xF), version=0xF)
    drawn = b"".join(_record(0x03EE, _text(4, text), version=0xF) for text in ("图中标签", ""))
    blocks = deck_blocks(document + drawn)
    assert [(b.kind, b.text, b.page) for b in blocks] == [
        ("heading", "图像增强", 1),
        ("paragraph", "平滑\n锐化", 1),
        ("paragraph", "图中标签", 1),
        ("heading", "卷积定义", 2),
    ]


@given(st.binary(max_size=300))
@settings(max_examples=100)
def test_no_stream_breaks_the_deck_reader(data: bytes) -> None:
    deck_blocks(data)
