from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_corpus import PairIndex, parent

from edu_cli.ask.retrieval.asked import asked, holds, plain, plain_all
from edu_cli.ask.retrieval.duplicates import distinct
from edu_cli.ask.retrieval.evidence import gather
from edu_cli.ask.retrieval.rerank import window

PARENTS = (
    parent("栈.md", "栈是后进先出的线性表。\n压栈和弹栈都在栈顶进行。", section=("栈",)),
    parent("队列.md", "队列是先进先出的线性表。", section=("队列",)),
)


# --- the question's words


def test_asking_words_are_left_out_and_rare_words_weigh_more() -> None:
    index = PairIndex([parent("a", "线性表 顺序"), parent("b", "线性表"), parent("c", "线性表")])
    words = asked("什么是线性表的顺序", index)
    weight = dict(zip(words.words, words.weights, strict=True))
    assert "什么" not in weight
    assert weight["顺序"] > weight["线性"]
    assert words.weights.sum() == pytest.approx(1.0)


def test_a_question_of_asking_words_only_keeps_them() -> None:
    assert asked("什么", PairIndex(PARENTS)).words == ("什么",)


@pytest.mark.parametrize(
    ("question", "placeholders", "content"),
    [
        ("线程有哪几种状态？", ["哪几", "几种"], ["线程", "状态"]),
        ("会议是哪一年", ["哪一", "一年"], ["会议"]),
        ("第几章讲死锁", ["第几", "几章"], ["死锁"]),
        ("多长时间生效", ["多长", "时间"], ["生效"]),
        ("怎么办理退费", ["怎么"], ["办理", "退费"]),
        ("几何平均", [], ["几何", "平均"]),
        ("多线程是什么意思", ["什么", "意思"], ["多线", "线程"]),
    ],
)
def test_what_stands_where_the_answer_will_is_no_content(
    question: str, placeholders: list[str], content: list[str]
) -> None:
    words = asked(question, PairIndex(PARENTS)).words
    assert not set(placeholders) & set(words)
    assert set(content) <= set(words)


def test_the_weight_of_unknown_words_is_told() -> None:
    index = PairIndex(PARENTS)
    assert asked("zzqqx", index).unknown == pytest.approx(1.0)
    assert asked("线性", index).unknown == 0.0


def test_in_a_corpus_of_one_chunk_absent_words_do_not_drown_present_ones() -> None:
    index = PairIndex([parent("a", "青岚塔高 88.6 米")])
    words = asked("青岚塔 高度", index)
    assert 0.5 < words.held(plain("青岚塔高 88.6 米")) @ words.weights < 0.9


def test_a_question_without_words_holds_nothing() -> None:
    words = asked("？！", PairIndex(PARENTS))
    assert words.held("任何") @ words.weights == 0.0


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("the cache is full", "c", False),
        ("c is a language", "c", True),
        ("语言c很快", "c", True),
        ("use c++ here", "c++", True),
        ("node_id", "node", False),
        ("堆排序", "排序", True),
    ],
)
def test_latin_words_count_as_whole_words_only(text: str, word: str, expected: bool) -> None:
    assert holds(text, word) is expected


def test_width_case_and_script_do_not_matter() -> None:
    assert plain("ＢＥＲＴ－ｂａｓｅ 資料庫") == plain("bert-base 资料库")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("Ａａ資料 \n\ue0ff，\u3000ﬁ", max_size=8), max_size=5))
def test_many_texts_are_folded_as_each_alone(texts: list[str]) -> None:
    assert [text.strip() for text in plain_all(texts)] == [plain(text.replace("\ue0ff", "")) for text in texts]


# --- evidence


def test_evidence_names_the_child_that_answers() -> None:
    question = asked("压栈在哪里进行", PairIndex(PARENTS))
    evidence = gather(question, None, PARENTS, {}, {})
    assert evidence.best[0] == "栈.md#0.1"
    assert np.isnan(evidence.column("whole")).all()
    assert evidence.column("child_coverage")[0] > evidence.column("child_coverage")[1]
    assert evidence.headings[0].startswith("栈")


def test_the_whole_is_the_mean_of_the_children_by_length() -> None:
    one = parent("a", "甲甲甲\n乙")
    vectors = {"a#0.0": np.array([1.0, 0.0], np.float32), "a#0.1": np.array([0.0, 1.0], np.float32)}
    question = np.array([1.0, 0.0], np.float32)
    evidence = gather(asked("甲", PairIndex([one])), question, [one], vectors, {})
    assert evidence.column("several")[0] == pytest.approx(0.5)
    assert evidence.column("whole")[0] == pytest.approx(3 / np.sqrt(10))


def test_a_parent_without_children_shows_itself() -> None:
    bare = parent("a", "甲")
    bare = type(bare)(*(getattr(bare, name) for name in bare.__slots__[:-1]), ())
    assert gather(asked("甲", PairIndex([bare])), None, [bare], {}, {}).best == ("a#0",)


# --- the window of a cross-encoder


def test_a_short_parent_is_read_whole_with_its_heading() -> None:
    assert window(PARENTS[1], "队列.md#0.0", 700) == "队列.md › 队列\n队列是先进先出的线性表。"


def test_a_long_parent_is_read_around_the_child_that_hit() -> None:
    lines = [f"第{i}句说明了一件很平常的事情，没有什么特别之处。" for i in range(100)]
    long = parent("长.md", "\n".join(lines))
    text = window(long, "长.md#0.60", 700)
    assert lines[60] in text
    assert lines[59] in text
    assert lines[61] in text
    assert lines[0] not in text
    assert len(text) <= 700
    assert text.endswith(("。\n", "。"))


def test_a_child_longer_than_the_window_is_cut_to_it() -> None:
    long = parent("长.md", "甲" * 5000)
    assert len(window(long, "长.md#0.0", 700)) <= 700 + len("长.md\n")


# --- copies


def test_the_same_text_in_many_files_takes_one_place() -> None:
    assert distinct(["a", "b", "c", "d"], ["同一段话", "同一段 话", "另一段话", "同一段话"], 5) == [
        (0, ("b", "d")),
        (2, ()),
    ]


def test_texts_that_differ_in_a_word_are_copies_but_not_those_that_differ_in_a_number() -> None:
    text = "学院在{}年招收本科生，报名材料包括身份证复印件、成绩单和两封推荐信，请在规定的日期以前寄到招生办公室{}。"
    changed = distinct(["a", "b"], [text.format(2023, ""), text.format(2023, "吧")], 5)
    assert changed == [(0, ("b",))]
    assert len(distinct(["a", "b"], [text.format(2023, ""), text.format(2024, "")], 5)) == 2


def test_copies_after_the_last_place_are_still_told() -> None:
    assert distinct(["a", "b", "c"], ["甲甲", "乙乙", "甲甲"], 1) == [(0, ("c",))]


def test_a_copy_within_one_document_is_not_named_as_another() -> None:
    assert distinct(["a", "a"], ["甲", "甲"], 3) == [(0, ())]
