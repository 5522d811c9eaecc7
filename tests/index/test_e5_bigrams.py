"""Terms and weights of the bundled encoder's sparse side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.index.encoders.bigrams import passage_vectors, question_vectors, term_id, terms


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("数据结构", ["数据", "据结", "结构"]),
        ("栈", ["栈"]),
        ("栈 和", ["栈", "和"]),
        ("C++ 与 C#", ["c++", "与", "c#"]),
        ("C#中", ["c#", "中"]),
        ("a+b", ["a", "b"]),
        ("k-means", ["k-means", "k", "means"]),
        ("2031-09-01", ["2031-09-01", "2031", "09", "01"]),
        ("node_id", ["node_id", "node", "id"]),
        ("ＨＴＴＰ ５００", ["http", "500"]),
        ("資料", ["资料"]),
        ("。，！", []),
    ],
)
def test_terms_are_pairs_of_han_characters_and_words(text: str, wanted: list[str]):
    assert list(terms(text)) == wanted


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=80))
def test_vectors_have_ascending_ids_and_weights_above_zero(text: str):
    for vector in (*passage_vectors([text]), *question_vectors([text])):
        assert vector.indices.dtype == np.uint32
        assert vector.values.dtype == np.float32
        assert len(vector.indices) == len(vector.values)
        assert (np.diff(vector.indices.astype(np.int64)) > 0).all()
        assert (vector.values > 0).all()
        assert (vector.indices < 2**32 - 1).all()


def test_ids_do_not_depend_on_the_process():
    assert term_id("数据") == 1734835005
    assert term_id("c++") == 1864149058


def test_a_repeat_counts_less_each_time_and_length_holds_back():
    once, twice, thrice = (passage_vectors(["栈 " * n + "队 " * (9 - n)])[0].values.max() for n in (5, 6, 7))
    assert thrice - twice < twice - once
    short, long = passage_vectors(["栈", "栈 " + "队 " * 900])
    place = long.indices.tolist().index(term_id("栈"))
    assert long.values[place] < short.values[0]


def test_a_question_weighs_terms_by_how_often_they_are_asked():
    vector = question_vectors(["栈 栈 队"])[0]
    assert dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True)) == {
        term_id("栈"): 2,
        term_id("队"): 1,
    }
