"""Spaces that a picture of a line shows and its recognition left out."""

from __future__ import annotations

import numpy as np

from edu_cli.ingest.ocr.words import spaced


def line_of(words: str, letter: int = 10, gap: int = 2, space: int = 9) -> tuple[np.ndarray, str, list[float]]:
    """A line of hollow letters 20 pixels high, its text without spaces, and where its letters stand."""
    crop = np.full((30, (letter + gap) * len(words) + space * words.count(" ") + 4, 3), 255, np.uint8)
    x, places = 2, []
    for char in words:
        if char == " ":
            x += space - gap
            continue
        crop[5:25, x : x + letter] = 0
        crop[7:23, x + 2 : x + letter - 2] = 255
        places.append(x + letter / 2)
        x += letter + gap
    return crop, words.replace(" ", ""), [place / crop.shape[1] for place in places]


def test_words_are_parted_where_the_picture_shows_a_space() -> None:
    crop, text, places = line_of("public void run")
    assert spaced(text, places, crop) == "public void run"
    assert spaced(text, places, 255 - crop) == "public void run"


def test_punctuation_keeps_to_its_word() -> None:
    crop, text, places = line_of("call ( now ) , then")
    assert spaced(text, places, crop) == "call (now), then"


def test_chinese_is_never_parted() -> None:
    crop, text, places = line_of("分页 存储 管理 ok go")
    assert spaced(text, places, crop) == "分页存储管理ok go"


def test_places_that_do_not_fit_change_nothing() -> None:
    crop, text, _ = line_of("public void run")
    assert spaced(text, [0.5], crop) == text
    assert spaced("", [], crop) == ""
