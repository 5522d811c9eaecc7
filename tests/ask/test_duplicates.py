"""Copies among passages: the quick look at characters decides nothing that the shingles would not."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.ask.retrieval.duplicates import _ALIKE, _Kept, distinct

COMMON = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))


def by_shingles(one: _Kept, other: _Kept) -> bool:
    if not _ALIKE < len(one.text) / max(len(other.text), 1) < 1 / _ALIKE or one.numbers != other.numbers:
        return False
    return len(one.shingles & other.shingles) >= _ALIKE * len(one.shingles | other.shingles)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([3, 12, 60, 400]), st.floats(0, 0.05), st.sampled_from([8, 160]))
def test_the_quick_look_decides_as_the_shingles_do(seed: int, length: int, changed: float, alphabet: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice(COMMON[:alphabet]) for _ in range(length))
    other = "".join(chance.choice("甲乙丙丁戊己庚辛") if chance.random() < changed else char for char in text)
    one, two = _Kept(0, text, "a"), _Kept(1, other, "b")
    assert one.is_nearly(two) == by_shingles(one, two)
    assert two.is_nearly(one) == by_shingles(two, one)


def test_a_changed_word_is_still_a_copy_and_another_text_is_none() -> None:
    chance = random.Random(1)
    text, other = ("".join(chance.choices(COMMON, k=300)) for _ in range(2))
    assert distinct(["a", "b", "c"], [text, text[:-2] + "完毕", other], 3) == [(0, ("b",)), (2, ())]
