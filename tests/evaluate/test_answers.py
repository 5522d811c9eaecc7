from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edu_cli.evaluate.answers import answer_measures, folded_answer


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("叶绿体基质", "叶绿体基质。"),
        ("8 月 29 日[1]", "８月２９日"),
        ("1200 人", "1,200人"),
        ("1200 人【1】", "一千二百人"),
        ("學費五千元", "学费5000元"),
        ("占 20%", "占百分之二十"),
        ("HashMap", "hashmap！"),
        ("“C++”", "c++"),
        ("0.75", "０．７５"),
    ],
)
def test_answers_that_say_the_same_match_exactly(answer, reference):
    assert answer_measures(answer, [reference])["EM"] == 1.0


@pytest.mark.parametrize(
    ("answer", "reference"), [("8月28日", "8月29日"), ("C", "C++"), ("7.5", "75"), ("12%", "12"), ("1200", "1300")]
)
def test_answers_that_say_something_else_do_not(answer, reference):
    assert answer_measures(answer, [reference])["EM"] == 0.0


def test_an_answer_may_contain_the_reference():
    values = answer_measures("根据材料，暗反应发生在叶绿体基质中[1]。", ["叶绿体基质"])
    assert values["EM"] == 0.0
    assert values["Contains"] == 1.0
    assert 0 < values["F1"] < 1


def test_the_best_reference_counts():
    assert answer_measures("李白", ["杜甫", "李白"])["EM"] == 1.0


def test_f1_counts_characters_numbers_and_words():
    assert answer_measures("北京大学", ["北京"])["F1"] == pytest.approx(2 * 2 / (4 + 2))
    assert answer_measures("Deep learning", ["deep"])["F1"] == pytest.approx(2 / 3)


def test_no_answer_scores_zero():
    assert set(answer_measures("", ["北京"]).values()) == {0.0}


def test_rouge_l_is_by_order():
    assert answer_measures("乙甲", ["甲乙"])["ROUGE-L"] == pytest.approx(0.5)
    assert answer_measures("乙甲", ["甲乙"])["F1"] == 1.0


TEXT = st.text(alphabet="甲乙丙丁ab 1。", max_size=12)


@settings(max_examples=200, deadline=None)
@given(TEXT, TEXT)
def test_rouge_l_is_the_longest_common_subsequence(first, second):
    def longest(a, b):
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
        return table[-1][-1]

    from edu_cli.evaluate.answers import _common_subsequence

    assert _common_subsequence(first, second) == longest(first, second)


@settings(max_examples=100, deadline=None)
@given(TEXT.filter(folded_answer))
def test_a_text_matches_itself_in_every_measure(text):
    assert set(answer_measures(text, [text]).values()) == {1.0}
