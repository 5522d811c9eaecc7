from __future__ import annotations

import pytest

from edu_cli.errors import LoadError
from edu_cli.ingest.text.decode import decode

SIMPLIFIED = "《操作系统》实验指导：实现 FIFO、LRU 与 CLOCK 三种置换算法，并统计缺页率。负责助教龚镕喆，价格单位为€。"
TRADITIONAL = "計算機網路課程說明：平時成績佔百分之三十五，期末考試佔百分之六十五。請於星期五以前繳交報告。"


@pytest.mark.parametrize(
    "codec",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "gb18030"],
)
def test_simplified_text_comes_back_from_every_encoding(codec: str) -> None:
    assert decode(SIMPLIFIED.encode(codec)).text == SIMPLIFIED


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "gb18030", "big5"])
def test_traditional_text_comes_back_from_every_encoding(codec: str) -> None:
    decoded = decode(TRADITIONAL.encode(codec))
    assert (decoded.text, decoded.encoding) == (TRADITIONAL, codec)


def test_a_few_gbk_characters_in_a_long_ascii_file_are_found() -> None:
    text = "The helper script prints the value with four decimals.\n" * 40 + "# 注意空列表\n"
    assert decode(text.encode("gbk")).text == text


def test_utf_16_of_plain_ascii_is_no_ascii_with_zeros() -> None:
    assert decode("plain text\n".encode("utf-16-le")).encoding == "utf-16-le"


def test_line_ends_become_one_kind() -> None:
    assert decode("一\r二\r\n三\n".encode()).text == "一\n二\n三\n"


def test_control_characters_are_dropped_and_told() -> None:
    decoded = decode("答\x00案\x08".encode())
    assert decoded.text == "答案"
    assert decoded.warnings == ("2 control or invisible characters were dropped",)


def test_one_broken_byte_does_not_cost_the_file() -> None:
    data = SIMPLIFIED.encode() * 5
    decoded = decode(data[:40] + b"\xff" + data[40:])
    assert decoded.encoding == "utf-8"
    assert "unreadable" in decoded.warnings[0]


def test_a_file_cut_inside_a_character_is_still_read() -> None:
    decoded = decode((SIMPLIFIED * 3).encode()[:-1])
    assert decoded.text == (SIMPLIFIED * 3)[:-1]


def test_japanese_and_western_text_is_read_and_told() -> None:
    japanese = decode("これは日本語の文章です。授業は月曜日に行われます。".encode("cp932"))
    assert japanese.text.startswith("これは日本語")
    assert "Japanese" in japanese.warnings[0]
    western = decode("The author’s résumé is here – naïve “text”.".encode("cp1252"))
    assert "author’s résumé" in western.text
    assert "Western" in western.warnings[0]


@pytest.mark.parametrize("codec", ["koi8_r", "cp1251", "iso8859_7"])
def test_text_of_no_known_encoding_is_refused_rather_than_stored_as_nonsense(codec: str) -> None:
    text = {"iso8859_7": "Οι φοιτητές πρέπει να παραδώσουν την εργασία μέχρι το βράδυ"}.get(
        codec, "Студенты должны сдать работу до пятницы, вопросы можно задать преподавателю"
    )
    with pytest.raises(LoadError) as error:
        decode(text.encode(codec), name="план.txt")
    assert error.value.code == "encoding"
    assert "план.txt" in error.value.message


def test_valid_utf_8_in_other_scripts_is_left_alone() -> None:
    for text in ("Студенты", "café", "25 °C", "· a", "λ-calculus", "😀"):
        assert decode(text.encode()).text == text


@pytest.mark.parametrize("codec", ["utf-8", "gb18030"])
def test_text_saved_through_latin_1_is_mended_and_told(codec: str) -> None:
    decoded = decode(SIMPLIFIED.encode(codec).decode("latin-1").encode())
    assert decoded.text.startswith("《操作系统》实验指导")
    assert "mended" in decoded.warnings[0]


def test_random_bytes_are_refused() -> None:
    data = bytes((i * 197 + i * i * 31) % 256 for i in range(4000))
    with pytest.raises(LoadError):
        decode(data)


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\0\0\0\0", "\ufeff".encode(), "\u200b".encode()])
def test_files_without_text_are_empty(data: bytes) -> None:
    with pytest.raises(LoadError) as error:
        decode(data)
    assert error.value.code == "empty"
