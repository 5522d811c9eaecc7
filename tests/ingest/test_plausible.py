"""Whether text can be language."""

from __future__ import annotations

import random

import pytest

from edu_cli.ingest.text.plausible import (
    han_share,
    is_nonsense,
    is_ocr_script,
    is_word_pair,
    latin_share,
    strange_share,
)

SIMPLIFIED = (
    "操作系统是管理计算机硬件与软件资源的系统软件，它"
    "为用户和应用程序提供接口，进程是程序的一次执行，线程是调度的基本单位。"
)
TRADITIONAL = (
    "作業系統是管理電腦硬體與軟體資源的系統軟體，它"
    "為使用者和應用程式提供介面，行程是程式的一次執行，執行緒是排程的基本單位。"
)
ENGLISH = "The operating system manages the resources of the computer and offers programs an interface to them. " * 3


def exchanged(text: str, seed: int) -> str:
    letters = sorted({char for char in text if char.isalpha()})
    other = letters[:]
    random.Random(seed).shuffle(other)
    return text.translate(str.maketrans("".join(letters), "".join(other)))


@pytest.mark.parametrize("text", [SIMPLIFIED, TRADITIONAL, ENGLISH])
def test_language_is_no_nonsense_and_its_exchanged_characters_are(text: str) -> None:
    assert not is_nonsense(text)
    if text is not ENGLISH:  # 26 letters exchanged among themselves can come close to words
        assert all(is_nonsense(exchanged(text, seed)) for seed in range(5))


def test_shifted_letters_are_nonsense() -> None:
    shifted = "".join(chr((ord(char) - 97 + 3) % 26 + 97) if char.isalpha() else char for char in ENGLISH.lower())
    assert latin_share(shifted)[0] < latin_share(ENGLISH)[0]
    assert is_nonsense(shifted)


def test_too_little_text_is_never_nonsense() -> None:
    assert not is_nonsense("龘靐")
    assert han_share("") == (0.0, 0)


def test_characters_of_many_scripts_are_strange() -> None:
    assert strange_share("㞔䑏ఝⲄᐜ匊ᮅᑺۤ㩨僴ډ䑫╓") > 0.5
    assert strange_share(SIMPLIFIED + TRADITIONAL + "こんにちは 안녕하세요 Привет αβγ") == 0.0


def test_words_are_told_from_chance_neighbours() -> None:
    assert is_word_pair("应", "用")
    assert not is_word_pair("值", "注")


def test_scripts_beyond_the_models_are_known_as_such() -> None:
    assert is_ocr_script(SIMPLIFIED + ENGLISH)
    assert not is_ocr_script("보안 기술 전망 보고서")
